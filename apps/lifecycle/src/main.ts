import { runService } from '@gatehouse/service';
import { lifecycleService } from './service.js';

await runService(lifecycleService);

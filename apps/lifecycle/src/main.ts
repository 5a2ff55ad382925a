import { runProcess, startService } from '@gatehouse/service';
import { lifecycleService } from './service.js';

await runProcess((config) => startService(lifecycleService, config));

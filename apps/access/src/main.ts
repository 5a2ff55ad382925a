import { runService } from '@gatehouse/service';
import { accessService } from './service.js';

await runService(accessService);

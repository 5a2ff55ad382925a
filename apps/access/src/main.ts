import { runProcess, startService } from '@gatehouse/service';
import { accessService } from './service.js';

await runProcess((config) => startService(accessService, config));

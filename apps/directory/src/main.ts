import { runProcess, startService } from '@gatehouse/service';
import { directoryService } from './service.js';

await runProcess((config) => startService(directoryService, config));

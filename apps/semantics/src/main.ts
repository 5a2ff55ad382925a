import { runProcess, startService } from '@gatehouse/service';
import { semanticsService } from './service.js';

await runProcess((config) => startService(semanticsService, config));

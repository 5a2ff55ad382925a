import { runProcess, startService } from '@gatehouse/service';
import { auditService } from './service.js';

await runProcess((config) => startService(auditService, config));

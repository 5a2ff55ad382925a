import { runService } from '@gatehouse/service';
import { auditService } from './service.js';

await runService(auditService);

import { runProcess, startService } from '@gatehouse/service';
import { policyService } from './service.js';

await runProcess((config) => startService(policyService, config));

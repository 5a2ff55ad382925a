import { runService } from '@gatehouse/service';
import { policyService } from './service.js';

await runService(policyService);

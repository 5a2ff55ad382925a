import { runService } from '@gatehouse/service';
import { directoryService } from './service.js';

await runService(directoryService);

import { runService } from '@gatehouse/service';
import { bootstrap } from './commands/bootstrap.js';
import { rotateKey } from './commands/rotateKey.js';
import { directoryService } from './service.js';

await runService(directoryService, { bootstrap, 'rotate-key': rotateKey });

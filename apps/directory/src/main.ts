import { runService } from '@gatehouse/service';
import { bootstrap } from './bootstrap.js';
import { rotateKey } from './rotateKey.js';
import { directoryService } from './service.js';

await runService(directoryService, { bootstrap, 'rotate-key': rotateKey });

import { runService } from '@gatehouse/service';
import { semanticsService } from './service.js';

await runService(semanticsService);

/**
 * `npm run reseal`: seals with the first of the sealing keys whatever another one has sealed, while the platform runs or not. The
 * database is that of MONGODB_URL and MONGODB_PREFIX, else the embedded one in DATA_DIR; the keys are SEALING_KEYS, else those
 * in DATA_DIR. Exits 0 when nothing is left that another key has sealed.
 */
import './requireNode.mjs';
import { runTasks } from './installation/tasks.mjs';
import { build, installPackages } from './prepare.mjs';

installPackages();
build('@gatehouse/standalone');
const areDone = await runTasks(['directory', 'semantics', 'policy', 'lifecycle', 'audit'], 'reseal');
process.exitCode = areDone ? 0 : 1;

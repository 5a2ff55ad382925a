/**
 * `npm run reseal`: seals all values again with the first sealing key that are sealed with another one, while
 * the platform runs or not. The database is that of MONGODB_URL and MONGODB_PREFIX, by default the embedded
 * one in DATA_DIR. The keys are SEALING_KEYS, by default those in DATA_DIR. Exits with 0 if no value remains
 * that is sealed with another key.
 */
import './requireNode.mjs';
import { readArguments } from './arguments.mjs';
import { runTasks } from './installation/tasks.mjs';
import { preparePlatform } from './prepare.mjs';
import { processData, SERVICE_NAMES } from './serviceData.mjs';

readArguments('npm run reseal', 0);
await preparePlatform({ withServices: true });
const sealing = SERVICE_NAMES.filter((name) => processData(name).secrets.includes('SEALING_KEYS'));
const areDone = await runTasks(sealing, 'reseal');
process.exitCode = areDone ? 0 : 1;

/**
 * `npm run rotate-key`: creates a new key for signing access tokens, while the platform runs or not. It uses
 * the same variables as `npm run reseal`.
 */
import './requireNode.mjs';
import { readArguments } from './arguments.mjs';
import { runTasks } from './installation/tasks.mjs';
import { preparePlatform } from './prepare.mjs';

readArguments('npm run rotate-key', 0);
await preparePlatform({ withServices: true });
process.exitCode = (await runTasks(['directory'], 'rotate-key')) ? 0 : 1;

/**
 * `npm run rotate-key`: has access tokens signed with a new key, while the platform runs or not. It takes the variables that
 * `npm run reseal` takes.
 */
import './requireNode.mjs';
import { runTasks } from './installation/tasks.mjs';
import { build, installPackages } from './prepare.mjs';

installPackages();
build('@gatehouse/standalone');
process.exitCode = (await runTasks(['directory'], 'rotate-key')) ? 0 : 1;

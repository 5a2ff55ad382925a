import { runForm } from './program.js';
import { startStandalone } from './standalone.js';

await runForm(startStandalone);

import { startMesh } from './mesh/launcher.js';
import { runForm } from './program.js';

await runForm(startMesh);

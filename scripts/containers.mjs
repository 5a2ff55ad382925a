/**
 * `npm run test:containers`: asks the platform's images what the other tests ask its processes. Where no container engine
 * answers, it says so in one line and ends well. Arguments go to vitest. MONGO_IMAGE, NATS_IMAGE and GATEHOUSE_IMAGE, with a
 * `*` for the name of the process, name other images than those of infra/compose.yaml.
 */
import './requireNode.mjs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { getContainerRuntimeClient } from 'testcontainers';
import { root } from './prepare.mjs';

if (await hasEngine()) runSuite();
else console.log('0 passed, 0 failed: all container tests are skipped, because no container engine answers');

async function hasEngine() {
  return getContainerRuntimeClient().then(
    () => true,
    () => false,
  );
}

function runSuite() {
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--project', 'containers', ...process.argv.slice(2)],
    {
      cwd: root,
      env: { ...process.env, CONTAINERS: '1' },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  process.exitCode = status ?? 1;
}

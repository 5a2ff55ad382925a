/**
 * `npm run test:containers`: runs tests against the platform's images. If no container engine responds, it
 * prints one line and exits with code 0. Arguments are passed to vitest. MONGO_IMAGE, NATS_IMAGE and
 * GATEHOUSE_IMAGE, with a `*` for the name of the process, replace the images of infra/compose.yaml.
 */
import '../../scripts/requireNode.mjs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { getContainerRuntimeClient } from 'testcontainers';
import { root } from '../../scripts/prepare.mjs';

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
    [vitest, 'run', '--config', 'dev/testRun/containers/vitest.config.ts', ...process.argv.slice(2)],
    { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  process.exitCode = status ?? 1;
}

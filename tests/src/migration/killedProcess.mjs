import { openDatabases } from '@gatehouse/service';
import { startMigrationPlatform } from './platform.mjs';

/**
 * The services of a migration as a process of their own, which kills itself, as `kill -9` would, at a point
 * of a migration. It receives `{path, caller, input, killAt}` over its channel, and sends `ready`, every
 * point that it passes, and the response.
 */
const [url = '', prefix = '', leaseMs, repositoryDir] = process.argv.slice(2);
/** @type {string | null} */
let killAt = null;
/** @param {object} message */
const say = (message) => new Promise((resolve) => process.send?.(message, resolve));

const platform = await startMigrationPlatform({
  databases: await openDatabases(url, prefix),
  repositoryDir,
  settings: {
    leaseMs: Number(leaseMs),
    async afterStep(point) {
      await say({ point });
      if (point === killAt) process.kill(process.pid, 'SIGKILL');
    },
  },
});
/** @param {import('./killing.js').KillableCall<import('@gatehouse/contract').ProcedurePath>} order */
async function carryOut({ path, caller, input, killAt: point }) {
  killAt = point;
  try {
    await say({ answer: await platform.call(path, caller, input) });
  } catch (error) {
    await say({ failure: String(error) });
  }
}
process.on('message', (/** @type {Parameters<typeof carryOut>[0]} */ order) => void carryOut(order));
await say({ ready: true });

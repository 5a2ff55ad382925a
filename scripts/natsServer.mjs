/** The event bus that some tests start. No npm package carries it, so it comes from the system's packages. */
import { spawnSync } from 'node:child_process';
import { runQuietly } from './prepare.mjs';

/** Installs nats-server where it is missing and this process may; otherwise says how to get it. */
export function installNatsServer() {
  if (canRun('nats-server')) return;
  if (process.getuid?.() === 0 && canRun('apt-get')) {
    console.log('Installing nats-server ...');
    runQuietly('apt-get', ['update', '-qq']);
    runQuietly('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'nats-server']);
    return;
  }
  console.warn(
    'nats-server is missing, and the tests that need it will fail. Get it with ' +
      '"sudo apt-get install nats-server" or from nats.io, and see that it is on the PATH.',
  );
}

/** @param {string} command */
function canRun(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).error === undefined;
}

/** The browser that some tests look at pages with. No npm package carries it, so it comes from the system's packages. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const APT = 'apt-get';
/** The places that the tests look in. */
const PROGRAMS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** Installs Chromium where it is missing and this process may; otherwise says how to get it. */
export function installChromium() {
  if (PROGRAMS.some((program) => existsSync(program)) || install()) return;
  console.warn(
    'Chromium is missing, and the tests that need it will fail. Get it with "sudo apt-get install chromium" or from ' +
      'chromium.org.',
  );
}

function install() {
  if (process.getuid?.() !== 0 || runApt('--version').error !== undefined) return false;
  console.log('Installing chromium ...');
  runApt('update', '-qq');
  const { status, stderr } = runApt('install', '-y', '-qq', '--no-install-recommends', 'chromium');
  if (status !== 0) console.warn(stderr);
  return status === 0;
}

/** @param {...string} args */
function runApt(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(APT, args, { env, encoding: 'utf8' });
}

// @ts-check
/**
 * `npm run docs` builds the pages as a site into `dev/site/dist`, and fails at a link to a page that does not
 * exist. `npm run docs dev` serves them and shows changes. The first run installs the packages of this
 * folder.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const command = process.argv[2] ?? 'build';

/** @param {string[]} args of npm */
function npm(...args) {
  const { status } = spawnSync('npm', args, { cwd: import.meta.dirname, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

if (!existsSync(`${import.meta.dirname}/node_modules/vitepress`))
  npm('ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error');
npm('run', '--silent', command);

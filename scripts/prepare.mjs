/** The first steps of `npm start` and `npm test` on a fresh clone: install the packages and build. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');

/** Installs the packages of package-lock.json, unless all are installed. */
export function installPackages() {
  if (areInstalled()) return;
  console.log('Installing packages ...');
  runQuietly('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}

/**
 * Builds the workspace, or one package of it with the packages that it needs.
 * @param {string} [name] the package's name
 */
export function build(name) {
  runQuietly('npm', ['run', '--silent', 'build', ...(name ? ['--', `--filter=${name}...`] : [])]);
}

/**
 * Runs a command whose output is shown only if it fails; this process then ends with the command's exit code.
 * @param {string} command
 * @param {readonly string[]} args
 */
export function runQuietly(command, args) {
  const options = /** @type {const} */ ({ cwd: root, encoding: 'utf8', maxBuffer: 2 ** 27 });
  const { status, stdout, stderr, error } = spawnSync(command, args, options);
  if (status === 0) return;
  console.error(
    `${command} ${args.join(' ')} failed.\n${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`,
  );
  process.exit(status ?? 1);
}

/**
 * Whether node_modules contains the packages of the lock file. npm keeps a list of what it installed, which
 * lacks only the optional packages for other machines.
 */
function areInstalled() {
  const installed = readPackages('node_modules/.package-lock.json');
  return Object.entries(readPackages('package-lock.json'))
    .filter(([place, { optional }]) => place.includes('node_modules/') && !optional)
    .every(([place, { version }]) => place in installed && installed[place]?.version === version);
}

/**
 * @param {string} file
 * @returns {Record<string, { version?: string, optional?: boolean }>} the packages of a lock file, by place
 */
function readPackages(file) {
  const place = path.join(root, file);
  return existsSync(place) ? JSON.parse(readFileSync(place, 'utf8')).packages : {};
}

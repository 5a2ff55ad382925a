/** Which packages of package-lock.json are installed, and which of them a start needs. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

export const root = path.resolve(import.meta.dirname, '..');

/**
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {boolean} [optional] whether it may be missing, such as one for another system
 * @property {boolean} [link] whether it is a workspace
 * @property {string} [resolved] of a link: the folder of the workspace
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [devDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, string>} [optionalDependencies]
 */

/** @typedef {Record<string, LockedPackage>} LockedPackages packages by their place */

/**
 * Whether node_modules contains the packages that these workspaces need; those of all workspaces by default.
 * @param {readonly string[]} [workspaces] folders
 */
export function areInstalled(workspaces) {
  const locked = readPackages('package-lock.json');
  const installed = readPackages('node_modules/.package-lock.json');
  const places = workspaces === undefined ? Object.keys(locked) : findNeeded(locked, workspaces);
  // npm keeps a list of what it installed, which lacks only the optional packages for other machines.
  return [...places]
    .filter((place) => place.includes('node_modules/') && !locked[place]?.optional)
    .every((place) => place in installed && installed[place]?.version === locked[place]?.version);
}

/**
 * The places of everything that some workspaces need, as `npm ci --workspace` installs it.
 * @param {LockedPackages} locked
 * @param {readonly string[]} workspaces
 */
function findNeeded(locked, workspaces) {
  /** @type {Set<string>} */
  const needed = new Set();
  const waiting = [...workspaces];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const entry = locked[place];
    if (entry === undefined || needed.has(place)) continue;
    needed.add(place);
    if (entry.link && entry.resolved !== undefined) waiting.push(entry.resolved);
    for (const name of namesOf(entry)) waiting.push(...findPlace(locked, place, name));
  }
  return needed;
}

/** @param {LockedPackage} entry */
function namesOf({ dependencies, devDependencies, peerDependencies, optionalDependencies }) {
  return Object.keys({ ...dependencies, ...devDependencies, ...peerDependencies, ...optionalDependencies });
}

/**
 * The place from which Node loads a package, as a list of one; an optional one may have none.
 * @param {LockedPackages} locked
 * @param {string} from the place of the importing package
 * @param {string} name
 */
function findPlace(locked, from, name) {
  for (let folder = from; ; folder = path.posix.dirname(folder)) {
    const place = path.posix.join(folder, 'node_modules', name);
    if (place in locked) return [place];
    if (folder === '.') return [];
  }
}

/**
 * @param {string} file
 * @returns {LockedPackages} the packages of a lock file, by place
 */
function readPackages(file) {
  const place = path.join(root, file);
  return existsSync(place) ? JSON.parse(readFileSync(place, 'utf8')).packages : {};
}

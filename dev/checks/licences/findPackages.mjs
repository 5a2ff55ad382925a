// @ts-check
import path from 'node:path';

/**
 * @typedef {object} LockedPackage an entry of package-lock.json
 * @property {string} [version]
 * @property {string} [license]
 * @property {string} [resolved]
 * @property {boolean} [link]
 * @property {Record<string, string>} [dependencies]
 * @property {Record<string, string>} [optionalDependencies]
 * @property {Record<string, string>} [peerDependencies]
 * @property {Record<string, { optional?: boolean }>} [peerDependenciesMeta]
 */
/** @typedef {Record<string, LockedPackage>} Lock the packages of package-lock.json, by place */
/** @typedef {{ name: string, version: string, licence: string | undefined }} Package */

const MODULES = 'node_modules/';

/**
 * The place of a dependency, as Node finds it.
 * @param {Lock} lock
 * @param {string} from the place of the package that needs it
 * @param {string} name
 * @returns {string | undefined}
 */
function resolvePlace(lock, from, name) {
  for (let folder = from; ; folder = path.posix.dirname(folder)) {
    const place = path.posix.join(folder, MODULES, name);
    const found = lock[place];
    if (found) return found.link ? found.resolved : place;
    if (folder === '.') return undefined;
  }
}

/**
 * The names of what npm installs beside a package for production.
 * @param {LockedPackage} entry
 */
function namesOf({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta }) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional);
  return [...Object.keys(dependencies ?? {}), ...Object.keys(optionalDependencies ?? {}), ...peers];
}

/**
 * The published packages that a package of the workspace needs in production, sorted by name.
 * @param {Lock} lock
 * @param {string} folder of the package of the workspace
 * @returns {Package[]}
 * @throws Error if the lock has no such package
 */
export function findPackages(lock, folder) {
  if (!lock[folder]) throw new Error(`package-lock.json has no ${folder}`);
  const places = new Set([folder]);
  for (const place of places) {
    for (const name of namesOf(lock[place] ?? {})) {
      const found = resolvePlace(lock, place, name);
      if (found !== undefined) places.add(found);
    }
  }
  return [...places]
    .filter((place) => place.includes(MODULES))
    .map((place) => ({
      name: place.slice(place.lastIndexOf(MODULES) + MODULES.length),
      version: lock[place]?.version ?? '',
      licence: lock[place]?.license,
    }))
    .toSorted((one, other) => one.name.localeCompare(other.name));
}

/**
 * The packages in a bundle for browsers, from its notices: lines such as `vue 3.5.0 (MIT)`.
 * @param {string} notices
 * @returns {Package[]}
 */
export function readNotices(notices) {
  return [...notices.matchAll(/^(\S+) (\d[\w.+-]*) \(([^\n]+)\)$/gm)].map(
    ([, name = '', version = '', licence]) => ({ name, version, licence }),
  );
}

// @ts-check
/** @typedef {import('./findPackages.mjs').Package} Package */
/** @typedef {{ licences: readonly string[], exceptions: Readonly<Record<string, string>> }} Allowed */

/**
 * What the rules do not allow of the packages of an image. An exception is the licence of one package.
 * @param {readonly Package[]} packages
 * @param {Allowed} allowed
 * @returns {string[]}
 */
export function findFaults(packages, { licences, exceptions }) {
  return packages
    .filter(({ name, licence }) => licence === undefined || exceptions[name] !== licence)
    .filter(({ licence }) => licence === undefined || !licences.includes(licence))
    .map(({ name, version, licence }) => `${name} ${version}: ${licence ?? 'no licence'} is not allowed`);
}

/**
 * The packages of Debian that the Dockerfile adds to the images.
 * @param {string} dockerfile
 */
export function readSystemPackages(dockerfile) {
  const [, image = ''] = dockerfile.split(/^FROM \S+ AS image$/m);
  return [...image.matchAll(/apt-get install -y --no-install-recommends ([\w\s.-]+?)(?=\s*(?:\\|&&|;|$))/gm)]
    .flatMap(([, names = '']) => names.trim().split(/\s+/))
    .toSorted();
}

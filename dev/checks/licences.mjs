// @ts-check
/**
 * `npm run licences` lists the licence of each package in each image, and exits with code 1 if one is not in
 * licences/allowed.json.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { findFaults, readSystemPackages } from './licences/findFaults.mjs';
import { findPackages, readNotices } from './licences/findPackages.mjs';

const root = path.resolve(import.meta.dirname, '../..');
/** @param {string} file */
const read = (file) => readFileSync(path.join(root, file), 'utf8');
/** @param {string} file */
const readJson = (file) => JSON.parse(read(file));

const allowed = readJson('dev/checks/licences/allowed.json');
const { packages: lock } = readJson('package-lock.json');
/** What the gateway serves to browsers: the libraries of the reference and of the console. */
const pages = ['apps/docs/dist/site', 'apps/console/dist'].flatMap((folder) =>
  readNotices(read(`${folder}/THIRD-PARTY-NOTICES.txt`)),
);

const images = Object.keys(readJson('infra/services.json'));

/** @type {string[]} */
const faults = [];
/**
 * @param {string} title
 * @param {readonly import('./licences/findPackages.mjs').Package[]} packages
 * @param {Record<string, string>} [exceptions] licences of single packages
 */
function check(title, packages, exceptions = {}) {
  console.log(`\n${title}: ${packages.length} packages`);
  for (const { name, version, licence } of packages) console.log(`  ${name} ${version}: ${licence}`);
  const { licences } = allowed;
  faults.push(...findFaults(packages, { licences, exceptions }).map((fault) => `${title}: ${fault}`));
}

for (const image of images) {
  const own = findPackages(lock, `apps/${image}`);
  check(`image ${image}`, image === 'gateway' ? [...own, ...pages] : own);
}
check('npm start', [...findPackages(lock, 'apps/standalone'), ...pages], allowed.withoutImage);

console.log('\nSystem of the images');
for (const [name, licence] of Object.entries(allowed.system)) console.log(`  ${name}: ${licence}`);
for (const name of readSystemPackages(read('infra/Dockerfile')))
  if (!(name in allowed.system)) faults.push(`infra/Dockerfile: ${name} is not in licences/allowed.json`);

console.log(`\n${faults.length} licences are not allowed`);
for (const fault of faults) console.log(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

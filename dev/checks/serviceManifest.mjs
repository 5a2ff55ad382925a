/**
 * Keeps the files that follow from the service manifest in step with it.
 *
 *     node dev/checks/serviceManifest.mjs write    writes them
 *     node dev/checks/serviceManifest.mjs check    fails if one differs, and names it
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { format } from 'oxfmt';
import { planFiles } from './serviceManifest/files.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const settings = JSON.parse(await readFile(path.join(root, '.oxfmtrc.json'), 'utf8'));
const { printWidth, singleQuote } = settings;

/** @param {string} file */
const read = (file) => readFile(path.join(root, file), 'utf8').catch(() => null);

/** @param {string} file @param {string} text */
async function formatted(file, text) {
  const { code, errors } = await format(file, text, { printWidth, singleQuote, sortPackageJson: false });
  if (errors.length > 0) throw new Error(`${file}: ${errors.map(({ message }) => message).join(', ')}`);
  return code;
}

const stale = [];
for (const { file, write } of planFiles()) {
  const present = await read(file);
  const wanted = await formatted(file, write(present));
  if (wanted === present) continue;
  stale.push(file);
  if (process.argv[2] !== 'write') continue;
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), wanted);
}

if (process.argv[2] === 'write') {
  console.log(stale.length === 0 ? 'Every file is up to date' : `Wrote ${stale.join('\n      ')}`);
} else if (stale.length > 0) {
  console.error(`These files differ from the service manifest: run "npm run manifest" and commit them.`);
  for (const file of stale) console.error(`  ${file}`);
  process.exitCode = 1;
}

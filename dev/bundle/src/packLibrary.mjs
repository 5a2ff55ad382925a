#!/usr/bin/env node
// @ts-check
/**
 * `packLibrary.mjs prepare cli` and `restore cli`, in a workspace: before and after `npm pack`.
 * The packed `dist/cli.js` and `dist/cli.d.ts` refer to a bundle that contains all dependencies, because
 * a workspace package is in no registry. In the workspace they stay what the compiler wrote, so that programs
 * there share one copy of the contract. After an interrupted pack they refer to the bundle, which works too.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { collectTypes } from './typeFiles.mjs';

const [, , step, name] = process.argv;
const root = process.cwd();
const dist = path.join(root, 'dist');
const output = path.join(dist, 'package');
const kept = path.join(dist, '.beforePack');
const entries = [`${name}.js`, `${name}.d.ts`];

/** Puts the files of the compiler back. */
function restore() {
  for (const file of entries)
    if (existsSync(path.join(kept, file))) renameSync(path.join(kept, file), path.join(dist, file));
  rmSync(kept, { recursive: true, force: true });
}

/**
 * The file is never incomplete, not even for a program that loads it at the same moment.
 * @param {string} file
 * @param {string} text
 */
function replaceFile(file, text) {
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
}

async function bundleCode() {
  const bundle = await rolldown({ input: path.join(dist, `${name}.js`), platform: 'node' });
  await bundle.write({ file: path.join(output, `${name}.js`), format: 'esm' });
  await bundle.close();
}

function copyTypes() {
  const entry = path.join(dist, `${name}.d.ts`);
  for (const [place, text] of collectTypes(root, entry)) {
    const file = path.join(output, 'types', place);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

async function prepare() {
  restore();
  rmSync(output, { recursive: true, force: true });
  await bundleCode();
  copyTypes();
  mkdirSync(kept, { recursive: true });
  for (const file of entries)
    cpSync(path.join(dist, file), path.join(kept, file), { preserveTimestamps: true });
  const { name: packageName } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  replaceFile(path.join(dist, `${name}.js`), `export * from './package/${name}.js';\n`);
  replaceFile(
    path.join(dist, `${name}.d.ts`),
    `export * from './package/types/${packageName}/${name}.js';\n`,
  );
}

if (step === 'prepare') await prepare();
else if (step === 'restore') restore();
else throw new Error('usage: packLibrary.mjs prepare|restore ENTRY');

/**
 * Keeps docs/openapi.json, the committed OpenAPI document, in step with the route table, and docs/errors.md
 * with the catalogue of errors.
 *
 *     node dev/checks/openapi.mjs write    writes them, unless that would break callers of v1
 *     node dev/checks/openapi.mjs check    fails when they differ from the code, and names what would break
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createOpenApiDocument } from '@gatehouse/contract/openapi';
import { format } from 'oxfmt';
import { findBreakingChanges } from './openapi/breakingChanges.mjs';
import { writeErrorPage } from './openapi/errorPage.mjs';

const file = path.resolve(import.meta.dirname, '../../docs/openapi.json');
const errorPage = path.resolve(import.meta.dirname, '../../docs/errors.md');

/** @param {string} name */
async function readCommitted(name) {
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** @param {string[]} lines */
function fail(lines) {
  for (const line of lines) console.error(line);
  process.exitCode = 1;
}

const document = createOpenApiDocument();
const committed = await readCommitted(file);
const errors = writeErrorPage();
const { printWidth } = JSON.parse(
  await readFile(path.resolve(import.meta.dirname, '../../.oxfmtrc.json'), 'utf8'),
);
const { code: written } = await format(file, JSON.stringify(document), { printWidth });
const breaks = committed === null ? [] : findBreakingChanges(JSON.parse(committed), JSON.parse(written));

if (breaks.length > 0) {
  fail([
    'These changes break callers of v1; they belong in a new version:',
    ...breaks.map((line) => `  ${line}`),
  ]);
} else if (process.argv[2] === 'write') {
  await writeFile(file, written);
  await writeFile(errorPage, errors);
} else if (committed !== written) {
  fail(['docs/openapi.json differs from the route table: run "npm run openapi" and commit it.']);
} else if ((await readCommitted(errorPage)) !== errors) {
  fail(['docs/errors.md differs from the catalogue of errors: run "npm run openapi" and commit it.']);
}

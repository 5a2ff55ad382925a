/**
 * Keeps docs/openapi.json, the committed OpenAPI document, in step with the route table.
 *
 *     node dev/checks/openapi.mjs write    writes it, unless that would break callers of v1
 *     node dev/checks/openapi.mjs check    fails when it differs from the table, and names what would break
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createOpenApiDocument } from '@gatehouse/contract';
import { format } from 'oxfmt';
import { findBreakingChanges } from './openapi/breakingChanges.mjs';

const file = path.resolve(import.meta.dirname, '../../docs/openapi.json');

async function readCommitted() {
  try {
    return await readFile(file, 'utf8');
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
const committed = await readCommitted();
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
} else if (committed !== written) {
  fail(['docs/openapi.json differs from the route table: run "npm run openapi" and commit it.']);
}

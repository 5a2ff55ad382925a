/**
 * Keeps docs/openapi.json, the committed OpenAPI document, in step with the route table, as well as what is
 * made from it: the Postman collection and llms.txt. Also keeps docs/errors.md in step with its catalogue.
 *
 *     node dev/checks/openapi.mjs write    writes them, unless that would break callers of v1
 *     node dev/checks/openapi.mjs check    fails when they differ from the code, and names what would break
 */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createLlmsText, createOpenApiDocument, createPostmanCollection } from '@gatehouse/contract/openapi';
import { format } from 'oxfmt';
import { findBreakingChanges } from './openapi/breakingChanges.mjs';
import { writeErrorPage } from './openapi/errorPage.mjs';

/** @param {string} name */
const inDocs = (name) => path.resolve(import.meta.dirname, '../../docs', name);
const file = inDocs('openapi.json');
const errorPage = inDocs('errors.md');

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
/** @param {string} name @param {object} content */
const write = async (name, content) =>
  (await format(inDocs(name), JSON.stringify(content), { printWidth })).code;
const written = await write('openapi.json', document);
/** @type {[name: string, text: string][]} */
const others = [
  [errorPage, errors],
  [inDocs('postman.json'), await write('postman.json', createPostmanCollection(document))],
  [inDocs('llms.txt'), createLlmsText(document)],
];
const breaks = committed === null ? [] : findBreakingChanges(JSON.parse(committed), JSON.parse(written));

if (breaks.length > 0) {
  fail([
    'These changes break callers of v1; they belong in a new version:',
    ...breaks.map((line) => `  ${line}`),
  ]);
} else if (process.argv[2] === 'write') {
  await writeFile(file, written);
  for (const [name, text] of others) await writeFile(name, text);
} else if (committed !== written) {
  fail(['docs/openapi.json differs from the route table: run "npm run openapi" and commit it.']);
} else {
  for (const [name, text] of others) {
    if ((await readCommitted(name)) === text) continue;
    fail([
      `${path.relative(inDocs('..'), name)} differs from the code: run "npm run openapi" and commit it.`,
    ]);
  }
}

/**
 * Keeps docs/openapi.json, the committed OpenAPI document, in step with the route table, as well as what is
 * made from it: the Postman collection, llms.txt and the generated sources of the client. Also keeps
 * docs/errors.md in step with the catalogue of errors.
 *
 *     node dev/checks/openapi.mjs write    writes them, unless that would break callers of v1
 *     node dev/checks/openapi.mjs check    fails when they differ from the code, and names what would break
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createLlmsText, createOpenApiDocument, createPostmanCollection } from '@gatehouse/contract/openapi';
import { format } from 'oxfmt';
import { findBreakingChanges } from './openapi/breakingChanges.mjs';
import { writeClientFiles } from './openapi/client/files.mjs';
import { writeErrorPage } from './openapi/errorPage.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const file = path.join(root, 'docs/openapi.json');
const generated = path.join(root, 'packages/client/src/generated');

/** @param {string} name an absolute path */
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

const options = JSON.parse(await readFile(path.join(root, '.oxfmtrc.json'), 'utf8'));
/**
 * @param {string} name an absolute path
 * @param {string} text
 * @returns {Promise<readonly [string, string]>} the path and the formatted text
 */
async function formatted(name, text) {
  const { code, errors } = await format(name, text, options);
  if (errors.length > 0) throw new Error(`${name}: ${errors[0]?.message}`);
  return [name, code];
}

const document = createOpenApiDocument();
const committed = await readCommitted(file);
const [, written] = await formatted(file, JSON.stringify(document));
const files = await Promise.all(
  Object.entries(writeClientFiles(document)).map(([name, text]) =>
    formatted(path.join(generated, name), text),
  ),
);
files.push(
  [file, written],
  [path.join(root, 'docs/errors.md'), writeErrorPage()],
  [path.join(root, 'docs/llms.txt'), createLlmsText(document)],
  await formatted(path.join(root, 'docs/postman.json'), JSON.stringify(createPostmanCollection(document))),
);
const breaks = committed === null ? [] : findBreakingChanges(JSON.parse(committed), JSON.parse(written));

if (breaks.length > 0) {
  fail([
    'These changes break callers of v1; they belong in a new version:',
    ...breaks.map((line) => `  ${line}`),
  ]);
} else if (process.argv[2] === 'write') {
  await mkdir(generated, { recursive: true });
  await Promise.all(files.map(([name, text]) => writeFile(name, text)));
} else {
  const present = await Promise.all(files.map(([name]) => readCommitted(name)));
  const stale = files.filter(([, text], index) => present[index] !== text);
  if (stale.length > 0)
    fail(
      stale.map(([name]) => `${path.relative(root, name)} is out of date: run "npm run openapi", commit it.`),
    );
}

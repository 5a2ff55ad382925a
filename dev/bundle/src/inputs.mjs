// @ts-check
/** The record of what a bundle was made of, with which a start decides whether to make it again. */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../..');

/**
 * Writes the record of a bundle.
 * @param {string} record its file
 * @param {readonly string[]} modules the absolute paths of the modules; virtual ones are ignored
 */
export async function recordInputs(record, modules) {
  const files = modules.filter((name) => path.isAbsolute(name)).map((name) => path.relative(root, name));
  const inputs = files.toSorted();
  await writeFile(record, JSON.stringify({ hash: await hashFiles(inputs), inputs }));
}

/**
 * Whether the bundle of a record would be the same if it was made again.
 * @param {string} record
 */
export async function isCurrent(record) {
  try {
    const { hash, inputs } = JSON.parse(await readFile(record, 'utf8'));
    return hash === (await hashFiles(inputs));
  } catch {
    // A file is missing: the record, or a module.
    return false;
  }
}

/** @param {readonly string[]} files relative to the root */
async function hashFiles(files) {
  const contents = await Promise.all(files.map((name) => readFile(path.join(root, name))));
  const hash = createHash('sha256');
  for (const content of contents) hash.update(content);
  return hash.digest('hex');
}

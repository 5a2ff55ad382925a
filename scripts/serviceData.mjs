/**
 * The service manifest for programs that run before a build: the linter and `npm run secrets`. `npm run
 * manifest` writes the file, and `npm run check` fails if it differs from the manifest.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * @typedef {object} ProcessData
 * @property {readonly string[]} secrets
 * @property {readonly string[]} publishes
 * @property {Readonly<Record<string, readonly string[]>>} consumers
 * @property {readonly string[]} watches
 * @property {string} [database] the gateway has none
 */

/** @type {Readonly<Record<string, ProcessData>>} */
const PROCESSES = JSON.parse(
  readFileSync(path.resolve(import.meta.dirname, '../infra/services.json'), 'utf8'),
);

export const PROCESS_NAMES = Object.keys(PROCESSES);
export const SERVICE_NAMES = PROCESS_NAMES.filter((name) => name !== 'gateway');

/**
 * The entry of a process.
 * @param {string} name
 * @returns {ProcessData}
 * @throws if the manifest has no such process
 */
export function processData(name) {
  const data = PROCESSES[name];
  if (data === undefined) throw new Error(`the manifest has no process ${name}`);
  return data;
}

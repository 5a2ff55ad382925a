/** Runs a task of a service's program other than serving, on the data of an installation. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../prepare.mjs';
import { engineSocket, isEngineRunning, openServer } from './store.mjs';

/** @typedef {import('@gatehouse/service').Config} Config */

/**
 * The sealing keys of an installation. Throws if they are newer than the running platform, which could not
 * read what is sealed with them. Its engine creates the socket at its start.
 * @param {Config} config
 */
async function readSealingKeys({ SEALING_KEYS, MONGODB_URL, DATA_DIR }) {
  if (SEALING_KEYS !== undefined) return SEALING_KEYS;
  const file = path.join(DATA_DIR, 'sealing.key');
  const keys = (await readFile(file, 'utf8')).trim();
  if (MONGODB_URL !== undefined || !(await isEngineRunning(DATA_DIR))) return keys;
  const [changed, started] = await Promise.all([stat(file), stat(engineSocket(DATA_DIR))]);
  if (changed.mtimeMs <= started.mtimeMs) return keys;
  throw new Error(`${file} has changed since the platform started: restart it first`);
}

/**
 * Prints why, if it cannot begin.
 * @param {readonly string[]} names the services
 * @param {string} task
 * @returns {Promise<boolean>} whether all did it
 */
export async function runTasks(names, task) {
  try {
    return await runAll(names, task);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return false;
  }
}

/** @param {readonly string[]} names @param {string} task @returns {Promise<boolean>} */
async function runAll(names, task) {
  const { generateInternalKeys, readConfig } = await import('@gatehouse/service');
  const config = readConfig();
  const SEALING_KEYS = await readSealingKeys(config);
  const server = await openServer(config, false);
  try {
    // These processes receive no calls: any key will do.
    const { verifyKey: INTERNAL_VERIFY_KEY } = await generateInternalKeys();
    const env = { ...process.env, MONGODB_URL: server.url, SEALING_KEYS, INTERNAL_VERIFY_KEY };
    const codes = [];
    for (const name of names) {
      const program = path.join(root, 'apps', name, 'dist/bundle/main.js');
      const child = spawn(process.execPath, [program, `--${task}`], { env, stdio: 'inherit' });
      codes.push((await once(child, 'exit'))[0]);
    }
    return codes.every((code) => code === 0);
  } finally {
    await server.stop();
  }
}

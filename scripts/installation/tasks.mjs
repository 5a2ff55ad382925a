/** Runs a task of a service's program other than serving, on the data of an installation. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../prepare.mjs';
import { openServer } from './store.mjs';

/** @typedef {import('@gatehouse/service').Config} Config */

/** @param {Config} config */
async function readSealingKeys({ SEALING_KEYS, DATA_DIR }) {
  if (SEALING_KEYS !== undefined) return SEALING_KEYS;
  return (await readFile(path.join(DATA_DIR, 'sealing.key'), 'utf8')).trim();
}

/**
 * @param {readonly string[]} names the services
 * @param {string} task
 * @returns {Promise<boolean>} whether all did it
 */
export async function runTasks(names, task) {
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

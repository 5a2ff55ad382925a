/**
 * The data of a platform: on the server of MONGODB_URL, by default in the embedded engine's folder in
 * DATA_DIR.
 */
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';

/**
 * @typedef {import('@gatehouse/service').Config} Config
 * @typedef {import('@gatehouse/service').Databases} Databases
 */

/** Whether something listens on a socket. @param {string} socket @returns {Promise<boolean>} */
function answers(socket) {
  return new Promise((resolve) => {
    const connection = connect(socket, () => resolve(true)).on('error', () => resolve(false));
    connection.unref().on('connect', () => connection.end());
  });
}

/** The folder of the embedded engine. @param {string} dataDir */
const engineFolder = (dataDir) => path.resolve(dataDir, 'engine');

/** The socket of the embedded engine, which it creates at its start. @param {string} dataDir */
export const engineSocket = (dataDir) => path.join(engineFolder(dataDir), 'engine.sock');

/** @param {string} dataDir @returns {Promise<boolean>} */
export const isEngineRunning = (dataDir) => answers(engineSocket(dataDir));

/**
 * The engine of the running platform, or, if it does not run, one on its data.
 * @param {Config} config
 * @param {boolean} isNew whether the data may not exist yet
 */
export async function openServer({ MONGODB_URL, DATA_DIR }, isNew) {
  const nothing = async () => {};
  if (MONGODB_URL !== undefined) return { url: MONGODB_URL, stop: nothing };
  if (await isEngineRunning(DATA_DIR)) {
    const socket = encodeURIComponent(engineSocket(DATA_DIR));
    return { url: `mongodb://${socket}/?directConnection=true`, stop: nothing };
  }
  const dataDir = engineFolder(DATA_DIR);
  if (!isNew && !existsSync(path.join(dataDir, 'WiredTiger')))
    throw new Error(`There is no database in ${dataDir}: set DATA_DIR or MONGODB_URL.`);
  const { startEmbeddedEngine } = await import('@gatehouse/engine');
  return startEmbeddedEngine({ dataDir });
}

/**
 * Runs a function on the databases of a platform, and closes what was opened for it.
 * @param {Config} config
 * @param {{ isNew: boolean }} options whether the data may not exist yet
 * @param {(databases: Databases) => Promise<void>} use
 */
export async function withDatabases(config, { isNew }, use) {
  const { openDatabases } = await import('@gatehouse/service');
  const server = await openServer(config, isNew);
  try {
    const databases = await openDatabases(server.url, config.MONGODB_PREFIX);
    try {
      await use(databases);
    } finally {
      await databases.close();
    }
  } finally {
    await server.stop();
  }
}

/** The folder of the git repositories. @param {Config} config */
export function repositoryFolder({ REPOSITORY_DIR, DATA_DIR }) {
  return path.resolve(REPOSITORY_DIR ?? path.join(DATA_DIR, 'repositories'));
}

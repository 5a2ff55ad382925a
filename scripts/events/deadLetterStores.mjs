/** The stores of dead letters: the database of the platform, whether it runs or not, and its NATS. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { openDatabases, openNatsLetters, openStoredLetters, readConfig } from '@gatehouse/service';

/**
 * The dead letters of one bus.
 * @typedef {object} OpenStore
 * @property {'in process' | 'NATS'} bus
 * @property {import('@gatehouse/service').DeadLetterBox} box
 */

/** @param {string} socketPath */
function isAnswering(socketPath) {
  return new Promise((resolve) => {
    const socket = connect(socketPath);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/**
 * The database: a server, the engine of the running platform, or, if it does not run, an engine on its data.
 * @param {import('@gatehouse/service').Config} config
 */
async function findStore({ MONGODB_URL, DATA_DIR }) {
  const nothing = async () => {};
  if (MONGODB_URL !== undefined) return { url: MONGODB_URL, isServed: true, stop: nothing };
  const dataDir = path.resolve(DATA_DIR, 'engine');
  if (!existsSync(dataDir)) return null;
  const socketPath = path.join(dataDir, 'engine.sock');
  if (await isAnswering(socketPath)) {
    const url = `mongodb://${encodeURIComponent(socketPath)}/?directConnection=true`;
    return { url, isServed: true, stop: nothing };
  }
  const engine = await startEmbeddedEngine({ dataDir });
  return { url: engine.url, isServed: false, stop: () => engine.stop() };
}

/**
 * The NATS server of NATS_URL, or the one that a mesh has started and described in its data directory.
 * @param {import('@gatehouse/service').Config} config
 */
async function findNatsUrl({ NATS_URL, DATA_DIR }) {
  if (NATS_URL !== undefined) return NATS_URL;
  const settings = await readFile(path.resolve(DATA_DIR, 'nats.conf'), 'utf8').catch(() => '');
  const [, host] = /^listen: "([^"]+)"$/m.exec(settings) ?? [];
  const [, user, password] = /^authorization: \{ user: (\S+), password: "([^"]+)" \}$/m.exec(settings) ?? [];
  return host === undefined ? null : `nats://${user}:${password}@${host}`;
}

/**
 * Opens all reachable stores, and returns notes on those that are unreachable.
 * @param {number} waitMs how long a replay waits for the platform to consume the event
 */
export async function openDeadLetterStores(waitMs) {
  const config = readConfig();
  /** @type {OpenStore[]} */
  const boxes = [];
  /** @type {string[]} */
  const notes = [];
  const closing = [async () => {}];
  const store = await findStore(config);
  if (store === null)
    notes.push(`There is no data in ${path.resolve(config.DATA_DIR)}, and MONGODB_URL is not set.`);
  else {
    closing.unshift(store.stop);
    const databases = await openDatabases(store.url, config.MONGODB_PREFIX);
    closing.unshift(() => databases.close());
    const box = openStoredLetters(databases.of('events'), store.isServed ? waitMs : 0);
    boxes.push({ bus: 'in process', box });
    if (!store.isServed)
      notes.push('The platform does not run: what is to be replayed is replayed by its next start.');
  }
  const natsUrl = await findNatsUrl(config);
  if (natsUrl !== null) {
    try {
      const box = await openNatsLetters(natsUrl);
      closing.unshift(() => box.close());
      boxes.push({ bus: 'NATS', box });
    } catch {
      notes.push('NATS does not answer: its dead letters are not among these.');
    }
  }
  return {
    boxes,
    notes,
    async close() {
      for (const close of closing) await close();
    },
  };
}

/**
 * Process of the servers of the demo organization, on loopback: its database, and the receiver of its
 * webhook. The launcher forks it with the data directory, and it ends with the launcher, however that ends.
 */
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { readDemoSettings } from '../settings.js';
import { Sessions } from './sessions.js';
import { RENAME_COLUMN } from './tables.js';

const HOST = '127.0.0.1';
/** The default of 128 MB would be the largest part of the process. */
const CONFIGURATION = ['shared_buffers = 2MB'];

const [dataDir = ''] = process.argv.slice(2);
process.once('disconnect', () => process.exit());

const { database: place, webhook } = await readDemoSettings(dataDir);
// First, because events are delivered while the database is created.
await listen(
  createHttpServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }),
  webhook.port,
);
const sessions = new Sessions(await openDatabase(join(dataDir, 'demo-database')), place.password);
process.on('message', (request) => {
  if (request === 'renameColumn') void sessions.runAsOwner(RENAME_COLUMN).then(() => report('renamed'));
});
await listen(
  createServer((socket) => void sessions.serve(socket)),
  place.port,
);
report('ready');

async function openDatabase(folder: string): Promise<PGlite> {
  if (!existsSync(folder)) {
    await once(new Worker(new URL('createDatabase.js', import.meta.url), { workerData: folder }), 'exit');
  }
  return PGlite.create(folder, { postgresqlconf: CONFIGURATION });
}

async function listen(server: Server, port: number): Promise<void> {
  await once(server.listen(port, HOST), 'listening');
}

/** Sends a message to the launcher. If that has ended in the meantime, this process ends as well. */
function report(message: string): void {
  process.send?.(message, undefined, undefined, (error) => {
    if (error !== null) process.exit();
  });
}

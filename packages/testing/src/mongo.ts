import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { newKey, openDatabases, readConfig, type Databases } from '@gatehouse/service';
import { childProcesses } from './childProcesses.js';
import { countWrites } from './countedWrites.js';

/** A MongoDB for one test file: databases of its own, on a server that is shared with other files. */
export interface TestMongo extends AsyncDisposable {
  url: string;
  /** Separates the databases of this file from all others. */
  prefix: string;
  databases: Databases;
}

let ownServer: Promise<string> | undefined;

/** The one embedded engine of this process, which ends with it. */
async function startOwnServer(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatehouse-mongo-'));
  const engine = await startEmbeddedEngine({ dataDir });
  childProcesses().keep(engine.pid);
  process.once('exit', () => {
    engine.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  // Test runners end their workers this way, which does not count as an exit.
  process.once('SIGTERM', () => process.exit(143));
  return engine.url;
}

async function dropAll(databases: Databases, prefix: string): Promise<void> {
  const { client } = databases.of('any');
  const own = { nameOnly: true, filter: { name: { $regex: `^${prefix}_` } } };
  const { databases: found } = await client.db('admin').admin().listDatabases(own);
  for (const { name } of found) await client.db(name).dropDatabase();
}

/**
 * Databases for one test file on the server of `MONGODB_URL` if that is set, else on an embedded engine that
 * is started once for all files of the process. They are dropped at the end.
 */
export async function startTestMongo(): Promise<TestMongo> {
  const prefix = `t${newKey()
    .toLowerCase()
    .replace(/[^a-z0-9]/g, 'x')}`;
  const url = readConfig().MONGODB_URL ?? (await (ownServer ??= startOwnServer()));
  countWrites();
  const databases = await openDatabases(url, prefix);
  return {
    url,
    prefix,
    databases,
    async [Symbol.asyncDispose]() {
      await dropAll(databases, prefix);
      await databases.close();
    },
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedEngine } from '@gatehouse/engine';
import { newKey, openDatabases, readConfig, type Databases } from '@gatehouse/service';

/** A MongoDB for one test file: the server of `MONGODB_URL` when that is set, else an embedded engine of its own. */
export interface TestMongo extends AsyncDisposable {
  url: string;
  /** Keeps the databases of this file apart from all others. */
  prefix: string;
  databases: Databases;
}

export async function startTestMongo(): Promise<TestMongo> {
  const prefix = `t${newKey()
    .toLowerCase()
    .replace(/[^a-z0-9]/g, 'x')}`;
  const { MONGODB_URL } = readConfig();
  if (MONGODB_URL) {
    const databases = await openDatabases(MONGODB_URL, prefix);
    return { url: MONGODB_URL, prefix, databases, [Symbol.asyncDispose]: () => databases.close() };
  }
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-mongo-'));
  const engine = await startEmbeddedEngine({ dataDir });
  const databases = await openDatabases(engine.url, prefix);
  return {
    url: engine.url,
    prefix,
    databases,
    async [Symbol.asyncDispose]() {
      await databases.close();
      await engine.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

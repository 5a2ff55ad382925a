import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Credentials } from '@gatehouse/standalone';
import { removeDataDir, startTestMongo, type TestMongo } from '@gatehouse/testing';
import { createApi, type Api } from '../api.js';
import { readSettledDocuments } from '../badInput/storedDocuments.js';
import { startTestStandalone, type Settings } from '../servers.js';
import { WEBHOOK_SETTINGS } from '../webhookRecords.js';

/** No sweep may change one world while the other is read. */
const SETTINGS: Settings = { ...WEBHOOK_SETTINGS, SWEEP_INTERVAL_MS: '3600000' };

/** A platform on data of its own. */
export interface World extends AsyncDisposable {
  api: Api;
  credentials: Credentials;
  mongo: TestMongo;
  dataDir: string;
  stop(): Promise<void>;
  /** Resolves once every event is published and consumed. */
  settle(): Promise<void>;
}

async function startOn(mongo: TestMongo, dataDir: string): Promise<World> {
  const place = { MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix, DATA_DIR: dataDir };
  const server = await startTestStandalone({ ...SETTINGS, ...place });
  return {
    api: await createApi(server.credentials),
    credentials: server.credentials,
    mongo,
    dataDir,
    stop: () => server.stop(),
    settle: async () => void (await readSettledDocuments(mongo.databases)),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await mongo[Symbol.asyncDispose]();
      await removeDataDir(dataDir);
    },
  };
}

export async function startWorld(): Promise<World> {
  return startOn(await startTestMongo(), await mkdtemp(join(tmpdir(), 'gatehouse-world-')));
}

/** Starts a platform on a copy of the data of a stopped one: every id and every token is the same. */
export async function startTwin({ mongo, dataDir }: World): Promise<World> {
  const twin = await startTestMongo();
  const { client } = mongo.databases.of('any');
  const filter = { name: { $regex: `^${mongo.prefix}_` } };
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true, filter });
  for (const { name } of databases) {
    const target = client.db(twin.prefix + name.slice(mongo.prefix.length));
    for (const { name: collection } of await client.db(name).listCollections().toArray()) {
      const documents = await client.db(name).collection(collection).find().toArray();
      if (documents.length > 0) await target.collection(collection).insertMany(documents);
    }
  }
  const ownDir = await mkdtemp(join(tmpdir(), 'gatehouse-twin-'));
  await cp(dataDir, ownDir, { recursive: true });
  return startOn(twin, ownDir);
}

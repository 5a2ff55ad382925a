import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { services } from '@gatehouse/contract';
import type { Databases } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { createApi, type Api } from './api.js';
import type { Settings, TestServer } from './servers.js';

/** Every document that the platform keeps at one moment, as its bytes, by database and collection. */
export type Snapshot = ReadonlyMap<string, readonly Buffer[]>;

/** A running platform on a database that the test looks into, to see what was written and what was not. */
export interface ObservedServer extends AsyncDisposable {
  baseUrl: string;
  api: Api;
  /** The org user that `api.admin` is. */
  adminId: string;
  databases: Databases;
  /** The documents once nothing changes them any more: events published, and consumed. */
  readSettled(): Promise<Snapshot>;
  /**
   * What differs from an earlier moment, in words. The claims to idempotency keys are left out: a refused request leaves
   * one on purpose, as its refusal is the answer to every repetition. So is the audit log, which tells of refusals.
   */
  findChanges(since: Snapshot): Promise<string[]>;
  /** Stops the platform, and starts it on the same data with other settings. Tokens stay good; `baseUrl` changes. */
  restart(settings: Settings): Promise<void>;
}

const DATABASES = [...Object.keys(services), 'events'];
const UNOBSERVED = ['idempotency', 'auditEvents', 'auditHeads'];
const LOOK_AGAIN_MS = 50;
/** Unchanged for so many looks in a row, the documents are taken to stay as they are. */
const CALM_LOOKS = 3;
/** Sweeps come from time to time, and would be mistaken for a consequence of a request. */
const NO_SWEEPS = { SWEEP_INTERVAL_MS: '3600000' } satisfies Settings;

async function listCollections(databases: Databases) {
  const listed = DATABASES.map(async (service) => {
    const database = databases.of(service);
    const found = await database.listCollections({}, { nameOnly: true }).toArray();
    const names = found.map(({ name }) => name).filter((name) => !UNOBSERVED.includes(name));
    return names.map((name) => ({ name: `${service}.${name}`, collection: database.collection(name) }));
  });
  return (await Promise.all(listed)).flat();
}

const IN_ORDER = { sort: { _id: 1 } } as const;

/** Cheap, because the documents are not decoded: it is asked for after every refusal. */
async function readSnapshot(databases: Databases): Promise<Snapshot> {
  const read = (await listCollections(databases)).map(async ({ name, collection }) => {
    const documents = await collection.find({}, { ...IN_ORDER, raw: true }).toArray();
    return [name, documents as unknown as Buffer[]] as const;
  });
  return new Map(await Promise.all(read));
}

const isSame = (before: readonly Buffer[] = [], after: readonly Buffer[] = []) =>
  before.length === after.length && before.every((bytes, index) => after[index]?.equals(bytes));

/** The names of the collections that differ. */
function findDifferences(before: Snapshot, after: Snapshot): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => !isSame(before.get(name), after.get(name)));
}

async function readSettled(databases: Databases): Promise<Snapshot> {
  let last: Snapshot = new Map();
  for (let calmLooks = 0; calmLooks < CALM_LOOKS; await sleep(LOOK_AGAIN_MS)) {
    const now = await readSnapshot(databases);
    const isPending = [...now.values()].flat().some((bytes) => bytes.includes('outboxAt'));
    calmLooks = isPending || findDifferences(last, now).length > 0 ? 0 : calmLooks + 1;
    last = now;
  }
  return last;
}

async function findChanges(databases: Databases, since: Snapshot): Promise<string[]> {
  const now = await readSnapshot(databases);
  const names = findDifferences(since, now);
  const collections = names.length === 0 ? [] : await listCollections(databases);
  const changes = names.map(async (name) => {
    const known = new Set(since.get(name)?.map((bytes) => bytes.toString('base64')));
    const found = await collections
      .find((other) => other.name === name)
      ?.collection.find({}, IN_ORDER)
      .toArray();
    const isNew = now.get(name)?.map((bytes) => !known.has(bytes.toString('base64'))) ?? [];
    const written = (found ?? [])
      .filter((_, index) => isNew[index])
      .map((document) => JSON.stringify(document));
    return `${name}: ${known.size} documents before, ${isNew.length} after; written: ${written.join(', ')}`;
  });
  return Promise.all(changes);
}

/** Starts a form on a database of its own. */
export async function startObserved(
  start: (settings?: Settings) => Promise<TestServer>,
  settings: Settings = {},
): Promise<ObservedServer> {
  const mongo = await startTestMongo();
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-observed-'));
  const place = { MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix, DATA_DIR: dataDir };
  const startWith = (own: Settings) => start({ ...place, ...NO_SWEEPS, ...own });
  let server = await startWith(settings);
  const observed: ObservedServer = {
    baseUrl: server.baseUrl,
    api: await createApi(server.credentials),
    adminId: server.credentials.adminOrgUserId,
    databases: mongo.databases,
    readSettled: () => readSettled(mongo.databases),
    findChanges: (since) => findChanges(mongo.databases, since),
    async restart(own) {
      await server[Symbol.asyncDispose]();
      server = await startWith(own);
      observed.baseUrl = server.baseUrl;
      observed.api = await createApi(server.credentials);
    },
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await mongo[Symbol.asyncDispose]();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return observed;
}

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Databases } from '@gatehouse/service';
import {
  decodeStored,
  findNewCollections,
  readStoredBytes,
  removeDataDir,
  startTestMongo,
  type StoredBytes,
} from '@gatehouse/testing';
import { createApi, type Api } from './api.js';
import type { Settings, TestServer } from './servers.js';

/** A running platform on a database that the test looks into, to see what was written and what was not. */
export interface ObservedServer extends AsyncDisposable {
  baseUrl: string;
  api: Api;
  /** The org user that `api.admin` is. */
  adminId: string;
  databases: Databases;
  /** The documents once nothing changes them any more: events published, and consumed. */
  readSettled(): Promise<StoredBytes>;
  /**
   * The differences from an earlier moment, as sentences. The claims to idempotency keys are excluded: a
   * rejected request leaves one on purpose, because its error is the response to every repetition. The audit
   * log, which records rejections, is excluded too.
   */
  findChanges(since: StoredBytes): Promise<string[]>;
  /**
   * Stops the platform, and starts it on the same data with other settings. Tokens stay valid; `baseUrl`
   * changes.
   */
  restart(settings: Settings): Promise<void>;
}

/** A rejected creation of a tenant user leaves a mark, which promises only that a write may follow. */
const UNOBSERVED = ['idempotency', 'auditEvents', 'auditHeads', 'tenantUserMarks'];
const LOOK_AGAIN_MS = 50;
/** Unchanged for so many looks in a row, the documents are taken to stay as they are. */
const CALM_LOOKS = 3;
/** Sweeps come from time to time, and would be mistaken for a consequence of a request. */
const NO_SWEEPS = { SWEEP_INTERVAL_MS: '3600000' } satisfies Settings;

const isSame = (before: readonly Buffer[] = [], after: readonly Buffer[] = []) =>
  before.length === after.length && before.every((bytes, index) => after[index]?.equals(bytes));

/** The names of the databases that differ. */
function findDifferences(before: StoredBytes, after: StoredBytes): string[] {
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].filter((name) => !isSame(before.get(name), after.get(name)));
}

function hasEvents(bytes: Buffer): boolean {
  const { document } = decodeStored(bytes);
  return ((document['outbox'] ?? []) as unknown[]).length > 0;
}

/** Whether a document holds an event that is not published yet. */
function hasPendingEvents(snapshot: StoredBytes): boolean {
  const documents = [...snapshot.values()].flat().filter((bytes) => bytes.includes('outbox'));
  return documents.some(hasEvents);
}

async function readSettled(databases: Databases): Promise<StoredBytes> {
  let last: StoredBytes = new Map();
  for (let calmLooks = 0; calmLooks < CALM_LOOKS; await sleep(LOOK_AGAIN_MS)) {
    const now = await readStoredBytes(databases, UNOBSERVED);
    const isCalm = findDifferences(last, now).length === 0 && !hasPendingEvents(now);
    calmLooks = isCalm ? calmLooks + 1 : 0;
    last = now;
  }
  return last;
}

async function findChanges(databases: Databases, since: StoredBytes): Promise<string[]> {
  const now = await readStoredBytes(databases, UNOBSERVED);
  return findDifferences(since, now).map((name) => {
    const before = since.get(name) ?? [];
    const after = now.get(name) ?? [];
    const known = new Set(before.map((bytes) => bytes.toString('base64')));
    const written = after.filter((bytes) => !known.has(bytes.toString('base64')));
    const words = written.map((bytes) => JSON.stringify(decodeStored(bytes)));
    return `${name}: ${before.length} documents before, ${after.length} after; written: ${words.join(', ')}`;
  });
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
  let isRelied = false;
  const observed: ObservedServer = {
    baseUrl: server.baseUrl,
    api: await createApi(server.credentials),
    adminId: server.credentials.adminOrgUserId,
    databases: mongo.databases,
    readSettled: () => readSettled(mongo.databases),
    findChanges(since) {
      isRelied = true;
      return findChanges(mongo.databases, since);
    },
    async restart(own) {
      await server[Symbol.asyncDispose]();
      server = await startWith(own);
      observed.baseUrl = server.baseUrl;
      observed.api = await createApi(server.credentials);
    },
    async [Symbol.asyncDispose]() {
      const unread = isRelied ? await findNewCollections(mongo.databases, UNOBSERVED) : [];
      await server[Symbol.asyncDispose]();
      await mongo[Symbol.asyncDispose]();
      await removeDataDir(dataDir);
      if (unread.length > 0) throw new Error(`These collections were not read: ${unread.join(', ')}`);
    },
  };
  return observed;
}

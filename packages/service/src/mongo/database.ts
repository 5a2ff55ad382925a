import {
  MongoClient,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
  type Db,
} from 'mongodb';

export interface Databases {
  /** The database of one service. */
  of(service: string): Db;
  /** Resolves when the server answers; rejects when it does not within two seconds. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Connects to MongoDB. Writes are acknowledged by a majority and the journal unless the URL says otherwise, so that what
 * was answered survives the loss of a process. The design needs neither sessions nor transactions nor retried writes.
 */
export async function openDatabases(url: string, prefix: string): Promise<Databases> {
  const hasOwnConcern = /[?&]w=/.test(url);
  const client = new MongoClient(url, {
    retryWrites: false,
    maxPoolSize: 64,
    serverSelectionTimeoutMS: 3000,
    connectTimeoutMS: 3000,
    socketTimeoutMS: 30_000,
    ignoreUndefined: true,
    ...(hasOwnConcern ? {} : { writeConcern: { w: 'majority', journal: true } }),
  });
  await client.connect();
  return {
    of: (service) => client.db(`${prefix}_${service}`),
    async ping() {
      await client.db('admin').command({ ping: 1 }, { timeoutMS: 2000 });
    },
    close: () => client.close(),
  };
}

const DUPLICATE_KEY = 11_000;

/** True of the error by which a unique index refuses a document; then `keys` are the index's fields. */
export function duplicateKeysOf(error: unknown): string[] | null {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return null;
  return Object.keys((error['keyPattern'] as Record<string, unknown> | undefined) ?? {});
}

/** What the operating system says of a connection that cannot be made or was lost; the driver passes some of it on as it is. */
const CONNECTION_FAULTS = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'];

/** True of the errors that say that the database could not be reached: the same call may succeed later. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true;
  if (error instanceof MongoNotConnectedError) return true;
  return error instanceof Error && 'code' in error && CONNECTION_FAULTS.includes(String(error.code));
}

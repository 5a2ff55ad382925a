import { MongoClient, type Db, type MongoClientOptions } from 'mongodb';
import type { Config } from '../config.js';
import { settleWithin } from '../events/delivery.js';
import { traceCommands } from '../observability/mongoCommands.js';
import { isTracing } from '../observability/tracing.js';
import { endCommandsOfClosedConnections } from './closedConnections.js';
import { keepOpenHandles } from './openHandles.js';
import { markSharded } from './sharding.js';

export interface Databases {
  /** Returns the database of one service. */
  of(service: string): Db;
  /** Resolves if the service may read its database. Rejects otherwise, after two seconds at most. */
  ping(service: string): Promise<void>;
  close(): Promise<void>;
}

const PING_TIMEOUT_MS = 2000;
/** The default of `MONGODB_TIMEOUT_MS`. */
const TIMEOUT_MS = 10_000;

/** The settings of all connections. */
export type DatabaseSettings = Partial<Pick<Config, 'MONGODB_TIMEOUT_MS' | 'MONGODB_SHARDED'>>;

/** An error of the driver with its subject, which the messages of the driver do not name. */
const nameFault = (subject: string, cause: unknown) =>
  new Error(`${subject}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });

function createClient(url: string, options: MongoClientOptions): MongoClient {
  try {
    return new MongoClient(url, options);
  } catch (error) {
    throw nameFault('MONGODB_URL', error);
  }
}

/**
 * Connects to MongoDB. Writes are acknowledged by a majority and the journal unless the URL sets a write
 * concern, so that a confirmed change survives the loss of a process. Sessions, transactions and retried
 * writes are not needed.
 *
 * Every call ends: after three seconds if there is no server, after `MONGODB_TIMEOUT_MS` (0 sets no limit) if
 * the server does not respond, and if one of the heartbeats, sent every two seconds, gets no response for
 * three seconds. `isDatabaseUnreachable` recognizes each of these errors.
 */
export async function openDatabases(
  url: string,
  prefix: string,
  { MONGODB_TIMEOUT_MS: timeoutMs = TIMEOUT_MS, MONGODB_SHARDED: isSharded = false }: DatabaseSettings = {},
): Promise<Databases> {
  endCommandsOfClosedConnections();
  const hasOwnConcern = /[?&]w=/.test(url);
  const client = createClient(url, {
    retryWrites: false,
    maxPoolSize: 64,
    serverSelectionTimeoutMS: 3000,
    connectTimeoutMS: 3000,
    // Heartbeats detect a server that hangs: the driver fails the pending commands, and checks every half
    // second until the server responds.
    heartbeatFrequencyMS: 2000,
    // A command may wait for a connection, and then for its response.
    waitQueueTimeoutMS: timeoutMs,
    socketTimeoutMS: timeoutMs,
    ignoreUndefined: true,
    monitorCommands: isTracing(),
    ...(hasOwnConcern ? {} : { writeConcern: { w: 'majority', journal: true } }),
  });
  keepOpenHandles(client);
  if (isTracing()) traceCommands(client);
  await client.connect().catch((error: unknown) => {
    throw nameFault('MongoDB', error);
  });
  const of = (service: string) => {
    const database = client.db(`${prefix}_${service}`);
    return isSharded ? markSharded(database) : database;
  };
  return {
    of,
    async ping(service) {
      // MongoDB answers its own `ping` without authorization.
      const read = of(service).collection('ping').findOne();
      if (!(await settleWithin(read, PING_TIMEOUT_MS))) throw new Error('the database does not respond');
    },
    close: () => client.close(),
  };
}

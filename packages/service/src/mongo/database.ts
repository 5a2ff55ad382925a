import { MongoClient, type Db } from 'mongodb';
import { settleWithin } from '../events/delivery.js';
import { traceCommands } from '../observability/mongoCommands.js';
import { isTracing } from '../observability/tracing.js';
import { endCommandsOfClosedConnections } from './closedConnections.js';

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

/**
 * Connects to MongoDB. Writes are acknowledged by a majority and the journal unless the URL sets a write
 * concern, so that a confirmed change survives the loss of a process. Sessions, transactions and retried
 * writes are not needed.
 *
 * Every call ends: after three seconds if there is no server, after `timeoutMs` (0 sets no limit) if the
 * server does not respond, and if one of the heartbeats, sent every two seconds, gets no response for three
 * seconds. `isDatabaseUnreachable` recognizes each of these errors.
 */
export async function openDatabases(
  url: string,
  prefix: string,
  timeoutMs: number = TIMEOUT_MS,
): Promise<Databases> {
  endCommandsOfClosedConnections();
  const hasOwnConcern = /[?&]w=/.test(url);
  const client = new MongoClient(url, {
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
  if (isTracing()) traceCommands(client);
  await client.connect();
  const of = (service: string) => client.db(`${prefix}_${service}`);
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

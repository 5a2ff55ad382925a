import { MongoClient, type Db } from 'mongodb';
import { settleWithin } from '../events/delivery.js';
import { traceCommands } from '../observability/mongoCommands.js';
import { isTracing } from '../observability/tracing.js';
import { endCommandsOfClosedConnections } from './closedConnections.js';

export interface Databases {
  /** The database of one service. */
  of(service: string): Db;
  /** Resolves when the server lets a service read its database; rejects when it does not within two seconds. */
  ping(service: string): Promise<void>;
  close(): Promise<void>;
}

const PING_TIMEOUT_MS = 2000;
/** What `MONGODB_TIMEOUT_MS` is unless it is set. */
const TIMEOUT_MS = 10_000;

/**
 * Connects to MongoDB. Writes are acknowledged by a majority and the journal unless the URL says otherwise, so that what
 * was answered survives the loss of a process. The design needs neither sessions nor transactions nor retried writes.
 *
 * Every call ends: where there is no server after three seconds, where the server says nothing for `timeoutMs` (0 sets no limit),
 * and where it leaves a heartbeat unanswered for three seconds, of which there is one every two. The error of each is one that
 * `isDatabaseUnreachable` knows.
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
    // A store that is silent is found by these: the driver gives up what waits for it, and asks every half second until it is back.
    heartbeatFrequencyMS: 2000,
    // A connection may be waited for, and then an answer on it.
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
      // MongoDB's own `ping` is answered to those as well whom it lets do nothing else.
      const answer = of(service).collection('ping').findOne();
      if (!(await settleWithin(answer, PING_TIMEOUT_MS))) throw new Error('The database does not answer');
    },
    close: () => client.close(),
  };
}

import type {
  CommandFailedEvent,
  CommandStartedEvent,
  CommandSucceededEvent,
  Document,
  MongoClient,
} from 'mongodb';
import { watchClients } from './watchCommands.js';

/** The commands that change no document. Every other command counts as a write. */
const READS: ReadonlySet<string> = new Set([
  'aggregate',
  'buildInfo',
  'count',
  'distinct',
  'endSessions',
  'find',
  'getMore',
  'hello',
  'killCursors',
  'listCollections',
  'listDatabases',
  'listIndexes',
  'ping',
]);
/** The commands whose value is the name of the only collection that they change. */
const WRITES_OF_ONE: ReadonlySet<string> = new Set(['delete', 'findAndModify', 'insert', 'update']);

interface Sent {
  database: string;
  /** Undefined if the command may change all collections. */
  collection: string | undefined;
}

function isRead({ commandName, command }: CommandStartedEvent): boolean {
  const stages = (command['pipeline'] ?? []) as Document[];
  const isStored = stages.some((stage) => '$out' in stage || '$merge' in stage);
  return READS.has(commandName) && !isStored;
}

function writeOf({ commandName, databaseName: database, command }: CommandStartedEvent): Sent {
  const isOfOne = WRITES_OF_ONE.has(commandName);
  return { database, collection: isOfOne ? String(command[commandName]) : undefined };
}

const counted = new WeakSet<MongoClient>();
const counts = new Map<string, number>();
/** The writes that have begun and not ended, by the id of the request. */
const running = new Map<number, Sent>();

const ofCollection = ({ database, collection = '' }: Sent) => `${database}.${collection}`;

function count(sent: Sent): void {
  // A command that names no collection, such as a bulk write, names its database in its parts.
  const keys = sent.collection === undefined ? [''] : [sent.database, ofCollection(sent)];
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
}

function begin(event: CommandStartedEvent): void {
  if (isRead(event)) return;
  const sent = writeOf(event);
  running.set(event.requestId, sent);
  count(sent);
}

function end({ requestId }: CommandSucceededEvent | CommandFailedEvent): void {
  const sent = running.get(requestId);
  if (sent === undefined) return;
  running.delete(requestId);
  count(sent);
}

function countWritesOf(client: MongoClient): void {
  counted.add(client);
  client.on('commandStarted', begin).on('commandSucceeded', end).on('commandFailed', end);
}

/** Counts the writes of all clients that connect in this process from now on. */
export function countWrites(): void {
  watchClients(countWritesOf);
}

/** Whether the writes of this client are counted. */
export const isCounted = (client: MongoClient): boolean => counted.has(client);

/**
 * Returns a number that grows with each write to a database, or to one of its collections: when it begins,
 * and when it ends. Between two equal numbers no client of this process has changed a document.
 */
export function writesTo(database: string, collection?: string): number {
  const key = collection === undefined ? database : ofCollection({ database, collection });
  return (counts.get(key) ?? 0) + (counts.get('') ?? 0);
}

import type { Collection } from 'mongodb';
import { sequencedEvents, type OutboxDocument } from './outbox.js';

/**
 * The most documents of a collection in one round. Measured: the cost of a document is lowest from here on.
 */
const BATCH = 1000;
/**
 * A document may contain many events after an outage, and an event may have a megabyte. These bound the
 * memory of one round, up to its last document.
 */
const EVENTS_MAX = 4000;
const BYTES_MAX = 8 * 1024 * 1024;
const READ_AT_ONCE = 250;

/** The condition that the index serves. */
export const PENDING = { 'outbox.time': { $gt: '' } };

/** Counts are frequent, and after an outage there may be millions of events. */
const COUNTED_MAX = 10_000;

export async function countPending(collection: Collection<OutboxDocument>): Promise<number> {
  const pipeline = [
    { $match: PENDING },
    { $limit: COUNTED_MAX },
    { $group: { _id: null, events: { $sum: { $size: '$outbox' } } } },
  ];
  const [found] = await collection.aggregate<{ events: number }>(pipeline).toArray();
  return found?.events ?? 0;
}

export type Pending = Pick<OutboxDocument, '_id' | 'outbox' | 'eventCount' | 'deletedAt'>;

/** The documents of a round, and whether there may be more than fit into it. */
interface Batch {
  documents: Pending[];
  isFull: boolean;
}

/**
 * Reads the pending events of one round.
 *
 * @param stuck the documents that are left out
 */
export async function findPending(
  collection: Collection<OutboxDocument>,
  stuck: ReadonlySet<string>,
): Promise<Batch> {
  const bytesOf = { $bsonSize: { outbox: '$outbox' } };
  const projection = { outbox: 1, eventCount: 1, deletedAt: 1, bytes: bytesOf };
  const options = { projection, limit: BATCH, batchSize: READ_AT_ONCE };
  const documents: Pending[] = [];
  let events = 0;
  let bytes = 0;
  const condition = stuck.size === 0 ? PENDING : { ...PENDING, _id: { $nin: [...stuck] } };
  for await (const found of collection.find<Pending & { bytes: number }>(condition, options)) {
    documents.push(found);
    events += found.outbox.length;
    bytes += found.bytes;
    if (events >= EVENTS_MAX || bytes >= BYTES_MAX) return { documents, isFull: true };
  }
  return { documents, isFull: documents.length === BATCH };
}

export const eventsOf = (documents: Pending[]) => documents.flatMap(sequencedEvents);

/** A crash may undo this write. Then events are published twice, so it need not wait for the journal. */
const CLEARING = { writeConcern: { w: 1, journal: false } } as const;

/**
 * Removes published events, in one operation for all documents. Newer events stay. Then deletes the
 * tombstones.
 */
export async function clear(collection: Collection<OutboxDocument>, documents: Pending[]): Promise<void> {
  const published = eventsOf(documents).map((event) => event.id);
  const ids = documents.map((document) => document._id);
  await collection.updateMany(
    { _id: { $in: ids } },
    { $pull: { outbox: { id: { $in: published } } } },
    CLEARING,
  );
  const deleted = documents.filter((document) => document.deletedAt).map((document) => document._id);
  if (deleted.length === 0) return;
  await collection.deleteMany(
    { _id: { $in: deleted }, deletedAt: { $exists: true }, outbox: { $size: 0 } },
    CLEARING,
  );
}

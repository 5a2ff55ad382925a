import {
  MongoAPIError,
  MongoClientBulkWriteError,
  MongoServerError,
  type ClientBulkWriteResult,
  type Collection,
  type Db,
  type Document,
  type MongoClient,
  type UpdateFilter,
} from 'mongodb';
import { CallBatcher } from '../callBatcher.js';

/** An update of the first document that meets a condition. */
export interface Update {
  condition: Document;
  update: UpdateFilter<Document> | Document[];
}

/** Whether each update met a document. An update without an outcome has not been made. */
type Outcomes = Map<Update, boolean>;

/**
 * Updates of more than sixteen are hardly cheaper, and might not fit into one message: the driver would make
 * several commands of them, of which one might fail after another.
 */
const UPDATES_MAX = 16;

const UNAUTHORIZED = 13;
const COMMAND_NOT_FOUND = 59;

/** The clients of servers before MongoDB 8.0, which do not know the command. */
const oldServers = new WeakSet<MongoClient>();

function outcomesOf(
  updates: readonly Update[],
  { updateResults: results }: Pick<ClientBulkWriteResult, 'updateResults'>,
): Outcomes {
  const outcomes: Outcomes = new Map();
  for (const [index, update] of updates.entries()) {
    const result = results?.get(index);
    if (result !== undefined) outcomes.set(update, result.matchedCount > 0);
  }
  return outcomes;
}

/**
 * Returns the outcomes of the updates that were made before an error.
 * @throws the error if it concerns all updates
 */
function outcomesBefore(error: unknown, updates: readonly Update[], client: MongoClient): Outcomes {
  // The driver has rejected one of the updates, and has sent none.
  if (error instanceof MongoAPIError) return new Map();
  if (!(error instanceof MongoClientBulkWriteError)) throw error;
  const { cause, writeConcernErrors, partialResult } = error;
  if (cause instanceof MongoServerError) {
    if (cause.code === COMMAND_NOT_FOUND) oldServers.add(client);
    else if (cause.code !== UNAUTHORIZED) throw cause;
    return new Map();
  }
  if (writeConcernErrors.length > 0 || partialResult === undefined) throw error;
  return outcomesOf(updates, partialResult);
}

/** Makes updates of one collection with one command. */
async function updateTogether(collection: Collection, client: MongoClient, updates: readonly Update[]) {
  const { namespace } = collection;
  const models = updates.map(
    ({ condition: filter, update }) => ({ name: 'updateOne', namespace, filter, update }) as const,
  );
  try {
    return outcomesOf(updates, await client.bulkWrite(models, { ordered: false, verboseResults: true }));
  } catch (error) {
    return outcomesBefore(error, updates, client);
  }
}

async function updateAlone(collection: Collection, { condition, update }: Update): Promise<boolean> {
  return (await collection.updateOne(condition, update)).matchedCount > 0;
}

async function updateAll(collection: Collection, client: MongoClient, updates: Update[]): Promise<Outcomes> {
  if (oldServers.has(client)) return new Map();
  const [first, second] = updates;
  if (first !== undefined && second === undefined)
    return new Map([[first, await updateAlone(collection, first)]]);
  const parts: Update[][] = [];
  for (let start = 0; start < updates.length; start += UPDATES_MAX)
    parts.push(updates.slice(start, start + UPDATES_MAX));
  const outcomes = await Promise.all(parts.map((part) => updateTogether(collection, client, part)));
  return new Map(outcomes.flatMap((some) => [...some]));
}

/** Updates that may share a command: those of one scope, so that no scope waits for another. */
interface Place {
  collection: Collection;
  scopeId: string;
}

/** Updates single documents. Concurrent updates of a place share a command. */
class GroupedUpdates {
  readonly #batches: CallBatcher<Place, Update, Outcomes>;

  constructor({ client }: Pick<Db, 'client'>) {
    this.#batches = new CallBatcher(
      ({ collection, scopeId }) => `${collection.collectionName} ${scopeId}`,
      ({ collection }, updates) => updateAll(collection, client, updates),
    );
  }

  /**
   * Returns true if a document met the condition. Each update has an outcome of its own, and rejects as
   * `updateOne` of the driver does. Only a fault of the connection or of the write concern is shared.
   */
  async updateOne(place: Place, update: Update): Promise<boolean> {
    const outcome = (await this.#batches.load(place, [update])).get(update);
    return outcome ?? updateAlone(place.collection, update);
  }
}

const groups = new WeakMap<Db, GroupedUpdates>();

/** Returns the grouped updates of a database. */
export function groupedUpdatesOf(database: Db): GroupedUpdates {
  const known = groups.get(database);
  if (known !== undefined) return known;
  const created = new GroupedUpdates(database);
  groups.set(database, created);
  return created;
}

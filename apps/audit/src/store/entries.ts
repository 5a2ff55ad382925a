import type { AuditEvent, ChainTip, SortOrder } from '@gatehouse/contract';
import { duplicateKeysOf } from '@gatehouse/service';
import { MongoBulkWriteError, type Collection, type Db, type Filter, type FindCursor } from 'mongodb';
import {
  entryKey,
  readEntry,
  toDocument,
  toEntry,
  type EntryDocument,
  type SealedEntry,
} from './entriesDocuments.js';
import { ENTRIES, SEQUENCE_INDEX } from './entriesIndexes.js';

/** What entries are asked for: those that meet all of it. */
export interface EntryFilter {
  projectId?: string | undefined;
  actorId?: string | undefined;
  resourceId?: string | undefined;
  requestId?: string | undefined;
  tokenId?: string | undefined;
  /** Any of these; absent, every type. */
  types?: readonly string[] | undefined;
  from?: Date | undefined;
  /** Not included. */
  to?: Date | undefined;
}

/** A place in a list by time. */
export interface TimePosition {
  time: Date;
  sequence: number;
}

/** Entries, and whether there may be more: a page is shorter than was asked for where its entries are large. */
export interface EntryPage {
  entries: AuditEvent[];
  hasMore: boolean;
}

/** An entry as verification finds it; null in the place of what is none any more. */
export interface StoredEntry {
  entry: AuditEvent | null;
  /** Where it stands, as far as that can be told. */
  sequence: number;
  seal: string;
  /** Whether its key is that of its event, which is what keeps the event from being recorded twice. */
  hasOwnKey: boolean;
}

/** Characters of event data after which a page ends: an event has up to a million. */
const PAGE_CHARACTERS = 2 * 1024 * 1024;
const BATCH = 500;

function timeCondition({ from, to }: EntryFilter): Filter<EntryDocument> {
  if (from === undefined && to === undefined) return {};
  return { time: { ...(from && { $gte: from }), ...(to && { $lt: to }) } };
}

function conditionOf(organizationId: string, filter: EntryFilter): Filter<EntryDocument> {
  const { types, projectId, actorId, resourceId, requestId, tokenId } = filter;
  const [onlyType] = types ?? [];
  const type = types && (types.length === 1 ? onlyType : { $in: types });
  const fields = { projectId, actorId, resourceId, requestId, tokenId, type };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { organizationId, ...Object.fromEntries(given), ...timeCondition(filter) };
}

/** Leaves out what a former page has shown, and does not go past it again. */
function beyond({ time, sequence }: TimePosition, order: SortOrder): Filter<EntryDocument> {
  return order === 'desc'
    ? { time: { $lte: time }, $nor: [{ time, sequence: { $gte: sequence } }] }
    : { time: { $gte: time }, $nor: [{ time, sequence: { $lte: sequence } }] };
}

async function readPage(cursor: FindCursor<EntryDocument>, limit: number): Promise<EntryPage> {
  const entries: AuditEvent[] = [];
  let characters = 0;
  try {
    for await (const document of cursor) {
      if (entries.length === limit || characters > PAGE_CHARACTERS) return { entries, hasMore: true };
      entries.push(toEntry(document));
      characters += document.data.length;
    }
    return { entries, hasMore: false };
  } finally {
    await cursor.close();
  }
}

/** The entries of all organizations' logs. They are added and read: nothing here changes or removes one. */
export class EntryStore {
  readonly #collection: Collection<EntryDocument>;

  constructor(database: Db) {
    this.#collection = database.collection(ENTRIES);
  }

  /**
   * Adds entries in their order, up to the first whose event is recorded or whose place is taken already. Gives how many
   * were added.
   */
  async insert(organizationId: string, sealed: readonly SealedEntry[]): Promise<number> {
    const documents = sealed.map((each) => toDocument(each));
    if (documents.some((document) => document.organizationId !== organizationId))
      throw new Error('Entries of another organization');
    try {
      return (await this.#collection.insertMany(documents, { ordered: true })).insertedCount;
    } catch (error) {
      if (error instanceof MongoBulkWriteError && duplicateKeysOf(error) !== null) return error.insertedCount;
      throw error;
    }
  }

  /** The last entry; null in a log that has none. */
  async findTip(organizationId: string): Promise<ChainTip | null> {
    const options = { sort: { sequence: -1 }, projection: { _id: 0, sequence: 1, hash: 1 } } as const;
    return this.#collection.findOne<ChainTip>({ organizationId }, options);
  }

  /** Those of the events that are recorded. */
  async findRecorded(organizationId: string, eventIds: readonly string[]): Promise<Set<string>> {
    const keys = eventIds.map((eventId) => entryKey(organizationId, eventId));
    const found = this.#collection.find(
      { _id: { $in: keys }, organizationId },
      { projection: { _id: 0, eventId: 1 } },
    );
    return new Set((await found.toArray()).map(({ eventId }) => eventId));
  }

  /** The types of the events in the log. */
  async listTypes(organizationId: string): Promise<string[]> {
    return this.#collection.distinct('type', { organizationId });
  }

  /** One page by time, after `position` where one is given. */
  async list(
    organizationId: string,
    filter: EntryFilter,
    { order, limit, position }: { order: SortOrder; limit: number; position?: TimePosition | undefined },
  ): Promise<EntryPage> {
    const direction = order === 'desc' ? -1 : 1;
    const wanted = [conditionOf(organizationId, filter), ...(position ? [beyond(position, order)] : [])];
    const cursor = this.#collection.find(wanted.length === 1 ? (wanted[0] ?? {}) : { $and: wanted }, {
      sort: { time: direction, sequence: direction },
      limit: limit + 1,
      batchSize: limit + 1,
    });
    return readPage(cursor, limit);
  }

  /** Those of the entries after `after`, up to and with `upTo`, that meet the filter, in the order of the log. */
  async listInOrder(
    organizationId: string,
    filter: EntryFilter,
    { after, upTo, limit }: { after: number; upTo: number; limit: number },
  ): Promise<EntryPage> {
    const condition = conditionOf(organizationId, filter);
    const cursor = this.#collection.find(
      { ...condition, sequence: { $gt: after, $lte: upTo } },
      // By any other index, all that meets the filter would be gone through for each page.
      { sort: { sequence: 1 }, hint: SEQUENCE_INDEX.name, limit: limit + 1, batchSize: BATCH },
    );
    return readPage(cursor, limit);
  }

  /** How many of the entries up to and with `upTo` meet the filter. */
  async count(organizationId: string, filter: EntryFilter, upTo: number): Promise<number> {
    return this.#collection.countDocuments({
      ...conditionOf(organizationId, filter),
      sequence: { $lte: upTo },
    });
  }

  /** All of the log in its order, as it is stored, whatever has become of it. */
  async *scan(organizationId: string): AsyncGenerator<StoredEntry> {
    const options = { sort: { sequence: 1 }, hint: SEQUENCE_INDEX.name, batchSize: BATCH } as const;
    for await (const document of this.#collection.find({ organizationId }, options)) {
      const { sequence, seal, eventId } = document as Record<keyof EntryDocument, unknown>;
      yield {
        entry: readEntry(document),
        sequence: Number(sequence),
        seal: String(seal),
        hasOwnKey: document._id === entryKey(organizationId, String(eventId)),
      };
    }
  }

  /** The organization after this one that has entries, by the order of ids; null after the last. */
  async findOrganizationAfter(organizationId: string): Promise<string | null> {
    const options = { sort: { organizationId: 1 }, projection: { organizationId: 1 } } as const;
    const found = await this.#collection.findOne({ organizationId: { $gt: organizationId } }, options);
    return found?.organizationId ?? null;
  }
}

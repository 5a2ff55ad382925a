import type { AuditEvent, ChainTip, SortOrder } from '@gatehouse/contract';
import { createIndexes, duplicateKeysOf, PlatformCollection, ScopedCollection } from '@gatehouse/service';
import { MongoBulkWriteError, type Db, type Filter, type IndexDescription } from 'mongodb';
import {
  entryKey,
  readEntry,
  toDocument,
  toEntry,
  type EntryDocument,
  type SealedEntry,
} from './documents.js';

/**
 * Fields with an index of the same name, each in the order of time. Of several conditions, one finds entries
 * by its index, and the others filter them: the one with the fewest entries, or else the first of this list.
 */
const FILTERED = ['requestId', 'resourceId', 'tokenId', 'actorId', 'type', 'projectId'] as const;
/** The number up to which entries are counted to find the condition with the fewest. */
const FEW = 1000;
const TIME_INDEX = 'time';

/** The order of the log. It also prevents two processes from writing the same sequence number. */
const SEQUENCE_INDEX = {
  name: 'sequence',
  key: { organizationId: 1, sequence: 1 },
  unique: true,
} as const satisfies IndexDescription;

const INDEXES: IndexDescription[] = [
  SEQUENCE_INDEX,
  { name: TIME_INDEX, key: { organizationId: 1, time: 1, sequence: 1 } },
  ...FILTERED.map((field) => ({ name: field, key: { organizationId: 1, [field]: 1, time: 1, sequence: 1 } })),
];

/** The collection of the entries of all logs. */
const ENTRIES = 'auditEvents';

/** Creates every missing index. */
export async function createEntryIndexes(database: Db): Promise<void> {
  await createIndexes(database, { [ENTRIES]: INDEXES });
}

/** Conditions on entries. All must hold. */
export interface EntryFilter {
  projectId?: string | undefined;
  actorId?: string | undefined;
  resourceId?: string | undefined;
  requestId?: string | undefined;
  tokenId?: string | undefined;
  /** Any of these; when absent, every type. */
  types?: readonly string[] | undefined;
  from?: Date | undefined;
  /** Exclusive. */
  to?: Date | undefined;
}

/** A place in a list by time. */
export interface TimePosition {
  time: Date;
  sequence: number;
}

/** Entries, and whether more may follow: a page of large entries is shorter than its limit. */
export interface EntryPage {
  entries: AuditEvent[];
  hasMore: boolean;
}

/** An entry as verification reads it; null when the document is no valid entry. */
export interface StoredEntry {
  entry: AuditEvent | null;
  /** Its stored position; NaN when it is unreadable. */
  sequence: number;
  seal: string;
  /** Whether its key is that of its event, which prevents duplicates of the event. */
  hasOwnKey: boolean;
}

/** A page ends after this many characters of event data: an event has up to a million. */
const PAGE_CHARACTERS = 2 * 1024 * 1024;
const BATCH = 500;

function timeCondition({ from, to }: EntryFilter): Filter<EntryDocument> {
  if (from === undefined && to === undefined) return {};
  return { time: { ...(from && { $gte: from }), ...(to && { $lt: to }) } };
}

function conditionOf(filter: EntryFilter): Filter<EntryDocument> {
  const { types, projectId, actorId, resourceId, requestId, tokenId } = filter;
  const [onlyType] = types ?? [];
  const type = types && (types.length === 1 ? onlyType : { $in: types });
  const fields = { projectId, actorId, resourceId, requestId, tokenId, type };
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...timeCondition(filter) };
}

/** Leaves out earlier pages, without a scan through them. */
function beyond({ time, sequence }: TimePosition, order: SortOrder): Filter<EntryDocument> {
  return order === 'desc'
    ? { time: { $lte: time }, $nor: [{ time, sequence: { $gte: sequence } }] }
    : { time: { $gte: time }, $nor: [{ time, sequence: { $lte: sequence } }] };
}

async function readPage(documents: AsyncIterable<EntryDocument>, limit: number): Promise<EntryPage> {
  const entries: AuditEvent[] = [];
  let characters = 0;
  for await (const document of documents) {
    if (entries.length === limit || characters > PAGE_CHARACTERS) return { entries, hasMore: true };
    entries.push(toEntry(document));
    characters += document.data.length;
  }
  return { entries, hasMore: false };
}

/** The entries of all logs. They are inserted and read: no function here changes or removes one. */
export class EntryStore {
  readonly #entries: ScopedCollection<EntryDocument>;
  /** For the sweep that verifies the logs of all organizations. */
  readonly #platform: PlatformCollection<EntryDocument>;

  constructor(database: Db) {
    this.#entries = new ScopedCollection(database, { collection: ENTRIES, scope: 'organizationId' });
    this.#platform = new PlatformCollection(database, ENTRIES);
  }

  /**
   * Inserts entries in their order, up to the first whose event is already recorded or whose sequence number
   * is taken. Returns the number of inserted entries.
   */
  async insert(organizationId: string, sealed: readonly SealedEntry[]): Promise<number> {
    const documents = sealed.map((each) => toDocument(each));
    if (documents.some((document) => document.organizationId !== organizationId))
      throw new Error('Entries of another organization');
    try {
      await this.#entries.insertMany(organizationId, documents);
      return documents.length;
    } catch (error) {
      if (error instanceof MongoBulkWriteError && duplicateKeysOf(error) !== null) return error.insertedCount;
      throw error;
    }
  }

  /** The last entry; null in a log that has none. */
  async findTip(organizationId: string): Promise<ChainTip | null> {
    const options = { sort: { sequence: -1 }, projection: { _id: 0, sequence: 1, hash: 1 } } as const;
    return this.#entries.findOne<ChainTip>(organizationId, {}, options);
  }

  /** The hash of the entry with a sequence number; null if there is none. */
  async findHash(organizationId: string, sequence: number): Promise<string | null> {
    const options = { projection: { _id: 0, hash: 1 }, hint: SEQUENCE_INDEX.name } as const;
    const found = await this.#entries.findOne<Pick<ChainTip, 'hash'>>(organizationId, { sequence }, options);
    return found?.hash ?? null;
  }

  /** The ids of those events that are recorded. */
  async findRecorded(organizationId: string, eventIds: readonly string[]): Promise<Set<string>> {
    const keys = eventIds.map((eventId) => entryKey(organizationId, eventId));
    const options = { projection: { _id: 0, eventId: 1 } };
    const found = await this.#entries.find(organizationId, { _id: { $in: keys } }, options);
    return new Set(found.map(({ eventId }) => eventId));
  }

  /** The types of the events in the log. */
  async listTypes(organizationId: string): Promise<string[]> {
    return this.#entries.distinct<string>(organizationId, {}, { field: 'type' });
  }

  /** A page in the order of time, after `position` if given. */
  async list(
    organizationId: string,
    filter: EntryFilter,
    { order, limit, position }: { order: SortOrder; limit: number; position?: TimePosition | undefined },
  ): Promise<EntryPage> {
    const direction = order === 'desc' ? -1 : 1;
    const condition = conditionOf(filter);
    const wanted = position ? { $and: [condition, beyond(position, order)] } : condition;
    const documents = this.#entries.scan(organizationId, wanted, {
      sort: { time: direction, sequence: direction },
      hint: await this.#indexOf(organizationId, filter),
      limit: limit + 1,
      batchSize: limit + 1,
    });
    return readPage(documents, limit);
  }

  /** The matching entries after `after`, up to and including `upTo`, in the order of the log. */
  async listInOrder(
    organizationId: string,
    filter: EntryFilter,
    { after, upTo, limit }: { after: number; upTo: number; limit: number },
  ): Promise<EntryPage> {
    const condition = { ...conditionOf(filter), sequence: { $gt: after, $lte: upTo } };
    const documents = this.#entries.scan(organizationId, condition, {
      sort: { sequence: 1 },
      // With any other index, each page would scan all matching entries.
      hint: SEQUENCE_INDEX.name,
      limit: limit + 1,
      batchSize: BATCH,
    });
    return readPage(documents, limit);
  }

  /** The number of matching entries up to and including `upTo`. */
  async count(organizationId: string, filter: EntryFilter, upTo: number): Promise<number> {
    const hint = await this.#indexOf(organizationId, filter);
    return this.#entries.count(
      organizationId,
      { ...conditionOf(filter), sequence: { $lte: upTo } },
      { hint },
    );
  }

  /**
   * The index of the condition that the fewest entries meet. Without its name, the engine may try several for
   * thousands of entries.
   */
  async #indexOf(organizationId: string, filter: EntryFilter): Promise<string> {
    const condition = conditionOf(filter);
    const given = FILTERED.filter((field) => field in condition);
    const [first = TIME_INDEX, second] = given;
    if (second === undefined) return first;
    const counts = await Promise.all(
      given.map((field) => {
        const own = { [field]: condition[field], ...timeCondition(filter) };
        return this.#entries.count(organizationId, own, { limit: FEW, hint: field });
      }),
    );
    return given[counts.indexOf(Math.min(...counts))] ?? first;
  }

  /** The whole log in its order, as stored, damaged entries included. */
  async *scan(organizationId: string): AsyncGenerator<StoredEntry> {
    const options = { sort: { sequence: 1 }, hint: SEQUENCE_INDEX.name, batchSize: BATCH } as const;
    for await (const document of this.#entries.scan(organizationId, {}, options)) {
      const { sequence, seal, eventId } = document as Record<keyof EntryDocument, unknown>;
      yield {
        entry: readEntry(document),
        sequence: Number(sequence),
        seal: String(seal),
        hasOwnKey: document._id === entryKey(organizationId, String(eventId)),
      };
    }
  }

  /** The next organization with entries, in the order of ids; null after the last. For sweeps. */
  async findOrganizationAfter(organizationId: string): Promise<string | null> {
    const options = { sort: { organizationId: 1 }, projection: { organizationId: 1 } } as const;
    const found = await this.#platform.findOne({ organizationId: { $gt: organizationId } }, options);
    return found?.organizationId ?? null;
  }
}

import { setImmediate } from 'node:timers/promises';
import { BSON, type Collection, type Db, type Document } from 'mongodb';
import { CallBatcher } from '../callBatcher.js';
import { Turns } from '../turns.js';

/** Reads that may share a command: of the same fields of one scope, so that no scope waits for another. */
interface Place {
  collection: Collection;
  scopeId: string;
  /** The condition of the scope; empty if the documents are read by their ids alone. */
  scope: Document;
  projection: Document;
}

/** Parsing the body of a document of this size takes a caller several hundred microseconds. */
const LARGE_BYTES = 32 * 1024;

/** A document of a command that several callers may have requested. */
class FoundDocument {
  readonly #bytes: Uint8Array;
  #unused: Document | null;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#unused = BSON.deserialize(bytes);
  }

  get isLarge(): boolean {
    return this.#bytes.length > LARGE_BYTES;
  }

  get id(): string {
    return this.#unused?.['_id'] as string;
  }

  /** Returns objects that no other caller has: a caller may change them. */
  take(): Document {
    const own = this.#unused ?? BSON.deserialize(this.#bytes);
    this.#unused = null;
    return own;
  }
}

type Found = Map<string, FoundDocument>;

/** Reading more than sixteen together is hardly cheaper, and each may have a body of megabytes. */
const IDS_MAX = 16;

async function findTogether(
  { collection, scope, projection }: Place,
  ids: readonly string[],
): Promise<Found> {
  // The engine has a fast path for a single id.
  const _id = ids.length === 1 ? ids[0] : { $in: ids };
  const found = collection.find<Uint8Array>({ ...scope, _id } as Document, { projection, raw: true });
  const documents: Found = new Map();
  for (const bytes of await found.toArray()) {
    const document = new FoundDocument(bytes);
    documents.set(document.id, document);
    if (document.isLarge) await setImmediate();
  }
  return documents;
}

async function findAll(place: Place, repeated: readonly string[]): Promise<Found> {
  const ids = [...new Set(repeated)];
  const parts: string[][] = [];
  for (let start = 0; start < ids.length; start += IDS_MAX) parts.push(ids.slice(start, start + IDS_MAX));
  const [first, ...others] = await Promise.all(parts.map((part) => findTogether(place, part)));
  return new Map([...(first ?? []), ...others.flatMap((found) => [...found])]);
}

/** Reads single documents by their `_id`. Concurrent reads of a place share a command. */
class GroupedReads {
  readonly #batches = new CallBatcher<Place, string, Found>(
    ({ collection, scopeId, projection }) =>
      `${collection.collectionName} ${scopeId} ${JSON.stringify(projection)}`,
    findAll,
  );
  /** The callers of a command would otherwise parse all of their large documents in one turn. */
  readonly #turns = new Turns();

  /**
   * Returns the document, or null. Its projection has the `_id`. Rejects as `findOne` of the driver does, for
   * all callers who share the command.
   */
  async findById(place: Place, id: string): Promise<Document | null> {
    const found = (await this.#batches.load(place, [id])).get(id);
    if (found?.isLarge) await this.#turns.next(place.scopeId);
    return found?.take() ?? null;
  }
}

const groups = new WeakMap<Db, GroupedReads>();

/** Returns the grouped reads of a database. */
export function groupedReadsOf(database: Db): GroupedReads {
  const known = groups.get(database);
  if (known !== undefined) return known;
  const created = new GroupedReads();
  groups.set(database, created);
  return created;
}

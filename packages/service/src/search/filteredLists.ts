import type { Document } from 'mongodb';
import type { ScopedCollection } from '../mongo/scopedCollection.js';
import type { Stored } from '../mongo/platformCollection.js';
import { comparePositions, positionCondition, type FieldOrder, type Position } from './position.js';
import { mayHaveTerm, TERMS_INDEX } from './terms.js';

/** A part of a list that the engine reads in order from one index. */
export interface ListPart {
  condition: Document;
  /** The name of the index. */
  hint: string;
}

/** The records of a scope that a list contains. */
export interface ListSelection {
  scopeId: string;
  /** The whole list without its filters. Parts may overlap. */
  parts: readonly ListPart[];
  /** The condition of all parts together. */
  reached: Document;
  /**
   * All records of the scope, if the list has so many parts that looking through the first records of the
   * scope costs less than reading each part.
   */
  around?: ListPart;
  /**
   * Returns whether a record, as the page projects it, may be in the list, beside `around`. To compare a
   * record with very many parts costs the engine more than to return it.
   */
  mayContain?: (record: Document) => boolean;
  /** All parts as one, beside `around`: its index has no order, but contains the fields of every order. */
  unordered?: ListPart;
  /** The conditions of the filters; empty if there are none. */
  filters: Document;
  /** Terms that all selected records have, about as many as requested. */
  termsOf: (most: number) => readonly number[];
}

/** The part of a list that is read, and its order. */
export interface ListPage<R> extends FieldOrder {
  /** The end of the previous page. */
  after: Position | null;
  /** The number of records to skip. Only for a list of one part. */
  skip?: number;
  limit: number;
  projection: Document;
  positionOf: (record: R) => Position;
}

/** The limits by which a list with filters chooses how it reads. */
export interface ReadLimits {
  /** How many records of the list it looks through first, in their order. */
  window: number;
  /** Of how many pages it first reads all records of the scope, if the list has very many parts. */
  nearest?: number;
  /** Numbers of records up to which a term is rare, and of how many terms they are counted, in turn. */
  rare: readonly { most: number; terms: number }[];
}

const LIMITS: ReadLimits = {
  window: 2000,
  nearest: 2,
  rare: [
    { most: 200, terms: 12 },
    { most: 5000, terms: 4 },
  ],
};

/** A page to read, and the conditions on the position in the list. */
interface Reading<R> {
  selection: ListSelection;
  page: ListPage<R>;
  bounds: readonly Document[];
}

/** The options of a read in the order of a page. */
function inOrder<R>({ by, direction, skip = 0, limit, projection }: ListPage<R>) {
  const sort = { [by]: direction, _id: direction } as const;
  return { projection, sort, skip, limit, batchSize: limit } as const;
}

const limitOf = (limit: number | undefined) => (limit === undefined ? {} : { limit });

/** Merges the parts in order, each record once, up to the limit. */
function mergeParts<R extends { _id: string }>(
  parts: readonly R[][],
  { direction, limit, positionOf }: ListPage<R>,
): R[] {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const byId = new Map(parts.flat().map((record) => [record._id, record]));
  const positioned = [...byId.values()].map((record) => ({ record, position: positionOf(record) }));
  positioned.sort((a, b) => direction * comparePositions(a.position, b.position));
  return positioned.slice(0, limit).map(({ record }) => record);
}

/** Returns a selection as a single part, which has a window; null if several parts have none in common. */
function asOnePart(selection: ListSelection): (ListSelection & { parts: readonly [ListPart] }) | null {
  const { parts, around, reached, filters } = selection;
  if (around !== undefined) return { ...selection, parts: [around], filters: { $and: [reached, filters] } };
  const [part, other] = parts;
  return part === undefined || other !== undefined ? null : { ...selection, parts: [part] };
}

/**
 * Reads and counts lists with filters, by an index of their order or by an index of terms: see `terms.ts`.
 * Every read names its index. Otherwise the engine may try several for thousands of records.
 */
export class FilteredLists<T extends Stored> {
  readonly #records: ScopedCollection<T>;
  readonly #limits: ReadLimits;

  constructor(records: ScopedCollection<T>, limits = LIMITS) {
    this.#records = records;
    this.#limits = limits;
  }

  /** Returns the records of a page, in order. */
  async readPage<R extends Document & { _id: string }>(
    selection: ListSelection,
    page: ListPage<R>,
  ): Promise<R[]> {
    const bounds = page.after === null ? [] : [positionCondition(page, 'after', page.after)];
    const isFiltered = Object.keys(selection.filters).length > 0;
    const reading = { selection, page, bounds };
    if (!isFiltered && selection.around === undefined) return this.#readInOrder(reading);
    const nearest = isFiltered ? null : await this.#readNearest(reading);
    if (nearest !== null) return nearest;
    const fromWindow = await this.#readWindow(reading);
    if (fromWindow !== null) return fromWindow;
    return isFiltered ? this.#readByTerm(reading) : this.#readInOrder(reading);
  }

  /** Counts the selected records, up to `limit` if it is given. */
  async count(selection: ListSelection, limit?: number): Promise<number> {
    const { scopeId, parts, reached, filters } = selection;
    const [part, other] = parts;
    if (part === undefined) return 0;
    const term = await this.#findRareTerm(selection);
    if (term === null && other !== undefined) return this.#countParts(selection, limit);
    const condition = { $and: [...(term === null ? [] : [term]), reached, filters] };
    const hint = term === null ? part.hint : TERMS_INDEX;
    return this.#records.count(scopeId, condition, { hint, ...limitOf(limit) });
  }

  /** Counts the records of several parts, each record once. */
  async #countParts({ scopeId, parts, filters }: ListSelection, limit?: number): Promise<number> {
    const ids = new Set<string>();
    for (const { condition, hint } of parts) {
      const options = { projection: { _id: 1 }, hint, ...limitOf(limit) };
      const found = await this.#records.find<{ _id: string }>(
        scopeId,
        { $and: [condition, filters] },
        options,
      );
      for (const { _id } of found) ids.add(_id);
      if (limit !== undefined && ids.size >= limit) return limit;
    }
    return ids.size;
  }

  /** Returns the condition of the rarest term of a selection; null if it has no rare one. */
  async #findRareTerm({ scopeId, termsOf }: ListSelection): Promise<Document | null> {
    for (const { most, terms } of this.#limits.rare) {
      const conditions = termsOf(terms).map((term) => mayHaveTerm(scopeId, term));
      const options = { limit: most + 1, hint: TERMS_INDEX };
      const counts = await Promise.all(conditions.map((each) => this.#records.count(scopeId, each, options)));
      const fewest = Math.min(...counts);
      if (fewest <= most) return conditions[counts.indexOf(fewest)] ?? null;
    }
    return null;
  }

  /** Reads the parts of a list in order, and skips what its filters exclude. */
  async #readInOrder<R extends Document & { _id: string }>({ selection, page, bounds }: Reading<R>) {
    const { scopeId, parts, filters } = selection;
    const found = parts.map(({ condition, hint }) => {
      const whole = { $and: [condition, filters, ...bounds] };
      return this.#records.find<R>(scopeId, whole, { ...inOrder(page), hint });
    });
    return mergeParts(await Promise.all(found), page);
  }

  /** Reads a page from the nearest records of the scope; null if they do not fill it. */
  async #readNearest<R extends Document>({ selection, page, bounds }: Reading<R>): Promise<R[] | null> {
    const { scopeId, around, mayContain } = selection;
    const { limit } = page;
    const nearest = (this.#limits.nearest ?? 0) * limit;
    if (around === undefined || mayContain === undefined || nearest === 0) return null;
    const condition = { $and: [around.condition, ...bounds] };
    const options = { ...inOrder({ ...page, limit: nearest }), hint: around.hint };
    const found = (await this.#records.find<R>(scopeId, condition, options)).filter(mayContain);
    return found.length < limit ? null : found.slice(0, limit);
  }

  /** The position of the last record in the window at the start of a part; null if the part ends earlier. */
  async #findWindowEnd<R extends Document>(
    { selection, page, bounds }: Reading<R>,
    { condition, hint }: ListPart,
  ): Promise<Position | null> {
    const { sort } = inOrder(page);
    const options = { sort, skip: this.#limits.window - 1, hint, projection: { [page.by]: 1 } };
    const wanted = { $and: [condition, ...bounds] };
    const last = await this.#records.findOne<{ _id: string }>(selection.scopeId, wanted, options);
    return last && { value: Reflect.get(last, page.by) as Position['value'], id: last._id };
  }

  /** Reads a page from the window at the start of the list; null if it may have further records. */
  async #readWindow<R extends Document & { _id: string }>({
    selection,
    page,
    bounds,
  }: Reading<R>): Promise<R[] | null> {
    const one = asOnePart(selection);
    if (one === null) return null;
    const reading = { selection: one, page, bounds };
    const [part] = one.parts;
    const end = await this.#findWindowEnd(reading, part);
    const fromIndex = await this.#readUnordered({ selection, page, bounds }, end);
    const within = end === null ? bounds : [...bounds, positionCondition(page, 'upTo', end)];
    const found = fromIndex ?? (await this.#readInOrder({ ...reading, bounds: within }));
    return end === null || found.length >= page.limit ? found : null;
  }

  /**
   * Reads a page of a list with very many parts, up to a position. The ids come from the index, because the
   * engine would compare each record around with each part. Null if the list has no such index, or if a
   * record was deleted or moved between the reads: the page would end at the place of a moved record, and the
   * next one would pass over all records before it.
   */
  async #readUnordered<R extends Document & { _id: string }>(
    { selection, page, bounds }: Reading<R>,
    end: Position | null,
  ): Promise<R[] | null> {
    const { scopeId, unordered, around, filters } = selection;
    if (unordered === undefined || around === undefined) return null;
    const { by, direction, limit, positionOf } = page;
    const { sort, projection } = inOrder(page);
    // Without the id of the end: the index would not suffice to decide an alternative.
    const upTo = end === null ? {} : { [by]: { [direction === 1 ? '$lte' : '$gte']: end.value } };
    const whole = { $and: [unordered.condition, filters, ...bounds, upTo] };
    const options = { sort, limit, hint: unordered.hint, projection: { [by]: 1 } };
    const places = (await this.#records.find<{ _id: string }>(scopeId, whole, options)).map(
      (record): Position => ({ value: Reflect.get(record, by) as Position['value'], id: record._id }),
    );
    if (places.length === 0) return [];
    const wanted = { _id: { $in: places.map(({ id }) => id) }, ...around.condition };
    const read = { projection, hint: '_id_', batchSize: limit };
    const found = await this.#records.find<R>(scopeId, wanted, read);
    const byId = new Map(found.map((record) => [record._id, record]));
    const inPlace = places.flatMap((place) => {
      const record = byId.get(place.id);
      return record && comparePositions(positionOf(record), place) === 0 ? [record] : [];
    });
    return inPlace.length === places.length ? inPlace : null;
  }

  /**
   * Reads one page of a list whose window does not fill it. A rare term finds all matches, and the engine
   * sorts them. Only if no term is rare, the whole list is looked through.
   */
  async #readByTerm<R extends Document & { _id: string }>(reading: Reading<R>): Promise<R[]> {
    const { selection, page, bounds } = reading;
    const term = await this.#findRareTerm(selection);
    if (term === null) return this.#readInOrder(reading);
    const whole = { $and: [term, selection.reached, selection.filters, ...bounds] };
    return this.#records.find<R>(selection.scopeId, whole, { ...inOrder(page), hint: TERMS_INDEX });
  }
}

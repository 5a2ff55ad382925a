import {
  addMissingTerms,
  CallBatcher,
  cutSlice,
  FilteredLists,
  type Current,
  type Draft,
  type Filters,
  type LimitsOf,
  type ListOrder,
  type ListPart,
  type ListSelection,
  type Page,
  PlatformCollection,
  positionAt,
  type Position,
  type ReadLimits,
  type RecordKind,
  ScopedCollection,
  type Slice,
  type Written,
} from '@gatehouse/service';
import type { Db, Document } from 'mongodb';
import type { ListedDocument } from '../documents.js';
import { filterTerms } from '../terms.js';
import { boundedTotal, TOTAL_MAX, type Found } from '../totals.js';
import { LIVE, OrganizationRecordStore } from './recordStore.js';

const SKIP_MAX = 2_147_483_647; // No organization has this many records.
/** Selects the records of a list. */
export interface Listed {
  /** The part of the collection that the list contains. */
  part: ListPart;
  /** The index of the same part that counts it without reading its records. */
  countHint?: string;
  /** The conditions of the filters. */
  conditions: Document;
  /** What finds the records that meet the filters. */
  terms: Omit<Filters, 'run'>;
}

/** Which page of a list, and in which order: by default by name. */
export type ListedPage = Page & Partial<Pick<ListOrder, 'by' | 'direction'>>;

/** The collection of a store, and what its records are found by. */
export interface ListedKind<T extends ListedDocument> extends Pick<
  RecordKind<T, 'organizationId'>,
  'quota' | 'omitted'
> {
  collection: string;
  /** The fields from which the terms follow. */
  sources: readonly (keyof T & string)[];
  termsOf: (record: T) => number[];
  readLimits?: ReadLimits | undefined;
}

interface Count {
  selection: ListSelection;
  limit: number | undefined;
}

/** Records that are listed with filters, by their terms: see `FilteredLists`. */
export abstract class ListedStore<T extends ListedDocument> extends OrganizationRecordStore<T> {
  readonly #kind: ListedKind<T>;
  readonly #lists: FilteredLists<T>;
  readonly #platform: PlatformCollection<T>;
  readonly #counts = new CallBatcher<Count, never, number>(
    ({ selection: { scopeId, reached, filters }, limit }) =>
      JSON.stringify([scopeId, reached, filters, limit]),
    ({ selection, limit }) => this.#lists.count(selection, limit),
  );

  constructor(database: Db, limitsOf: LimitsOf, kind: ListedKind<T>) {
    const { collection, quota, omitted = [], readLimits } = kind;
    super(database, limitsOf, { collection, quota, omitted: [...omitted, 'terms'] });
    this.#kind = kind;
    const records = new ScopedCollection<T>(database, { collection, scope: 'organizationId' });
    this.#lists = new FilteredLists(records, readLimits);
    this.#platform = new PlatformCollection<T>(database, collection);
  }

  override insert(organizationId: string, draft: Draft<T, 'organizationId'>, written: Written): Promise<T> {
    const terms = this.#kind.termsOf({ ...draft, organizationId } as unknown as T);
    return super.insert(organizationId, { ...draft, terms }, written);
  }

  /** Sets fields of a record as it was read, and its terms if they follow from them. */
  override update(
    organizationId: string,
    current: Current & Partial<T>,
    { set, ...written }: Written & { set: Partial<T> },
  ): Promise<T> {
    if (!this.#kind.sources.some((field) => field in set))
      return super.update(organizationId, current, { set, ...written });
    const terms = this.#kind.termsOf({ ...current, ...set, organizationId } as unknown as T);
    return super.update(organizationId, current, { set: { ...set, terms }, ...written });
  }

  /** For the sweep of all organizations: see {@link addMissingTerms}. */
  addMissingTerms(): Promise<void> {
    return addMissingTerms({
      records: this.#platform,
      live: LIVE,
      scope: 'organizationId',
      sources: this.#kind.sources,
      termsOf: this.#kind.termsOf,
    });
  }

  /**
   * One page, and the number of matches up to `totalMax`. With a limit of 0, only the number.
   * @throws INVALID_REQUEST, naming `cursor`, for a cursor of another list
   */
  protected async findListed(
    organizationId: string,
    listed: Listed,
    { totalMax = TOTAL_MAX, ...page }: ListedPage & { totalMax?: number | undefined },
  ): Promise<Found<T>> {
    const [slice, counted] = await Promise.all([
      this.readListed(organizationId, listed, page),
      this.countListed(organizationId, listed, totalMax + 1),
    ]);
    return { ...slice, ...boundedTotal(counted, totalMax) };
  }

  /** One page. Throws as `findListed` does. */
  protected async readListed(
    organizationId: string,
    listed: Listed,
    { skip, limit, cursor, by = 'nameFolded', direction = 1 }: ListedPage,
  ): Promise<Slice<T>> {
    const order = { list: this.#kind.collection, by, direction };
    const after = positionAt(order, cursor);
    if (limit === 0) return { records: [], nextCursor: null };
    const found = await this.#lists.readPage<T>(this.#selectionOf(organizationId, listed), {
      by,
      direction,
      after,
      skip: Math.min(skip, SKIP_MAX),
      limit: limit + 1,
      projection: this.projection,
      positionOf: (record) => ({ value: Reflect.get(record, by) as Position['value'], id: record._id }),
    });
    return cutSlice(order, limit, found);
  }

  /** Counts the records of a list, up to `limit` if it is given. Concurrent calls share a count. */
  protected countListed(organizationId: string, listed: Listed, limit?: number): Promise<number> {
    const { part, countHint = part.hint } = listed;
    const counted = { ...listed, part: { ...part, hint: countHint } };
    return this.#counts.load({ selection: this.#selectionOf(organizationId, counted), limit }, []);
  }

  #selectionOf(scopeId: string, { part, conditions, terms }: Listed): ListSelection {
    const reached = { ...LIVE, ...part.condition };
    return {
      scopeId,
      parts: [{ condition: reached, hint: part.hint }],
      reached,
      filters: conditions,
      termsOf: (most) => filterTerms(scopeId, terms, most),
    };
  }
}

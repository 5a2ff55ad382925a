import {
  FilteredLists,
  selectionTerms,
  type ListPart,
  type ListSelection,
  type Position,
  type ReadLimits,
  type ScopedCollection,
} from '@gatehouse/service';
import type { Document } from 'mongodb';
import { EXPIRY_INDEX, LIVE, searchPatternOf, type ResourceDocument, type SeenResource } from './document.js';
import { fieldOrderOf, listIndexName, positionOf, sortedPart, type Order, type SortName } from './order.js';
import { packedProjection, unpackResources, type PackedResource } from './seen.js';
import { termFiltersOf, type FieldFilters } from './terms.js';

/** The resources of a project that a list contains. */
export interface Selection extends FieldFilters {
  /** The subjects of which one must reach the resource; null for all resources of the project. */
  readers: readonly string[] | null;
  /** Further resources, by id. */
  alsoIds: readonly string[];
}

/** The part of a list that is read, and its order. */
export interface Page extends Order {
  /** The end of the previous page. */
  after: Position | null;
  limit: number;
  /** The reader's subjects. Shares that reach none of them are omitted. */
  subjects: readonly string[];
}

/**
 * The largest number of subjects in one query. With more, the engine sorts all matches instead of merging
 * parts.
 */
const SUBJECTS_PER_QUERY = 200;

function fieldConditions({ search, isPrivate, createdBy, tag, tenantId }: FieldFilters): Document {
  return {
    ...(search === undefined ? {} : { searchText: { $regex: searchPatternOf(search) } }),
    ...(isPrivate === undefined ? {} : { isPrivate }),
    ...(createdBy === undefined ? {} : { createdBy }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(tenantId === undefined ? {} : { tenantId }),
  };
}

/** The condition of all resources of a selection, without its fields. */
function reachedCondition({ readers, alsoIds }: Selection): Document {
  if (readers === null) return LIVE;
  const reached = { readers: { $in: [...readers] } };
  return alsoIds.length === 0 ? reached : { $or: [reached, { _id: { $in: [...alsoIds] }, ...LIVE }] };
}

/** Splits a selection into parts that the engine can each read in order from one index. */
function partsOf({ readers, alsoIds }: Selection, sort: SortName): ListPart[] {
  if (readers === null) return [{ condition: LIVE, hint: listIndexName(sort, false) }];
  const parts: ListPart[] = [];
  for (let start = 0; start < readers.length; start += SUBJECTS_PER_QUERY) {
    const subjects = readers.slice(start, start + SUBJECTS_PER_QUERY);
    parts.push({ condition: { readers: { $in: subjects } }, hint: listIndexName(sort, true) });
  }
  if (alsoIds.length > 0) parts.push({ condition: { _id: { $in: alsoIds }, ...LIVE }, hint: '_id_' });
  return parts;
}

/** The resources of a page, and its end; null if there is no further page. */
export interface FoundPage {
  resources: SeenResource[];
  /**
   * Where each resource was found, by id. One with very many shares is read again, and may have moved: a list
   * that continued at its new place would omit or repeat the resources between.
   */
  positions: ReadonlyMap<string, Position>;
  end: Position | null;
}

/** How a list of very many subjects is read: see {@link ListSelection}. */
function wideParts({ readers, alsoIds }: Selection, sort: SortName): Partial<ListSelection> {
  if (readers === null || readers.length <= SUBJECTS_PER_QUERY) return {};
  const around = sortedPart(sort);
  if (alsoIds.length > 0) return { around };
  const condition = { readers: { $in: [...readers] } };
  return { around, unordered: { condition, hint: listIndexName(sort, true) } };
}

function selectionOf(scopeId: string, selection: Selection, sort: SortName): ListSelection {
  const filters = termFiltersOf(selection);
  return {
    scopeId,
    parts: partsOf(selection, sort),
    ...wideParts(selection, sort),
    reached: reachedCondition(selection),
    filters: fieldConditions(selection),
    termsOf: (most) => selectionTerms(scopeId, filters, most),
  };
}

/** Lists the resources of a project. */
export function createResourceLists(resources: ScopedCollection<ResourceDocument>, limits?: ReadLimits) {
  const lists = new FilteredLists<ResourceDocument>(resources, limits);
  return {
    /** Returns one page without bodies. Reads about `limit` documents of any total. */
    async findPage(projectId: string, selection: Selection, page: Page): Promise<FoundPage> {
      const { sort, limit, subjects, after } = page;
      const packed = await lists.readPage<PackedResource>(selectionOf(projectId, selection, sort), {
        ...fieldOrderOf(page),
        after,
        limit,
        projection: packedProjection({}),
        positionOf: (resource) => positionOf(resource, sort),
      });
      const positions = new Map(packed.map((resource) => [resource._id, positionOf(resource, sort)]));
      const last = packed.length < limit ? undefined : packed.at(-1);
      const end = last === undefined ? null : (positions.get(last._id) ?? null);
      return { resources: await unpackResources(resources, packed, { projectId, subjects }), positions, end };
    },

    /**
     * Counts the selected resources up to a number, including those of expired shares that are not yet swept.
     */
    countSelected(projectId: string, selection: Selection, limit: number): Promise<number> {
      return lists.count(selectionOf(projectId, selection, 'title'), limit);
    },

    /** Returns true if any share in the project has expired and is not yet swept. */
    async hasExpired(projectId: string, now: Date): Promise<boolean> {
      const options = { projection: { _id: 1 }, hint: EXPIRY_INDEX };
      return (await resources.findOne(projectId, { nextExpiryAt: { $lte: now } }, options)) !== null;
    },
  };
}

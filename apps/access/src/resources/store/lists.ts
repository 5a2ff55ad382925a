import { mayHaveTerm, type ScopedCollection } from '@gatehouse/service';
import type { Document } from 'mongodb';
import { EXPIRY_INDEX, LIVE, searchPatternOf, type ResourceDocument, type SeenResource } from './document.js';
import {
  comparePositions,
  listIndexName,
  positionCondition,
  positionOf,
  SORT_FIELDS,
  type Order,
  type Position,
  type SortName,
} from './order.js';
import { packedProjection, unpackResources, type PackedResource } from './seen.js';
import { selectionTerms, TERMS_INDEX } from './terms.js';

/** The resources of a project that a list contains. */
export interface Selection {
  /** The subjects of which one must reach the resource; null for all resources of the project. */
  readers: readonly string[] | null;
  /** Further resources, by id. */
  alsoIds: readonly string[];
  search?: string | undefined;
  isPrivate?: boolean | undefined;
  createdBy?: string | undefined;
  tag?: string | undefined;
  tenantId?: string | undefined;
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

/** The limits by which a list with filters chooses how it reads. */
export interface ReadLimits {
  /** How many resources of the list it looks through first, in their order. */
  window: number;
  /** Numbers of resources up to which a term is rare, and of how many terms they are counted, in turn. */
  rare: readonly { most: number; terms: number }[];
}

const LIMITS: ReadLimits = {
  window: 2000,
  rare: [
    { most: 200, terms: 12 },
    { most: 5000, terms: 4 },
  ],
};

function fieldConditions({ search, isPrivate, createdBy, tag, tenantId }: Selection): Document {
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

interface Part {
  condition: Document;
  hint: string;
}

/** Splits a selection into parts that the engine can each read in order from one index. */
function partsOf({ readers, alsoIds }: Selection, sort: SortName): Part[] {
  if (readers === null) return [{ condition: LIVE, hint: listIndexName(sort, false) }];
  const parts: Part[] = [];
  for (let start = 0; start < readers.length; start += SUBJECTS_PER_QUERY) {
    const subjects = readers.slice(start, start + SUBJECTS_PER_QUERY);
    parts.push({ condition: { readers: { $in: subjects } }, hint: listIndexName(sort, true) });
  }
  if (alsoIds.length > 0) parts.push({ condition: { _id: { $in: alsoIds }, ...LIVE }, hint: '_id_' });
  return parts;
}

/** Merges the parts in order, each resource once, up to the limit. */
function mergeParts(parts: PackedResource[][], { sort, order, limit }: Page): PackedResource[] {
  const [only] = parts;
  if (parts.length === 1 && only) return only;
  const byId = new Map(parts.flat().map((resource) => [resource._id, resource]));
  const positioned = [...byId.values()].map((resource) => ({
    resource,
    position: positionOf(resource, sort),
  }));
  const sign = order === 'asc' ? 1 : -1;
  positioned.sort((a, b) => sign * comparePositions(a.position, b.position));
  return positioned.slice(0, limit).map(({ resource }) => resource);
}

/** The resources of a page, and its end; null if there is no further page. */
export interface FoundPage {
  resources: SeenResource[];
  end: Position | null;
}

/** The options of a read in the order of a page. */
function inOrder({ sort, order, limit }: Page) {
  const direction = order === 'asc' ? 1 : -1;
  const by = { [SORT_FIELDS[sort]]: direction, _id: direction } as const;
  return { projection: packedProjection({}), sort: by, limit, batchSize: limit } as const;
}

/** What is read: the resources of a project, a part of them, and how. */
interface Reading {
  resources: ScopedCollection<ResourceDocument>;
  limits: ReadLimits;
  projectId: string;
  selection: Selection;
}

interface PageReading extends Reading {
  page: Page;
  /** The conditions on the position in the list. */
  bounds: readonly Document[];
}

/** Returns the condition of the rarest term of a selection; null if it has no rare one. */
async function findRareTerm({ resources, limits, projectId, selection }: Reading): Promise<Document | null> {
  for (const { most, terms } of limits.rare) {
    const conditions = selectionTerms(projectId, selection, terms).map((term) =>
      mayHaveTerm(projectId, term),
    );
    const options = { limit: most + 1, hint: TERMS_INDEX };
    const counts = await Promise.all(conditions.map((each) => resources.count(projectId, each, options)));
    const fewest = Math.min(...counts);
    if (fewest <= most) return conditions[counts.indexOf(fewest)] ?? null;
  }
  return null;
}

/** Reads the parts of a list in order, and skips what its fields exclude. */
async function readInOrder({ resources, projectId, selection, page, bounds }: PageReading) {
  const parts = partsOf(selection, page.sort).map(({ condition, hint }) => {
    const whole = { $and: [condition, fieldConditions(selection), ...bounds] };
    return resources.find<PackedResource>(projectId, whole, { ...inOrder(page), hint });
  });
  return mergeParts(await Promise.all(parts), page);
}

/** The position of the last resource in the window at the start of a part; null if the part ends earlier. */
async function findWindowEnd(
  { resources, limits, projectId, page, bounds }: PageReading,
  { condition, hint }: Part,
): Promise<Position | null> {
  const { sort } = inOrder(page);
  const projection = { title: 1, createdAt: 1, updatedAt: 1 };
  const options = { sort, skip: limits.window - 1, hint, projection };
  const last = await resources.findOne<SeenResource>(projectId, { $and: [condition, ...bounds] }, options);
  return last && positionOf(last, page.sort);
}

/**
 * Reads a page from the window at the start of the list; null if it may have further resources. Several parts
 * have no common window.
 */
async function readWindow(reading: PageReading): Promise<PackedResource[] | null> {
  const { selection, page, bounds } = reading;
  const [part, other] = partsOf(selection, page.sort);
  if (part === undefined || other !== undefined) return null;
  const end = await findWindowEnd(reading, part);
  if (end === null) return readInOrder(reading);
  const within = [...bounds, positionCondition(page, 'upTo', end)];
  const found = await readInOrder({ ...reading, bounds: within });
  return found.length >= page.limit ? found : null;
}

/**
 * Reads one page of a list with filters. The window at the start fills it if matches are frequent. Otherwise
 * a rare term finds all matches, and the engine sorts them. Only if no term is rare, the whole list is looked
 * through.
 */
async function readFiltered(reading: PageReading): Promise<PackedResource[]> {
  const fromWindow = await readWindow(reading);
  if (fromWindow !== null) return fromWindow;
  const { resources, projectId, selection, page, bounds } = reading;
  const term = await findRareTerm(reading);
  if (term === null) return readInOrder(reading);
  const whole = { $and: [term, reachedCondition(selection), fieldConditions(selection), ...bounds] };
  return resources.find<PackedResource>(projectId, whole, { ...inOrder(page), hint: TERMS_INDEX });
}

/** Lists the resources of a project. */
export function createResourceLists(resources: ScopedCollection<ResourceDocument>, limits = LIMITS) {
  return {
    /** Returns one page without bodies. Reads about `limit` documents of any total. */
    async findPage(projectId: string, selection: Selection, page: Page): Promise<FoundPage> {
      const { sort, limit, subjects, after } = page;
      const bounds = after === null ? [] : [positionCondition(page, 'after', after)];
      const isFiltered = Object.keys(fieldConditions(selection)).length > 0;
      const read = isFiltered ? readFiltered : readInOrder;
      const packed = await read({ resources, limits, projectId, selection, page, bounds });
      const last = packed.length < limit ? undefined : packed.at(-1);
      const end = last === undefined ? null : positionOf(last, sort);
      return { resources: await unpackResources(resources, packed, { projectId, subjects }), end };
    },

    /**
     * Counts the selected resources up to a number, including those of expired shares that are not yet swept.
     */
    async countSelected(projectId: string, selection: Selection, limit: number): Promise<number> {
      const fields = fieldConditions(selection);
      const term = await findRareTerm({ resources, limits, projectId, selection });
      const conditions = [...(term === null ? [] : [term]), reachedCondition(selection), fields];
      const hint = term === null ? {} : { hint: TERMS_INDEX };
      return resources.count(projectId, { $and: conditions }, { limit, ...hint });
    },

    /** Returns true if any share in the project has expired and is not yet swept. */
    async hasExpired(projectId: string, now: Date): Promise<boolean> {
      const options = { projection: { _id: 1 }, hint: EXPIRY_INDEX };
      return (await resources.findOne(projectId, { nextExpiryAt: { $lte: now } }, options)) !== null;
    },
  };
}

import type { ScopedCollection } from '@gatehouse/service';
import type { Document, IndexDescription } from 'mongodb';
import {
  EXPIRY_INDEX,
  foldText,
  LIVE,
  searchPatternOf,
  SEEN,
  unpackShares,
  type ResourceDocument,
  type SeenResource,
} from './document.js';

/** A resource as first read: with its shares packed, unless there are too many. */
type PackedResource = Omit<SeenResource, 'shares' | 'projectId'> & Pick<ResourceDocument, 'packedShares'>;

/** The project and the reader of a read, and the fields to read besides those of every list. */
interface Reading {
  projectId: string;
  subjects: readonly string[];
  also?: Document;
}

/** Returns the projection of a first read. */
function packedProjection({ also }: Pick<Reading, 'also'>): Document {
  return { ...SEEN, packedShares: 1, ...also };
}

/**
 * The engine compares each share with each subject. With more subjects, that takes longer than to read all
 * shares. For 10,000 shares it takes 8 ms with 6 subjects and 340 ms with 2,000; reading them takes 37 ms.
 */
const ENGINE_SUBJECTS_MAX = 200;
const SHARE_FACTS = { id: 1, scope: 1, subject: 1, role: 1, expiresAt: 1 } as const;

/**
 * Reads the resources with too many shares to pack again, as a whole, so that all their fields have the same
 * time.
 */
async function findUnpacked<T extends SeenResource>(
  resources: ScopedCollection<ResourceDocument>,
  ids: string[],
  { projectId, subjects, also }: Reading,
): Promise<Map<string, T>> {
  if (ids.length === 0) return new Map();
  const reachesReader = { $in: ['$$share.subject', { $literal: subjects }] };
  const filtered = { $filter: { input: '$shares', as: 'share', cond: reachesReader } };
  const shares = subjects.length > ENGINE_SUBJECTS_MAX ? SHARE_FACTS : filtered;
  const projection = { ...SEEN, ...also, projectId: 1, shares };
  const found = await resources.find<T>(projectId, { _id: { $in: ids }, ...LIVE }, { projection });
  const known = new Set(subjects);
  const reaching = ({ shares: read }: T) => read.filter(({ subject }) => known.has(subject));
  return new Map(found.map((resource) => [resource._id, { ...resource, shares: reaching(resource) }]));
}

/**
 * Adds to each resource the shares that reach its reader. Omits resources that were deleted in the meantime.
 */
async function unpackResources<T extends SeenResource>(
  resources: ScopedCollection<ResourceDocument>,
  packed: readonly PackedResource[],
  reading: Reading,
): Promise<T[]> {
  const isUnpacked = ({ packedShares }: PackedResource) => packedShares === undefined;
  const unpacked = await findUnpacked<T>(
    resources,
    packed.filter(isUnpacked).map(({ _id }) => _id),
    reading,
  );
  const subjects = new Set(reading.subjects);
  const { projectId } = reading;
  return packed.flatMap((resource) => {
    const { _id, packedShares } = resource;
    if (packedShares === undefined) return unpacked.get(_id) ?? [];
    return Object.assign(resource, {
      projectId,
      shares: unpackShares(packedShares, subjects),
    }) as unknown as T;
  });
}

/** Reads the resources that match a filter, as their reader sees them. */
export async function findSeenResources<T extends SeenResource>(
  resources: ScopedCollection<ResourceDocument>,
  { filter, hint }: { filter: Document; hint?: string },
  reading: Reading,
): Promise<T[]> {
  const options = { projection: packedProjection(reading), ...(hint === undefined ? {} : { hint }) };
  const packed = await resources.find<PackedResource>(reading.projectId, filter, options);
  return unpackResources<T>(resources, packed, reading);
}

/**
 * Reads single resources as one reader sees them. Deleted resources are never found.
 */
export function createSeenReads(resources: ScopedCollection<ResourceDocument>) {
  return {
    /** Returns the resource with its body, as the reader with these subjects sees it. */
    async findSeen(projectId: string, id: string, subjects: readonly string[]): Promise<SeenResource | null> {
      const reading = { projectId, subjects, also: { body: 1 } };
      const options = { projection: packedProjection(reading) };
      const packed = await resources.findOne<PackedResource>(projectId, { _id: id, ...LIVE }, options);
      const [seen = null] = await unpackResources(resources, packed === null ? [] : [packed], reading);
      return seen;
    },

    /** Returns the existing resources with these ids, without bodies, in no particular order. */
    async findManySeen(
      projectId: string,
      ids: readonly string[],
      subjects: readonly string[],
    ): Promise<SeenResource[]> {
      if (ids.length === 0) return [];
      return findSeenResources(
        resources,
        { filter: { _id: { $in: ids }, ...LIVE } },
        { projectId, subjects },
      );
    },
  };
}

/** The sorts of lists: the name in the contract, and the indexed field. */
const SORT_FIELDS = { updatedAt: 'updatedAt', createdAt: 'createdAt', title: 'titleFolded' } as const;
type SortName = keyof typeof SORT_FIELDS;
export const SORT_NAMES: readonly SortName[] = ['updatedAt', 'createdAt', 'title'];

/** Returns the sorted index of the resources that readers may reach, or of all resources of a project. */
export function listIndexName(sort: SortName, isForReaders: boolean): string {
  return isForReaders ? `readers_${sort}` : `project_${sort}`;
}

const DIRECTION: Record<SortName, 1 | -1> = { updatedAt: -1, createdAt: -1, title: 1 };

export const LIST_INDEXES = SORT_NAMES.flatMap((sort): IndexDescription[] => {
  const order = { [SORT_FIELDS[sort]]: DIRECTION[sort], _id: DIRECTION[sort] };
  return [
    { key: { projectId: 1, readers: 1, ...order }, name: listIndexName(sort, true) },
    { key: { projectId: 1, ...order }, name: listIndexName(sort, false) },
  ];
});

/** A position in a sorted list: the sorted value, then the id. Each resource has its own. */
export interface Position {
  value: Date | string;
  id: string;
}

export function positionOf(
  resource: Pick<SeenResource, '_id' | 'title' | 'createdAt' | 'updatedAt'>,
  sort: SortName,
): Position {
  return { value: sort === 'title' ? foldText(resource.title) : resource[sort], id: resource._id };
}

/** Compares texts by their UTF-8 bytes, as the engine does. JavaScript's own order differs beyond U+FFFF. */
function compareTexts(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function compareValues(a: Position['value'], b: Position['value']): number {
  if (a instanceof Date || b instanceof Date) return Number(a) - Number(b);
  return compareTexts(a, b);
}

/** Returns a negative number if `a` comes first in ascending order. Both must have the same sort. */
function comparePositions(a: Position, b: Position): number {
  return compareValues(a.value, b.value) || compareTexts(a.id, b.id);
}

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
export interface Page {
  sort: SortName;
  order: 'asc' | 'desc';
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

function fieldConditions({ search, isPrivate, createdBy, tag, tenantId }: Selection): Document {
  return {
    ...(search === undefined ? {} : { searchText: { $regex: searchPatternOf(search) } }),
    ...(isPrivate === undefined ? {} : { isPrivate }),
    ...(createdBy === undefined ? {} : { createdBy }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(tenantId === undefined ? {} : { tenantId }),
  };
}

/**
 * The bound on the sorted field sets the start in the index. The `$or` orders resources with equal values.
 */
function positionCondition({ sort, order, after }: Page): Document {
  if (after === null) return {};
  const field = SORT_FIELDS[sort];
  const [beyond, from] = order === 'asc' ? (['$gt', '$gte'] as const) : (['$lt', '$lte'] as const);
  return {
    [field]: { [from]: after.value },
    $or: [{ [field]: { [beyond]: after.value } }, { _id: { [beyond]: after.id } }],
  };
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

/** Lists the resources of a project. */
export function createResourceLists(resources: ScopedCollection<ResourceDocument>) {
  return {
    /**
     * Returns one page without bodies. Reads about `limit` documents of any total, unless the fields are
     * selective.
     */
    async findPage(projectId: string, selection: Selection, page: Page): Promise<FoundPage> {
      const { sort, order, limit, subjects } = page;
      const conditions = { ...fieldConditions(selection), ...positionCondition(page) };
      const direction = order === 'asc' ? 1 : -1;
      const by = { [SORT_FIELDS[sort]]: direction, _id: direction } as const;
      const options = { projection: packedProjection({}), sort: by, limit, batchSize: limit } as const;
      const parts = partsOf(selection, sort).map(({ condition, hint }) => {
        const whole = { $and: [condition, conditions] };
        return resources.find<PackedResource>(projectId, whole, { ...options, hint });
      });
      const packed = mergeParts(await Promise.all(parts), page);
      const last = packed.length < limit ? undefined : packed.at(-1);
      const end = last === undefined ? null : positionOf(last, sort);
      return { resources: await unpackResources(resources, packed, { projectId, subjects }), end };
    },

    /** Counts the selected resources, including those of expired shares that are not yet swept. */
    async countSelected(projectId: string, selection: Selection): Promise<number> {
      const { readers, alsoIds } = selection;
      const reached = { readers: { $in: [...(readers ?? [])] } };
      const either =
        alsoIds.length === 0 ? reached : { $or: [reached, { _id: { $in: [...alsoIds] }, ...LIVE }] };
      const conditions = [readers === null ? LIVE : either, fieldConditions(selection)];
      return resources.count(projectId, { $and: conditions });
    },

    /** Returns true if any share in the project has expired and is not yet swept. */
    async hasExpired(projectId: string, now: Date): Promise<boolean> {
      const options = { projection: { _id: 1 }, hint: EXPIRY_INDEX };
      return (await resources.findOne(projectId, { nextExpiryAt: { $lte: now } }, options)) !== null;
    },
  };
}

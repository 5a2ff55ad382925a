import type { Collection, Document, Filter } from 'mongodb';
import { EXPIRY_INDEX, listIndexName, SORT_FIELDS, type SortName } from './indexes.js';
import { comparePositions, positionOf, type Position } from './listPosition.js';
import type { ResourceDocument, SeenResource } from './resourceDocument.js';
import { searchPatternOf } from './searchText.js';
import { packedProjection, unpackResources, type PackedResource } from './seenResources.js';

/** Which resources of a project a list is about. */
export interface Selection {
  /** Those that one of these subjects may reach; null for all of the project. */
  readers: readonly string[] | null;
  /** And these. */
  alsoIds: readonly string[];
  search?: string | undefined;
  isPrivate?: boolean | undefined;
  createdBy?: string | undefined;
  tag?: string | undefined;
  tenantId?: string | undefined;
}

/** Which part of it, and in which order. */
export interface Page {
  sort: SortName;
  order: 'asc' | 'desc';
  /** Where the page before ended. */
  after: Position | null;
  limit: number;
  /** The reader's: shares that reach none of them are left out. */
  subjects: readonly string[];
}

/** More subjects than this in one query, and the engine sorts all that they reach instead of merging sorted parts. */
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

/** The bound on the sorted field alone lets the index begin at the right place; the rest decides among equals. */
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

/** The parts of a selection that the engine can each answer in order from one index. */
function partsOf({ readers, alsoIds }: Selection, sort: SortName): Part[] {
  if (readers === null) return [{ condition: {}, hint: listIndexName(sort, false) }];
  const parts: Part[] = [];
  for (let start = 0; start < readers.length; start += SUBJECTS_PER_QUERY) {
    const subjects = readers.slice(start, start + SUBJECTS_PER_QUERY);
    parts.push({ condition: { readers: { $in: subjects } }, hint: listIndexName(sort, true) });
  }
  if (alsoIds.length > 0) parts.push({ condition: { _id: { $in: alsoIds } }, hint: '_id_' });
  return parts;
}

/** The first of all parts together, each resource once. */
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

/** What a page holds, and where it ends: null when nothing comes after it. */
export interface FoundPage {
  resources: SeenResource[];
  end: Position | null;
}

/** Lists the resources of a project. */
export function createResourceLists(collection: Collection<ResourceDocument>) {
  return {
    /** One page, without bodies. Reads about `limit` documents, however many there are, unless the fields are selective. */
    async findPage(projectId: string, selection: Selection, page: Page): Promise<FoundPage> {
      const { sort, order, limit, subjects } = page;
      const conditions = { ...fieldConditions(selection), ...positionCondition(page) };
      const direction = order === 'asc' ? 1 : -1;
      const by = { [SORT_FIELDS[sort]]: direction, _id: direction } as const;
      const options = { projection: packedProjection({}), sort: by, limit, batchSize: limit } as const;
      const parts = partsOf(selection, sort).map(({ condition, hint }) => {
        const filter: Filter<ResourceDocument> = { $and: [{ projectId }, condition, conditions] };
        return collection.find<PackedResource>(filter, { ...options, hint }).toArray();
      });
      const packed = mergeParts(await Promise.all(parts), page);
      const last = packed.length < limit ? undefined : packed.at(-1);
      const end = last === undefined ? null : positionOf(last, sort);
      return { resources: await unpackResources(collection, packed, { projectId, subjects }), end };
    },

    /** How many there are, shares that have expired but are not yet swept included. */
    async countSelected(projectId: string, selection: Selection): Promise<number> {
      const { readers, alsoIds } = selection;
      const reached = { readers: { $in: [...(readers ?? [])] } };
      const either = alsoIds.length === 0 ? reached : { $or: [reached, { _id: { $in: [...alsoIds] } }] };
      const conditions = [{ projectId }, readers === null ? {} : either, fieldConditions(selection)];
      return collection.countDocuments({ $and: conditions });
    },

    /** Whether any share in the project has expired and is not yet swept. */
    async hasExpired(projectId: string, now: Date): Promise<boolean> {
      const filter = { projectId, nextExpiryAt: { $lte: now } };
      return (await collection.findOne(filter, { projection: { _id: 1 }, hint: EXPIRY_INDEX })) !== null;
    },
  };
}

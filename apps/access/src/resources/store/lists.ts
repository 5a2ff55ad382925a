import {
  addMissingTerms,
  selectionTerms,
  termsOf,
  type FieldOrder,
  type Filters,
  type ListPart,
  type ListSelection,
  type PlatformCollection,
  type Position,
} from '@gatehouse/service';
import type { Document, IndexDescription } from 'mongodb';
import { homeAudienceOf } from '../../decisions/logic/access.js';
import { WITH_PARTS } from '../logic/partedShares.js';
import {
  foldText,
  LIVE,
  searchPatternOf,
  type ResourceDocument,
  type ResourceHeader,
  type SeenResource,
} from './document.js';
import { hasPacked } from './packedShares.js';
import type { PackedResource } from './seen.js';

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

/** The smallest values of the sorted fields. Tombstones and marks of undone copies have none. */
const SMALLEST: Record<SortName, Date | string> = {
  updatedAt: new Date(-8.64e15),
  createdAt: new Date(-8.64e15),
  title: '',
};

/** The resources of a project in an order, of which the sorted index contains all that is needed. */
function sortedPart(sort: SortName): ListPart {
  return { condition: { [SORT_FIELDS[sort]]: { $gte: SMALLEST[sort] } }, hint: listIndexName(sort, false) };
}

/** The position of a resource in a sorted list. */
export function positionOf(
  resource: Pick<SeenResource, '_id' | 'title' | 'createdAt' | 'updatedAt'>,
  sort: SortName,
): Position {
  return { value: sort === 'title' ? foldText(resource.title) : resource[sort], id: resource._id };
}

/** A sort, and its direction. */
interface Order {
  sort: SortName;
  order: 'asc' | 'desc';
}

/** The order as the engine sorts by it. */
export function fieldOrderOf({ sort, order }: Order): FieldOrder {
  return { by: SORT_FIELDS[sort], direction: order === 'asc' ? 1 : -1 };
}

/** The filters of a list. */
interface FieldFilters {
  search?: string | undefined;
  isPrivate?: boolean | undefined;
  createdBy?: string | undefined;
  tag?: string | undefined;
  tenantId?: string | undefined;
}

/** The run of four keeps the terms of descriptions few. */
const RUN = 4;

/** What finds the resources that meet the filters. */
function termFiltersOf({ search, isPrivate, createdBy, tag, tenantId }: FieldFilters): Filters {
  const folded = search === undefined ? undefined : foldText(search);
  return { fields: { isPrivate, createdBy, tag, tenantId }, search: folded, run: RUN };
}

const SOURCES = ['tenantId', 'title', 'description', 'isPrivate', 'tags', 'createdBy'] as const;
type Sources = Pick<ResourceHeader, 'projectId' | (typeof SOURCES)[number]>;

/** Returns the field with the terms of a resource. */
export function termFieldsOf(resource: Sources): Required<Pick<ResourceDocument, 'terms'>> {
  const { projectId, tenantId, title, description, isPrivate, tags, createdBy } = resource;
  const fields = [
    ['isPrivate', isPrivate] as const,
    ['createdBy', createdBy] as const,
    ...tags.map((tag) => ['tag', tag] as const),
    ...(tenantId === null ? [] : [['tenantId', tenantId] as const]),
  ];
  const texts = [foldText(title), foldText(description)];
  return { terms: termsOf(projectId, { fields, texts, run: RUN }) };
}

/** See {@link addMissingTerms}. */
export function addMissingResourceTerms(records: PlatformCollection<ResourceDocument>): Promise<void> {
  const derivation = { records, live: LIVE, scope: 'projectId', sources: SOURCES } as const;
  return addMissingTerms({ ...derivation, termsOf: (resource) => termFieldsOf(resource).terms });
}

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

/** Returns whether a record may reach one of the subjects. What access it gives is decided afterwards. */
function mayReach(subjects: ReadonlySet<string>, ids: ReadonlySet<string>) {
  return (record: Document): boolean => {
    const resource = record as PackedResource;
    const { packedShares, shareParts } = resource;
    const isUnknown = packedShares === undefined || (shareParts !== undefined && subjects.has(WITH_PARTS));
    if (isUnknown || subjects.has(resource.ownerKey) || ids.has(resource._id)) return true;
    const home = homeAudienceOf(resource);
    if (home !== null && subjects.has(home)) return true;
    const inParts = shareParts?.subjects.some((subject) => subjects.has(subject)) ?? false;
    return inParts || hasPacked(packedShares, subjects);
  };
}

/** How a list of very many subjects is read: see {@link ListSelection}. */
function wideParts({ readers, alsoIds }: Selection, sort: SortName): Partial<ListSelection> {
  if (readers === null || readers.length <= SUBJECTS_PER_QUERY) return {};
  const around = sortedPart(sort);
  const mayContain = mayReach(new Set(readers), new Set(alsoIds));
  if (alsoIds.length > 0) return { around, mayContain };
  const condition = { readers: { $in: [...readers] } };
  return { around, mayContain, unordered: { condition, hint: listIndexName(sort, true) } };
}

export function selectionOf(scopeId: string, selection: Selection, sort: SortName): ListSelection {
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

/** Adds the resources that reach one of the readers by a share in a part. */
export function withParted(selection: Selection, ids: readonly string[]): Selection {
  if (ids.length === 0) return selection;
  return { ...selection, alsoIds: [...new Set([...selection.alsoIds, ...ids])] };
}

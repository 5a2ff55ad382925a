import { comparePositions, FilteredLists, retryOnConflict, type ReadLimits } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';
import { factsOf, readersOf } from '../../decisions/logic/access.js';
import { isSingleUser, WITH_PARTS } from '../logic/partedShares.js';
import { EXPIRY_INDEX, type ResourceDocument, type SeenResource } from './document.js';
import {
  fieldOrderOf,
  positionOf,
  selectionOf,
  withParted,
  type FoundPage,
  type Page,
  type Selection,
} from './lists.js';
import { findListedIds, findPartedIds, findUserParts, type PartedResources } from './reachingShares.js';
import { pageProjection, unpackResources, type PackedResource } from './seen.js';
import { resourceIdsOf, type FoundPart } from './shareParts.js';

/** A list of what some readers reach. */
type ReadersSelection = Selection & { readers: readonly string[] };

/** A page as first read, and the parts of its reader, if they were found besides it. */
interface PageRead {
  packed: readonly PackedResource[];
  found?: readonly FoundPart[];
}

/** With shares in more parts, a reader's resources are not all read and sorted for each page. */
const FOUND_MAX = 100;
const PROJECTS_MAX = 10_000;

const isForReaders = (selection: Selection): selection is ReadersSelection => selection.readers !== null;

/** The resources of parts with a share of one of the readers. */
function partedIdsFor(found: readonly FoundPart[], readers: readonly string[]): string[] {
  if (found.length === 0) return [];
  const isReader = new Set(readers);
  return resourceIdsOf(found.filter(({ shares }) => shares.some(({ subject }) => isReader.has(subject))));
}

/** Returns whether a resource, with the shares of its reader, is in a list. */
function isSelectedBy({ readers, alsoIds }: ReadersSelection): (resource: SeenResource) => boolean {
  const wanted = new Set(readers);
  const ids = new Set(alsoIds);
  const isReached = (resource: SeenResource) =>
    readersOf(factsOf('dashboard', resource)).some((reader) => wanted.has(reader));
  return (resource) => ids.has(resource._id) || isReached(resource);
}

/** The first resources of a page, each once, as it was read last. */
function mergeInOrder(
  resources: readonly PackedResource[],
  { sort, limit, ...page }: Page,
): PackedResource[] {
  const { direction } = fieldOrderOf({ sort, ...page });
  const byId = new Map(resources.map((resource) => [resource._id, resource]));
  const positioned = [...byId.values()].map((resource) => ({ resource, at: positionOf(resource, sort) }));
  positioned.sort((a, b) => direction * comparePositions(a.at, b.at));
  return positioned.slice(0, limit).map(({ resource }) => resource);
}

/** Reads the resources of pages, and adds to them what their reader sees. */
function createPackedPages(stores: PartedResources, lists: FilteredLists<ResourceDocument>) {
  return {
    /** Reads a page with the whole lists of parts, unless the parts of its reader are found besides it. */
    readPacked(
      projectId: string,
      selection: Selection,
      { page, found }: { page: Page } & Omit<PageRead, 'packed'>,
    ) {
      const { sort, limit, after } = page;
      return lists.readPage<PackedResource>(selectionOf(projectId, selection, sort), {
        ...fieldOrderOf(page),
        after,
        limit,
        projection: pageProjection(found),
        positionOf: (resource) => positionOf(resource, sort),
      });
    },

    async unpackPage(projectId: string, { packed, found }: PageRead, page: Page): Promise<FoundPage> {
      const { sort, limit, subjects } = page;
      const positions = new Map(packed.map((resource) => [resource._id, positionOf(resource, sort)]));
      const last = packed.length < limit ? undefined : packed.at(-1);
      const end = last === undefined ? null : (positions.get(last._id) ?? null);
      const reading = { projectId, subjects, ...(found === undefined ? {} : { found }) };
      return { resources: await unpackResources(stores, packed, reading), positions, end };
    },
  };
}

/**
 * Reads pages in which resources may have parts. In this order: the resources without parts, the parts, and
 * the resources with parts. Parts are inserted before a resource lists them, and stay if none replaces them,
 * so a resource that moves its shares meanwhile is found in one of the reads. One that no longer lists a part
 * is omitted by the decision about it.
 */
function createPartedPages(stores: PartedResources, lists: FilteredLists<ResourceDocument>) {
  const { readPacked, unpackPage } = createPackedPages(stores, lists);

  /**
   * Reads a page from all resources with parts, in their order, and omits those that reach others alone. Null
   * if few remain.
   */
  async function findAmongAll(projectId: string, selection: ReadersSelection, page: Page) {
    const all = { ...selection, readers: [...selection.readers, WITH_PARTS] };
    const read = await unpackPage(projectId, { packed: await readPacked(projectId, all, { page }) }, page);
    const resources = read.resources.filter(isSelectedBy(selection));
    return read.end === null || 2 * resources.length >= page.limit ? { ...read, resources } : null;
  }

  /** Reads a page of a reader with shares in very many parts. */
  async function findOfMany(projectId: string, selection: ReadersSelection, page: Page): Promise<FoundPage> {
    const among = await findAmongAll(projectId, selection, page);
    if (among !== null) return among;
    const reached = await readPacked(projectId, selection, { page });
    const alsoIds = await findPartedIds(stores, projectId, selection.readers);
    const parted = await readPacked(projectId, { ...selection, readers: [], alsoIds }, { page });
    return unpackPage(projectId, { packed: mergeInOrder([...reached, ...parted], page) }, page);
  }

  return {
    async findWithParts(projectId: string, selection: ReadersSelection, page: Page): Promise<FoundPage> {
      const { readers } = selection;
      const reached = await readPacked(projectId, selection, { page, found: [] });
      const subjects = [...new Set([...page.subjects, ...readers].filter(isSingleUser))];
      const found = await findUserParts(stores, projectId, { subjects, limit: FOUND_MAX + 1 });
      if (found.length > FOUND_MAX) return findOfMany(projectId, selection, page);
      const alsoIds = partedIdsFor(found, readers);
      if (alsoIds.length === 0) return unpackPage(projectId, { packed: reached, found }, page);
      const parted = await readPacked(projectId, { ...selection, readers: [], alsoIds }, { page, found });
      return unpackPage(projectId, { packed: mergeInOrder([...reached, ...parted], page), found }, page);
    },
  };
}

/** Reads pages of lists. */
function createPageReads(stores: PartedResources, lists: FilteredLists<ResourceDocument>) {
  const { readPacked, unpackPage } = createPackedPages(stores, lists);
  const { findWithParts } = createPartedPages(stores, lists);
  /** Projects in which a page had a resource with parts: most have none. */
  const projectsWithParts = new LRUCache<string, true>({ max: PROJECTS_MAX });

  async function findPage(projectId: string, selection: Selection, page: Page): Promise<FoundPage> {
    if (!isForReaders(selection))
      return unpackPage(projectId, { packed: await readPacked(projectId, selection, { page }) }, page);
    if (projectsWithParts.has(projectId)) return findWithParts(projectId, selection, page);
    const all = { ...selection, readers: [...selection.readers, WITH_PARTS] };
    const packed = await readPacked(projectId, all, { page, found: [] });
    if (packed.every(({ shareParts }) => shareParts === undefined))
      return unpackPage(projectId, { packed, found: [] }, page);
    projectsWithParts.set(projectId, true);
    return findWithParts(projectId, selection, page);
  }

  return {
    /** Returns one page without bodies. Reads about `limit` documents of any total. */
    findPage(projectId: string, selection: Selection, page: Page): Promise<FoundPage> {
      return retryOnConflict(() => findPage(projectId, selection, page));
    },
  };
}

/** Lists the resources of a project. */
export function createResourceLists(stores: PartedResources, limits?: ReadLimits) {
  const { resources } = stores;
  const lists = new FilteredLists<ResourceDocument>(resources, limits);
  return {
    ...createPageReads(stores, lists),

    /**
     * Counts the selected resources up to a number, including those of expired shares that are not yet swept.
     */
    async countSelected(projectId: string, selection: Selection, limit: number): Promise<number> {
      const ids = await findListedIds(stores, projectId, selection.readers ?? []);
      const whole = withParted(selection, ids);
      return lists.count(selectionOf(projectId, whole, 'title'), limit);
    },

    /** Returns true if any share in the project has expired and is not yet swept. */
    async hasExpired(projectId: string, now: Date): Promise<boolean> {
      const options = { projection: { _id: 1 }, hint: EXPIRY_INDEX };
      return (await resources.findOne(projectId, { nextExpiryAt: { $lte: now } }, options)) !== null;
    },
  };
}

import { comparePositions, FilteredLists, retryOnConflict, type ReadLimits } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';
import { isSingleUser, WITH_PARTS } from '../logic/partedShares.js';
import { EXPIRY_INDEX, type ResourceDocument } from './document.js';
import {
  fieldOrderOf,
  positionOf,
  selectionOf,
  withParted,
  type FoundPage,
  type Page,
  type Selection,
} from './lists.js';
import { findListedIds, findUserParts, type PartedResources } from './reachingShares.js';
import { pageProjection, unpackResources, type PackedResource } from './seen.js';
import type { FoundPart } from './shareParts.js';

/** The resources of parts with a share of one of the readers. */
function partedIdsFor(found: readonly FoundPart[], readers: readonly string[] | null): string[] {
  const isReader = new Set(readers ?? []);
  const ofReaders = found.filter(({ shares }) => shares.some(({ subject }) => isReader.has(subject)));
  return ofReaders.map(({ resourceId }) => resourceId);
}

/** A page, and the parts of single users that were found before it. */
interface PageRead {
  page: Page;
  found: readonly FoundPart[];
}

const PROJECTS_MAX = 10_000;

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

/** Reads pages of lists. */
function createPageReads(stores: PartedResources, lists: FilteredLists<ResourceDocument>) {
  /** Projects in which a page had a resource with parts: most have none. */
  const projectsWithParts = new LRUCache<string, true>({ max: PROJECTS_MAX });

  function readPacked(projectId: string, selection: Selection, { page, found }: PageRead) {
    const { sort, limit, after } = page;
    return lists.readPage<PackedResource>(selectionOf(projectId, selection, sort), {
      ...fieldOrderOf(page),
      after,
      limit,
      projection: pageProjection(found),
      positionOf: (resource) => positionOf(resource, sort),
    });
  }

  /**
   * Reads a page in which some resources may have parts, with the parts of the single users. In this order:
   * parts are inserted before the resource lists them, and stay if none replaces them, so a resource that
   * moves its shares meanwhile is found in one of the reads.
   */
  async function readWithParts(projectId: string, selection: Selection, page: Page) {
    const { readers } = selection;
    const reached = await readPacked(projectId, selection, { page, found: [] });
    const users = new Set([...page.subjects, ...(readers ?? [])].filter(isSingleUser));
    const found = await findUserParts(stores, projectId, [...users]);
    const alsoIds = partedIdsFor(found, readers);
    if (alsoIds.length === 0) return { packed: reached, found };
    // Those that no longer list the part are omitted by the decision about each.
    const parted = await readPacked(projectId, { ...selection, readers: [], alsoIds }, { page, found });
    return { packed: mergeInOrder([...reached, ...parted], page), found };
  }

  async function readPage(projectId: string, selection: Selection, page: Page) {
    if (projectsWithParts.has(projectId)) return readWithParts(projectId, selection, page);
    const { readers } = selection;
    const all = readers === null ? selection : { ...selection, readers: [...readers, WITH_PARTS] };
    const packed = await readPacked(projectId, all, { page, found: [] });
    if (packed.every(({ shareParts }) => shareParts === undefined)) return { packed, found: [] };
    projectsWithParts.set(projectId, true);
    return readWithParts(projectId, selection, page);
  }

  async function findPage(projectId: string, selection: Selection, page: Page): Promise<FoundPage> {
    const { sort, limit, subjects } = page;
    const { packed, found } = await readPage(projectId, selection, page);
    const positions = new Map(packed.map((resource) => [resource._id, positionOf(resource, sort)]));
    const last = packed.length < limit ? undefined : packed.at(-1);
    const end = last === undefined ? null : (positions.get(last._id) ?? null);
    const reading = { projectId, subjects, found };
    return { resources: await unpackResources(stores, packed, reading), positions, end };
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

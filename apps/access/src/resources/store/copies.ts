import { retryOnConflict, type UndoneMarks } from '@gatehouse/service';
import type { Document, IndexDescription } from 'mongodb';
import {
  foldText,
  HEADER,
  LIVE,
  type ResourceDocument,
  type ResourceHeader,
  type SeenResource,
} from './document.js';
import { withShares } from './headers.js';
import { listIndexName } from './lists.js';
import { findListedIds, type PartedResources } from './reachingShares.js';
import { findSeenResources } from './seen.js';

/** Finds the marks of undone copies. */
export const MARK_INDEX: IndexDescription = { key: { undoneAt: 1 }, name: 'undone_copies', sparse: true };

/** A project in its organization. */
export interface Place {
  organizationId: string;
  projectId: string;
}

/** The largest number of visuals with the same titles. A very common title is not significant. */
const SAME_TITLES_MAX = 200;

/** Reads for migrations, always in one project of one organization. */
function createCopyReads(stores: PartedResources) {
  const { resources } = stores;
  return {
    /** Returns the resources with one of the ids or titles, as their reader sees them. */
    async findTargets(
      { organizationId, projectId }: Place,
      { ids, titles }: { ids: readonly string[]; titles: readonly string[] },
      subjects: readonly string[],
    ): Promise<SeenResource[]> {
      const find = (filter: Document) =>
        findSeenResources(stores, { filter: { organizationId, ...filter } }, { projectId, subjects });
      const partedIds = await findListedIds(stores, projectId, subjects);
      const isSameTitle = {
        organizationId,
        titleFolded: { $in: titles.map(foldText) },
        $or: [{ readers: { $in: [...subjects] } }, { _id: { $in: partedIds } }],
      };
      const sameTitles = await resources.find<Pick<ResourceDocument, '_id'>>(projectId, isSameTitle, {
        projection: { _id: 1 },
        limit: SAME_TITLES_MAX,
        hint: listIndexName('title', false),
      });
      const wanted = [...new Set([...ids, ...sameTitles.map(({ _id }) => _id)])];
      return wanted.length === 0 ? [] : find({ _id: { $in: wanted } });
    },

    /**
     * Returns the resources of this project with one of the ids, in no particular order, with the shares that
     * reach one of the subjects.
     */
    async findHeaders(
      { organizationId, projectId }: Place,
      ids: readonly string[],
      subjects: readonly string[],
    ): Promise<ResourceHeader[]> {
      if (ids.length === 0) return [];
      const condition = { _id: { $in: [...ids] }, organizationId };
      return retryOnConflict(async () => {
        const headers = await resources.find<ResourceHeader>(projectId, condition, { projection: HEADER });
        return withShares(stores, projectId, { headers, needed: { subjects } });
      });
    },

    /**
     * Returns the resources whose body contains one of the ids, except for the given ones, as their reader
     * sees them.
     */
    async findHolding(
      { organizationId, projectId }: Place,
      { ids, exceptIds }: { ids: readonly string[]; exceptIds: readonly string[] },
      subjects: readonly string[],
    ): Promise<SeenResource[]> {
      if (ids.length === 0) return [];
      // Ids contain only letters, digits, hyphens and underscores, so they need no escaping.
      const body = { $regex: `"(${ids.join('|')})"` };
      const filter = { organizationId, _id: { $nin: [...exceptIds] }, body };
      return findSeenResources(stores, { filter }, { projectId, subjects });
    },
  };
}

/** The reads and the marks that only migrations need. */
export function createCopyStore(stores: PartedResources, marks: UndoneMarks) {
  const { resources } = stores;
  return {
    ...createCopyReads(stores),
    marks,
    /** Returns true if the project has no resource with this id. */
    async isGone(projectId: string, id: string): Promise<boolean> {
      const found = await resources.findOne(projectId, { _id: id, ...LIVE }, { projection: { _id: 1 } });
      return found === null;
    },
  };
}

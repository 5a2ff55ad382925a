import type { UserType } from '@gatehouse/contract';
import type { Document, IndexDescription } from 'mongodb';
import type { ResourceDocument } from './document.js';
import { findListedIds, type PartedResources } from './reachingShares.js';

/**
 * The dashboards of a project by id, with their owners, so that one tenant's are found and counted by the
 * index. Visuals need none: their contents are read by id.
 */
export const CONTENTS_INDEX = {
  key: { projectId: 1, _id: 1, ownerType: 1, tenantId: 1 },
  name: 'project_contents',
} satisfies IndexDescription;

/** The resources of a project whose bodies are read. */
export interface ContentSelection {
  ids?: readonly string[] | undefined;
  ownerType?: UserType | undefined;
  tenantId?: string | undefined;
  /** The subjects of which one must reach the resource; null for all resources. */
  readers: readonly string[] | null;
}

/** A resource and its body as JSON text. */
export type StoredContent = Pick<ResourceDocument, '_id' | 'title' | 'tenantId' | 'body'>;

/** The bounds of one read: the resources after an id, up to a count and a number of bytes of bodies. */
export interface ContentBounds {
  afterId: string;
  count: number;
  bytes: number;
}

/**
 * @param partedIds the resources that reach one of the readers by a share in a part
 */
function filterOf(
  { ids, ownerType, tenantId, readers }: ContentSelection,
  partedIds: readonly string[],
): Document {
  const reached = [{ readers: { $in: readers } }, { _id: { $in: partedIds } }];
  return {
    ...(ids === undefined ? {} : { _id: { $in: ids } }),
    // Only resources have an owner. The index of contents contains the field.
    ownerType: ownerType ?? { $gte: '' },
    ...(tenantId === undefined ? {} : { tenantId }),
    ...(readers === null ? {} : partedIds.length === 0 ? reached[0] : { $or: reached }),
  };
}

/** Small, because bodies may be large and the read stops at a bound. */
const BATCH = 25;

/**
 * Returns the index of a project's dashboards in the order of their ids. Given ids are best looked up one by
 * one.
 */
function hintOf({ ids }: ContentSelection): { hint?: string } {
  return ids === undefined ? { hint: CONTENTS_INDEX.name } : {};
}

/** Reads the bodies of resources, in the order of their ids. */
export function createResourceContents(stores: PartedResources) {
  const { resources } = stores;
  const conditionOf = async (projectId: string, selection: ContentSelection): Promise<Document> =>
    filterOf(selection, await findListedIds(stores, projectId, selection.readers ?? []));
  return {
    /**
     * Returns one page, with at least one resource if there is any. `isCut` is true if the page ended at a
     * bound.
     */
    async findContents(
      projectId: string,
      selection: ContentSelection,
      { afterId, count, bytes }: ContentBounds,
    ): Promise<{ found: StoredContent[]; isCut: boolean }> {
      const condition = { $and: [{ _id: { $gt: afterId } }, await conditionOf(projectId, selection)] };
      const options = {
        projection: { title: 1, tenantId: 1, body: 1 },
        sort: { _id: 1 },
        limit: count + 1,
        batchSize: BATCH,
        ...hintOf(selection),
      } as const;
      const found: StoredContent[] = [];
      let bytesLeft = bytes;
      for await (const content of resources.scan<StoredContent>(projectId, condition, options)) {
        bytesLeft -= Buffer.byteLength(content.body ?? '');
        const isOver = found.length === count || (bytesLeft < 0 && found.length > 0);
        if (isOver) return { found, isCut: true };
        found.push(content);
      }
      return { found, isCut: false };
    },

    async countContents(projectId: string, selection: ContentSelection): Promise<number> {
      return resources.count(projectId, await conditionOf(projectId, selection), hintOf(selection));
    },
  };
}

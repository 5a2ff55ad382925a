import type { UserType } from '@gatehouse/contract';
import type { Collection, Document, Filter } from 'mongodb';
import { CONTENTS_INDEX } from './indexes.js';
import type { ResourceDocument } from './resourceDocument.js';

/** Which resources of a project are read with what they hold. */
export interface ContentSelection {
  ids?: readonly string[] | undefined;
  ownerType?: UserType | undefined;
  tenantId?: string | undefined;
  /** Those of the very tenant, and those that one of the subjects may reach, alone; null for all. */
  reach: { tenantKey: string; subjects: readonly string[] } | null;
}

/** A resource and its body as JSON text. */
export type StoredContent = Pick<ResourceDocument, '_id' | 'title' | 'tenantId' | 'ownerTenantKey' | 'body'>;

/** How far one read goes: the resources after an id, until so many, or so many bytes of bodies. */
export interface ContentBounds {
  afterId: string;
  count: number;
  bytes: number;
}

function filterOf({ ids, ownerType, tenantId, reach }: ContentSelection): Document {
  return {
    ...(ids === undefined ? {} : { _id: { $in: ids } }),
    ...(ownerType === undefined ? {} : { ownerType }),
    ...(tenantId === undefined ? {} : { tenantId }),
    ...(reach === null
      ? {}
      : { $or: [{ ownerTenantKey: reach.tenantKey }, { readers: { $in: reach.subjects } }] }),
  };
}

/** Bodies may be large: few are read ahead of the bound. */
const BATCH = 25;

/** The index that has a project's dashboards in the order of their ids; a list of ids is best looked up one by one. */
function hintOf({ ids }: ContentSelection): { hint?: string } {
  return ids === undefined ? { hint: CONTENTS_INDEX } : {};
}

/** Reads what resources hold, in the order of their ids. */
export function createResourceContents(collection: Collection<ResourceDocument>) {
  return {
    /** One page, at least one resource long where there is one; `isCut` when it ended at a bound. */
    async findContents(
      projectId: string,
      selection: ContentSelection,
      { afterId, count, bytes }: ContentBounds,
    ): Promise<{ found: StoredContent[]; isCut: boolean }> {
      const filter: Filter<ResourceDocument> = {
        $and: [{ projectId }, { _id: { $gt: afterId } }, filterOf(selection)],
      };
      const projection = { title: 1, tenantId: 1, ownerTenantKey: 1, body: 1 };
      const options = { projection, batchSize: BATCH, ...hintOf(selection) };
      const cursor = collection.find<StoredContent>(filter, options).sort({ _id: 1 });
      const found: StoredContent[] = [];
      let bytesLeft = bytes;
      try {
        for await (const content of cursor.limit(count + 1)) {
          bytesLeft -= Buffer.byteLength(content.body ?? '');
          const isOver = found.length === count || (bytesLeft < 0 && found.length > 0);
          if (isOver) return { found, isCut: true };
          found.push(content);
        }
        return { found, isCut: false };
      } finally {
        await cursor.close();
      }
    },

    async countContents(projectId: string, selection: ContentSelection): Promise<number> {
      return collection.countDocuments({ $and: [{ projectId }, filterOf(selection)] }, hintOf(selection));
    },
  };
}

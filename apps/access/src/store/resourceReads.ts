import { AppError } from '@gatehouse/contract';
import type { Collection, Document } from 'mongodb';
import { HEADER } from './projections.js';
import type { ResourceDocument, ResourceHeader, SeenResource } from './resourceDocument.js';
import {
  findSeenResources,
  packedProjection,
  unpackResources,
  type PackedResource,
} from './seenResources.js';

/**
 * Reads one resource. The engine answers a question for an id alone in about two thirds of the time that it takes with a
 * second condition, so the project is compared here: a resource of another one is not found.
 */
async function findById<T extends object>(
  collection: Collection<ResourceDocument>,
  { projectId, id }: { projectId: string; id: string },
  projection: Document,
): Promise<T | null> {
  const found = await collection.findOne<T & { projectId: string }>(
    { _id: id },
    { projection: { ...projection, projectId: 1 } },
  );
  return found?.projectId === projectId ? found : null;
}

/** Reads single resources, and the few that a subject reaches. Deleted ones are never found: they have no project. */
export function createResourceReads(collection: Collection<ResourceDocument>) {
  return {
    /** With its body, as the reader of these subjects sees it. */
    async findSeen(projectId: string, id: string, subjects: readonly string[]): Promise<SeenResource | null> {
      const reading = { projectId, subjects, also: { body: 1 } };
      const packed = await findById<PackedResource>(collection, { projectId, id }, packedProjection(reading));
      const [seen = null] = await unpackResources(collection, packed === null ? [] : [packed], reading);
      return seen;
    },

    /** Without their bodies, those of the ids that exist, in no particular order. */
    async findManySeen(
      projectId: string,
      ids: readonly string[],
      subjects: readonly string[],
    ): Promise<SeenResource[]> {
      if (ids.length === 0) return [];
      return findSeenResources(collection, { filter: { _id: { $in: ids } } }, { projectId, subjects });
    },

    /** What the subject owns or is given, the newest first. */
    async findReachedBy(projectId: string, subject: string): Promise<ResourceHeader[]> {
      return collection
        .find<ResourceHeader>({ projectId, readers: subject }, { projection: HEADER })
        .sort({ createdAt: -1, _id: -1 })
        .toArray();
    },

    /** Throws NOT_FOUND. Without the body. */
    async getHeader(projectId: string, id: string): Promise<ResourceHeader> {
      const header = await findById<ResourceHeader>(collection, { projectId, id }, HEADER);
      if (header === null) throw new AppError('NOT_FOUND');
      return header;
    },

    /** Throws NOT_FOUND. */
    async getHeaderWithBody(projectId: string, id: string): Promise<ResourceHeader> {
      const projection = { ...HEADER, body: 1 };
      const header = await findById<ResourceHeader>(collection, { projectId, id }, projection);
      if (header === null) throw new AppError('NOT_FOUND');
      return header;
    },
  };
}

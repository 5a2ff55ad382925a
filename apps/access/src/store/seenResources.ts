import type { Collection, Document } from 'mongodb';
import { unpackShares } from './packedShares.js';
import { SEEN } from './projections.js';
import type { ResourceDocument, SeenResource } from './resourceDocument.js';

/** A resource as it is first read: with its shares packed, unless there are too many. */
export type PackedResource = Omit<SeenResource, 'shares' | 'projectId'> &
  Pick<ResourceDocument, 'packedShares'>;

/** Where and for whom resources are read, and which fields beside those of every list. */
export interface Reading {
  projectId: string;
  subjects: readonly string[];
  also?: Document;
}

/** What to read of a resource at first. */
export function packedProjection({ also }: Pick<Reading, 'also'>): Document {
  return { ...SEEN, packedShares: 1, ...also };
}

/** Reads those again that have too many shares to be packed: whole, so that they are of one moment. */
async function findUnpacked<T extends SeenResource>(
  collection: Collection<ResourceDocument>,
  ids: string[],
  { projectId, subjects, also }: Reading,
): Promise<Map<string, T>> {
  if (ids.length === 0) return new Map();
  const reachesReader = { $in: ['$$share.subject', { $literal: subjects }] };
  const shares = { $filter: { input: '$shares', as: 'share', cond: reachesReader } };
  const projection = { ...SEEN, ...also, projectId: 1, shares };
  const found = await collection.find<T>({ _id: { $in: ids }, projectId }, { projection }).toArray();
  return new Map(found.map((resource) => [resource._id, resource]));
}

/** Gives each resource the shares that reach its reader. Leaves out what has been deleted meanwhile. */
export async function unpackResources<T extends SeenResource>(
  collection: Collection<ResourceDocument>,
  packed: readonly PackedResource[],
  reading: Reading,
): Promise<T[]> {
  const isUnpacked = ({ packedShares }: PackedResource) => packedShares === undefined;
  const unpacked = await findUnpacked<T>(
    collection,
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

/** Reads the resources that match a filter as their reader sees them. */
export async function findSeenResources<T extends SeenResource>(
  collection: Collection<ResourceDocument>,
  { filter, hint }: { filter: Document; hint?: string },
  reading: Reading,
): Promise<T[]> {
  const options = { projection: packedProjection(reading), ...(hint === undefined ? {} : { hint }) };
  const { projectId } = reading;
  const packed = await collection.find<PackedResource>({ ...filter, projectId }, options).toArray();
  return unpackResources<T>(collection, packed, reading);
}

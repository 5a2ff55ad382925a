import { retryOnConflict, WriteConflict, type ScopedCollection } from '@gatehouse/service';
import type { Document } from 'mongodb';
import type { ShareFacts } from '../../decisions/logic/access.js';
import { LIVE, LIVE_FIELD, SEEN, type ResourceDocument, type SeenResource } from './document.js';
import { unpackShares } from './packedShares.js';
import {
  completeReaching,
  listedProjection,
  readReaching,
  type MaybeParted,
  type PartedResources,
} from './reachingShares.js';
import type { FoundPart } from './shareParts.js';

/** A resource as first read: with the shares in its document packed. */
export type PackedResource = Omit<SeenResource, 'shares' | 'projectId'> &
  MaybeParted &
  Pick<ResourceDocument, 'packedShares'>;

/** The project and the reader of a read, and the fields to read besides those of every list. */
interface Reading {
  projectId: string;
  subjects: readonly string[];
  also?: Document;
}

/** Returns the projection of a first read. */
function packedProjection({ also }: Pick<Reading, 'also'>): Document {
  return { ...SEEN, packedShares: 1, shareParts: 1, ...also };
}

/** Returns the projection of a page of a list: with all lists of parts, unless some parts were found. */
export function pageProjection(found?: readonly FoundPart[]): Document {
  return found === undefined
    ? packedProjection({})
    : { ...SEEN, packedShares: 1, ...listedProjection(found) };
}

const SHARE_FACTS = { id: 1, scope: 1, subject: 1, role: 1, expiresAt: 1 } as const;
/** How many of them are read at once: each may have a megabyte of shares. */
const UNPACKED_BATCH = 20;

type Shares = readonly ShareFacts[];

/** Reads the shares of documents in which a former release has written too many to pack. */
async function readUnpacked(
  resources: ScopedCollection<ResourceDocument>,
  projectId: string,
  unpacked: readonly PackedResource[],
): Promise<Map<string, Shares>> {
  const shares = new Map<string, Shares>();
  if (unpacked.length === 0) return shares;
  const ids = unpacked.map(({ _id }) => _id);
  const options = {
    projection: { shares: SHARE_FACTS, 'shareParts.subjects': 1 },
    batchSize: UNPACKED_BATCH,
  };
  const parted = new Set(unpacked.filter(({ shareParts }) => shareParts).map(({ _id }) => _id));
  type Read = MaybeParted & { shares: Shares };
  for await (const read of resources.scan<Read>(projectId, { _id: { $in: ids }, ...LIVE }, options)) {
    // A change has moved the shares to parts.
    if (read.shareParts !== undefined && !parted.has(read._id)) throw new WriteConflict();
    shares.set(read._id, read.shares);
  }
  return shares;
}

/** How resources were read: with {@link pageProjection}, if the parts of the reader were found before. */
interface UnpackReading extends Reading {
  found?: readonly FoundPart[];
}

/**
 * Adds to each resource the shares that reach its reader. Omits resources that were deleted in the meantime.
 * Throws WriteConflict if the resources have to be read again.
 */
export async function unpackResources<T extends SeenResource>(
  stores: PartedResources,
  packed: readonly PackedResource[],
  { projectId, subjects: wanted, found }: UnpackReading,
): Promise<T[]> {
  const isUnpacked = ({ packedShares }: PackedResource) => packedShares === undefined;
  const unpacked = await readUnpacked(stores.resources, projectId, packed.filter(isUnpacked));
  const reach = { read: packed, subjects: wanted };
  const reaching =
    found === undefined
      ? await readReaching(stores, projectId, reach)
      : await completeReaching(stores, projectId, { ...reach, found });
  const subjects = new Set(wanted);
  return packed.flatMap((resource) => {
    const { _id, packedShares } = resource;
    const inDocument =
      packedShares === undefined
        ? unpacked.get(_id)?.filter(({ subject }) => subjects.has(subject))
        : unpackShares(packedShares, subjects);
    if (inDocument === undefined) return [];
    const inParts = reaching.get(_id);
    const shares = inParts === undefined ? inDocument : [...inDocument, ...inParts];
    return Object.assign(resource, { projectId, shares }) as unknown as T;
  });
}

/** Reads the resources that match a filter, as their reader sees them. */
export function findSeenResources<T extends SeenResource>(
  stores: PartedResources,
  { filter, hint }: { filter: Document; hint?: string },
  reading: Reading,
): Promise<T[]> {
  const options = { projection: packedProjection(reading), ...(hint === undefined ? {} : { hint }) };
  return retryOnConflict(async () => {
    const packed = await stores.resources.find<PackedResource>(reading.projectId, filter, options);
    return unpackResources<T>(stores, packed, reading);
  });
}

const EVERY_SUBJECT = { has: () => true };

/** Reads single resources with all of their shares. */
function createWholeReads(stores: PartedResources) {
  const { resources } = stores;
  const findPacked = (projectId: string, id: string) => {
    const projection = { ...packedProjection({}), projectId: 1 };
    return resources.findById<PackedResource>(projectId, id, { live: LIVE_FIELD, projection });
  };
  return {
    /**
     * Returns the resource with all shares in its document, and the list of its parts; null if a former
     * release has written very many, and if there is none.
     */
    async findWhole(projectId: string, id: string): Promise<SeenResource | null> {
      const packed = await findPacked(projectId, id);
      if (packed?.packedShares === undefined) return null;
      return { ...packed, projectId, shares: unpackShares(packed.packedShares, EVERY_SUBJECT) };
    },

    /**
     * Adds to the resource the shares in its parts that reach one of the subjects. Throws WriteConflict if it
     * has changed its parts since it was read.
     */
    async addReaching(
      projectId: string,
      resource: SeenResource,
      subjects: readonly string[],
    ): Promise<SeenResource> {
      const reaching = await readReaching(stores, projectId, { read: [resource], subjects });
      return { ...resource, shares: [...resource.shares, ...(reaching.get(resource._id) ?? [])] };
    },

    /**
     * Returns the resource with all of its shares or, if it has parts, without the shares of single users in
     * them, except for those among the subjects; null if there is none.
     */
    findWholeOrParted(
      projectId: string,
      id: string,
      subjects: readonly string[],
    ): Promise<SeenResource | null> {
      return retryOnConflict(async () => {
        const packed = await findPacked(projectId, id);
        if (packed === null) return null;
        const { packedShares, shareParts } = packed;
        const inDocument =
          packedShares === undefined
            ? ((await readUnpacked(resources, projectId, [packed])).get(id) ?? [])
            : unpackShares(packedShares, EVERY_SUBJECT);
        // The owner has every right without a share.
        const others = subjects.filter((subject) => subject !== packed.ownerKey);
        const wanted = [...others, ...(shareParts?.subjects ?? [])];
        const inParts = await readReaching(stores, projectId, { read: [packed], subjects: wanted });
        return { ...packed, projectId, shares: [...inDocument, ...(inParts.get(id) ?? [])] };
      });
    },
  };
}

/**
 * Reads single resources as one reader sees them. Deleted resources are never found.
 */
export function createSeenReads(stores: PartedResources) {
  const findOneSeen = (id: string, reading: Reading): Promise<SeenResource | null> => {
    const projection = { ...packedProjection(reading), projectId: 1 };
    const wanted = { live: LIVE_FIELD, projection };
    return retryOnConflict(async () => {
      const packed = await stores.resources.findById<PackedResource>(reading.projectId, id, wanted);
      const [seen = null] = await unpackResources(stores, packed === null ? [] : [packed], reading);
      return seen;
    });
  };
  return {
    ...createWholeReads(stores),
    /** Returns the resource without its body, as the reader with these subjects sees it. */
    findSeen(projectId: string, id: string, subjects: readonly string[]): Promise<SeenResource | null> {
      return findOneSeen(id, { projectId, subjects });
    },

    /** Returns the same with its body. */
    findSeenWithBody(
      projectId: string,
      id: string,
      subjects: readonly string[],
    ): Promise<SeenResource | null> {
      return findOneSeen(id, { projectId, subjects, also: { body: 1 } });
    },

    /** Returns the existing resources with these ids, without bodies, in no particular order. */
    async findManySeen(
      projectId: string,
      ids: readonly string[],
      subjects: readonly string[],
    ): Promise<SeenResource[]> {
      if (ids.length === 0) return [];
      return findSeenResources(stores, { filter: { _id: { $in: ids }, ...LIVE } }, { projectId, subjects });
    },
  };
}

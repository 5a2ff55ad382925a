import { orNotFound, retryOnConflict } from '@gatehouse/service';
import type { Document } from 'mongodb';
import type { Share } from '../../sharing/logic/grants.js';
import { countParted, parseParts, partAt, placeOf, type ShareName } from '../logic/partedShares.js';
import { HEADER, LIVE_FIELD, type ResourceHeader } from './document.js';
import { readReaching, type PartedResources } from './reachingShares.js';

export const WITH_BODY = { ...HEADER, body: 1 } as const;

/** The shares that a decision needs: those that reach one of the subjects, and those with these names. */
export interface NeededShares {
  subjects: readonly string[];
  names?: readonly ShareName[];
}

/** Returns the number of all shares of a resource. */
export function countShares({ shares, unreadShares = 0 }: ResourceHeader): number {
  return shares.length + unreadShares;
}

type ReadParts = ReadonlyMap<string, readonly Share[]>;

/** Replaces the list of parts by the parts. A cached header has them. */
function parseList(header: ResourceHeader): ResourceHeader {
  const { list, subjects = [] } = header.shareParts ?? {};
  return list === undefined ? header : { ...header, shareParts: { subjects }, parts: parseParts(list) };
}

/** Adds shares of its parts to a resource that was read with those in its document. */
function addShares(header: ResourceHeader, readParts: ReadParts, reaching: readonly Share[]): ResourceHeader {
  const { parts, shares } = header;
  if (parts === undefined) return header;
  const read = [...readParts.values()].flat();
  const ids = new Set(read.map(({ id }) => id));
  const known = [...read, ...reaching.filter(({ id }) => !ids.has(id))];
  const unreadShares = countParted(parts) - known.length;
  const outside = shares.length === 0 ? {} : { sharesOutside: shares };
  return { ...header, ...outside, shares: [...known, ...shares], unreadShares, readParts };
}

/** Returns the ids of the parts in which the named shares are or would be; without names, of all parts. */
function namedPartIds({ parts = [] }: ResourceHeader, names?: readonly ShareName[]): string[] {
  if (names === undefined) return parts.map(({ id }) => id);
  const indexes = new Set(names.map((name) => partAt(parts, placeOf(name))));
  return parts.filter((_, index) => indexes.has(index)).map(({ id }) => id);
}

/**
 * Adds to each resource of a project the shares that a decision needs; all of them by default. Throws
 * WriteConflict if a resource has changed its parts since it was read.
 */
export async function withShares(
  stores: PartedResources,
  projectId: string,
  { headers: read, needed }: { headers: readonly ResourceHeader[]; needed?: NeededShares | undefined },
): Promise<ResourceHeader[]> {
  const headers = read.map(parseList);
  const { subjects = [] } = needed ?? {};
  const names = needed === undefined ? undefined : (needed.names ?? []);
  const byPart = headers.map((header) => namedPartIds(header, names));
  const [reaching, named] = await Promise.all([
    readReaching(stores, projectId, { read: headers, subjects }),
    stores.parts.readShares(projectId, byPart.flat()),
  ]);
  return headers.map((header, index) => {
    const readParts = new Map((byPart[index] ?? []).map((id) => [id, named.get(id) ?? []]));
    return addShares(header, readParts, reaching.get(header._id) ?? []);
  });
}

/** Reads resources with their shares, to change them. */
export function createHeaderReads(stores: PartedResources) {
  interface Wanted {
    projection: Document;
    needed: NeededShares | undefined;
  }
  /**
   * Adds the needed shares to a header without those in its parts. Throws WriteConflict if its parts were
   * replaced.
   */
  async function addNeeded(header: ResourceHeader, needed?: NeededShares): Promise<ResourceHeader> {
    if (header.shareParts === undefined) return header;
    const [read = header] = await withShares(stores, header.projectId, { headers: [header], needed });
    return read;
  }
  const getOne = (projectId: string, id: string, { projection, needed }: Wanted) =>
    retryOnConflict(async () => {
      const wanted = { live: LIVE_FIELD, projection };
      const header = orNotFound(await stores.resources.findById<ResourceHeader>(projectId, id, wanted));
      return addNeeded(header, needed);
    });
  return {
    addNeeded,

    /** Returns the header without the body, with the needed shares: by default all. Throws NOT_FOUND. */
    getHeader(projectId: string, id: string, needed?: NeededShares): Promise<ResourceHeader> {
      return getOne(projectId, id, { projection: HEADER, needed });
    },

    /** Throws NOT_FOUND. */
    getHeaderWithBody(projectId: string, id: string, needed?: NeededShares): Promise<ResourceHeader> {
      return getOne(projectId, id, { projection: WITH_BODY, needed });
    },
  };
}

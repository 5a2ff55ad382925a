import type { ResourceType } from '@gatehouse/contract';
import { PlatformCollection, ScopedCollection, WriteConflict } from '@gatehouse/service';
import type { Db, IndexDescription } from 'mongodb';
import type { Share } from '../../sharing/logic/grants.js';

interface PartFields {
  _id: string;
  organizationId: string;
  projectId: string;
  resourceId: string;
}

/**
 * A part of the shares of a resource with very many. It never changes: a change of shares replaces the part.
 * It counts while its resource lists it, so a resource and its parts change with one write, that of the
 * resource.
 */
export interface SharePartDocument extends PartFields {
  subjects: readonly string[];
  /** The shares as JSON text: they are parsed faster than a document for each. */
  shares: string;
}

/**
 * Names the parts that a change adds and replaces. It is written before them and deleted after them, so the
 * sweep finds what an interrupted change has left behind.
 */
export interface PendingChange extends PartFields {
  partIds: readonly string[];
  pendingAt: Date;
}

/** A part with some of its shares, whether or not its resource lists it. */
export interface FoundPart extends Pick<SharePartDocument, '_id' | 'resourceId'> {
  shares: readonly Share[];
}

/** The collection of the parts of each type of resource. */
export const PART_COLLECTIONS: Record<ResourceType, string> = {
  dashboard: 'dashboardShareParts',
  visual: 'visualShareParts',
};

const SUBJECT_INDEX = 'bySubject';
const PENDING_INDEX = 'pending';

export const PART_INDEXES: IndexDescription[] = [
  // The key of a user or a group is unique, so the subject comes first: it also serves all projects.
  { key: { subjects: 1, projectId: 1, resourceId: 1 }, name: SUBJECT_INDEX },
  { key: { pendingAt: 1 }, name: PENDING_INDEX, sparse: true },
];

type PartOfResource = Pick<SharePartDocument, '_id' | 'resourceId'>;
type FoundId = Pick<SharePartDocument, 'resourceId'>;
/** The index contains all fields. */
const RESOURCE_ID = { projection: { _id: 0, resourceId: 1 }, hint: SUBJECT_INDEX } as const;
const idsIn = (found: readonly FoundId[]) => [...new Set(found.map(({ resourceId }) => resourceId))];

type StoredShare = Omit<Share, 'createdAt' | 'expiresAt'> & { createdAt: string; expiresAt: string | null };

function sharesOf(text: string): Share[] {
  return (JSON.parse(text) as StoredShare[]).map((share) =>
    Object.assign(share, {
      createdAt: new Date(share.createdAt),
      expiresAt: share.expiresAt === null ? null : new Date(share.expiresAt),
    }),
  );
}

/** Returns the fields of a part with these shares. */
export function partFields(shares: readonly Share[]): Pick<SharePartDocument, 'subjects' | 'shares'> {
  const subjects = [...new Set(shares.map(({ subject }) => subject))];
  return { subjects, shares: JSON.stringify(shares) };
}

/** A part has about 15 KB. Fifty of them are parsed in some milliseconds. */
const BATCH = 50;

function openCollections(database: Db, type: ResourceType) {
  const collection = PART_COLLECTIONS[type];
  type Stored = SharePartDocument & PendingChange;
  return {
    parts: new ScopedCollection<Stored>(database, { collection, scope: 'projectId' }),
    ofOrganization: new ScopedCollection<Stored>(database, { collection, scope: 'organizationId' }),
    platform: new PlatformCollection<Stored>(database, collection),
  };
}

type Collections = ReturnType<typeof openCollections>;

function createPartReads({ parts, ofOrganization }: Omit<Collections, 'platform'>) {
  return {
    /** Returns the shares of parts by the ids of the parts. Throws WriteConflict if one was replaced. */
    async readShares(projectId: string, ids: readonly string[]): Promise<Map<string, readonly Share[]>> {
      const found = new Map<string, readonly Share[]>();
      if (ids.length === 0) return found;
      const options = { projection: { shares: 1 }, batchSize: BATCH };
      for await (const { _id, shares } of parts.scan(projectId, { _id: { $in: ids } }, options))
        found.set(_id, sharesOf(shares));
      if (ids.some((id) => !found.has(id))) throw new WriteConflict();
      return found;
    },

    /** Returns the shares of some resources that reach one of the subjects, with their parts. */
    async findReaching(
      projectId: string,
      resourceIds: readonly string[],
      subjects: readonly string[],
    ): Promise<FoundPart[]> {
      if (resourceIds.length === 0 || subjects.length === 0) return [];
      const condition = { subjects: { $in: subjects }, resourceId: { $in: resourceIds } };
      const options = { projection: { resourceId: 1, shares: 1 }, hint: SUBJECT_INDEX, batchSize: BATCH };
      const wanted = new Set(subjects);
      const found: FoundPart[] = [];
      for await (const { _id, resourceId, shares } of parts.scan(projectId, condition, options)) {
        const reaching = sharesOf(shares).filter(({ subject }) => wanted.has(subject));
        found.push({ _id, resourceId, shares: reaching });
      }
      return found;
    },

    /**
     * Returns the resources of the project of which a part has a share that reaches one of the subjects,
     * whether or not the resource lists the part. The index alone is read.
     */
    async findResourceIds(projectId: string, subjects: readonly string[]): Promise<string[]> {
      if (subjects.length === 0) return [];
      return idsIn(await parts.find<FoundId>(projectId, { subjects: { $in: subjects } }, RESOURCE_ID));
    },

    /** Returns the parts with a share that reaches one of the subjects, and their resources. */
    async findOfSubjects(projectId: string, subjects: readonly string[]): Promise<PartOfResource[]> {
      if (subjects.length === 0) return [];
      const options = { projection: { resourceId: 1 }, hint: SUBJECT_INDEX };
      return parts.find<PartOfResource>(projectId, { subjects: { $in: subjects } }, options);
    },

    /** Returns the ids of the resources of all projects of an organization with such a part. */
    async findResourceIdsOfOrganization(organizationId: string, subject: string): Promise<string[]> {
      return idsIn(await ofOrganization.find<FoundId>(organizationId, { subjects: subject }, RESOURCE_ID));
    },
  };
}

/** Opens the parts of the shares of one type of resource. */
export function createShareParts(database: Db, type: ResourceType) {
  const { platform, ...collections } = openCollections(database, type);
  const { parts } = collections;
  return {
    ...createPartReads(collections),

    /** Inserts the record of a change, and then parts that no resource lists yet. */
    async insert(change: PendingChange, added: readonly SharePartDocument[]): Promise<void> {
      const documents = [change, ...added] as (SharePartDocument & PendingChange)[];
      await parts.insertMany(change.projectId, documents);
    },

    /** Deletes parts that no resource lists, and then the record of the change. */
    async delete({ _id, projectId }: Pick<PendingChange, '_id' | 'projectId'>, ids: readonly string[]) {
      if (ids.length > 0) await parts.deleteMany(projectId, { _id: { $in: ids } });
      await parts.deleteMany(projectId, { _id });
    },

    /** Returns changes of all organizations that began before a time, the earliest first. */
    findPending(before: Date, limit: number): Promise<PendingChange[]> {
      const options = { hint: PENDING_INDEX, sort: { pendingAt: 1 }, limit } as const;
      return platform.find<PendingChange>({ pendingAt: { $lte: before } }, options);
    },
  };
}

export type ShareParts = ReturnType<typeof createShareParts>;

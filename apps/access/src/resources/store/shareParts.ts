import type { AccessLevel, ResourceType, ShareScope } from '@gatehouse/contract';
import { CallBatcher, newKey, PlatformCollection, ScopedCollection, WriteConflict } from '@gatehouse/service';
import type { Db, Document, IndexDescription } from 'mongodb';
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
  /** The shares as texts by subject, so that a reader's share is read without the others. */
  shares: Readonly<Record<string, string>>;
}

/**
 * Names the parts that a change adds and replaces. It is written before them and deleted after them, so the
 * sweep finds what an interrupted change has left behind.
 */
export interface PendingChange extends PartFields {
  partIds: readonly string[];
  pendingAt: Date;
}

/** Returns an id that comes after those of all parts, so that the engine deletes the record last. */
export const newPendingId = (): string => `~${newKey()}`;

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

/** A share as JSON text, in this order. */
type StoredShare = [
  id: string,
  scope: ShareScope,
  targetId: string | null,
  tenantKey: string | null,
  role: AccessLevel,
  expiresAt: number | null,
  createdAt: number,
  createdBy: string,
];

function textOf(share: Share): string {
  const { id, scope, targetId, tenantKey, role, expiresAt, createdAt, createdBy } = share;
  const times = [expiresAt?.getTime() ?? null, createdAt.getTime()] as const;
  const stored: StoredShare = [id, scope, targetId, tenantKey, role, ...times, createdBy];
  return JSON.stringify(stored);
}

function shareOf([subject, text]: readonly [string, string]): Share {
  const [id, scope, targetId, tenantKey, role, expiry, creation, createdBy] = JSON.parse(text) as StoredShare;
  const times = { expiresAt: expiry === null ? null : new Date(expiry), createdAt: new Date(creation) };
  return { id, scope, subject, targetId, tenantKey, role, ...times, createdBy };
}

/** Returns the fields of a part with these shares, of which no two have the same subject. */
export function partFields(shares: readonly Share[]): Pick<SharePartDocument, 'subjects' | 'shares'> {
  const texts = shares.map((share) => [share.subject, textOf(share)] as const);
  return { subjects: shares.map(({ subject }) => subject), shares: Object.fromEntries(texts) };
}

/** With more subjects, a part is read as a whole. */
const PROJECTED_MAX = 100;

/** Projects the shares of some subjects. */
function projectionOf(subjects: readonly string[]): Document {
  const isFew = subjects.length <= PROJECTED_MAX;
  const shares = isFew ? subjects.map((subject) => [`shares.${subject}`, 1]) : [['shares', 1]];
  return { resourceId: 1, ...Object.fromEntries(shares) };
}

/** A change of shares reads the parts of a few shares. Concurrent ones share a query. */
const TOGETHER_MAX = 4;

/** A part has about 10 KB. A hundred of them are parsed in some milliseconds. */
const BATCH = 100;

type Stored = SharePartDocument & PendingChange;

function openCollections(database: Db, type: ResourceType) {
  const collection = PART_COLLECTIONS[type];
  return {
    parts: new ScopedCollection<Stored>(database, { collection, scope: 'projectId' }),
    ofOrganization: new ScopedCollection<Stored>(database, { collection, scope: 'organizationId' }),
    platform: new PlatformCollection<Stored>(database, collection),
  };
}

type Collections = ReturnType<typeof openCollections>;

type OfResource = Pick<SharePartDocument, 'resourceId'>;
const IDS = { projection: { _id: 0, resourceId: 1 }, hint: SUBJECT_INDEX } as const;

/** Returns the resources of some parts, each once. */
export const resourceIdsOf = (parts: readonly OfResource[]): string[] => [
  ...new Set(parts.map(({ resourceId }) => resourceId)),
];

function createPartReads({ parts, ofOrganization }: Omit<Collections, 'platform'>) {
  async function readAll(projectId: string, ids: readonly string[]) {
    const found = new Map<string, readonly Share[]>();
    const options = { projection: { shares: 1 }, batchSize: BATCH };
    for await (const { _id, shares } of parts.scan(projectId, { _id: { $in: [...new Set(ids)] } }, options))
      found.set(_id, Object.entries(shares).map(shareOf));
    return found;
  }
  const together = new CallBatcher((projectId: string) => projectId, readAll);
  return {
    /**
     * Returns the shares of parts by the ids of the parts, in their order. Throws WriteConflict if a part was
     * replaced.
     */
    async readShares(projectId: string, ids: readonly string[]): Promise<Map<string, readonly Share[]>> {
      if (ids.length === 0) return new Map();
      const isFew = ids.length <= TOGETHER_MAX;
      const found = await (isFew ? together.load(projectId, ids) : readAll(projectId, ids));
      return new Map(
        ids.map((id) => {
          const shares = found.get(id);
          if (shares === undefined) throw new WriteConflict();
          return [id, shares];
        }),
      );
    },

    /**
     * Returns the parts with a share that reaches one of the subjects: all, those of some resources, or at
     * most as many as the limit.
     */
    async findReaching(
      projectId: string,
      subjects: readonly string[],
      { resourceIds, limit }: { resourceIds?: readonly string[]; limit?: number } = {},
    ): Promise<FoundPart[]> {
      if (subjects.length === 0) return [];
      const isOf = resourceIds === undefined ? {} : { resourceId: { $in: resourceIds } };
      const condition = { subjects: { $in: subjects }, ...isOf };
      const most = limit === undefined ? { batchSize: BATCH } : { batchSize: limit, limit };
      const options = { projection: projectionOf(subjects), hint: SUBJECT_INDEX, ...most };
      const wanted = new Set(subjects);
      const found: FoundPart[] = [];
      for await (const { _id, resourceId, shares } of parts.scan(projectId, condition, options)) {
        const reaching = Object.entries(shares).filter(([subject]) => wanted.has(subject));
        found.push({ _id, resourceId, shares: reaching.map(shareOf) });
      }
      return found;
    },

    /** Returns the ids of the resources of a project with such a part. The index alone answers. */
    async findResourceIds(projectId: string, subjects: readonly string[]): Promise<string[]> {
      if (subjects.length === 0) return [];
      const condition = { subjects: { $in: subjects } };
      return resourceIdsOf(await parts.find<OfResource>(projectId, condition, IDS));
    },

    /** Returns the same for one subject and all projects of an organization. */
    async findAllResourceIds(organizationId: string, subject: string): Promise<string[]> {
      return resourceIdsOf(await ofOrganization.find<OfResource>(organizationId, { subjects: subject }, IDS));
    },
  };
}

/** Concurrent changes in a project share their commands. */
function createPartWrites({ parts }: Pick<Collections, 'parts'>) {
  const inserts = new CallBatcher(
    (projectId: string) => projectId,
    (projectId, documents: Stored[]) => parts.insertMany(projectId, documents),
  );
  const deletions = new CallBatcher(
    (projectId: string) => projectId,
    (projectId, ids: string[]) => parts.deleteMany(projectId, { _id: { $in: ids } }),
  );
  return {
    /** Inserts the record of a change, and then parts that no resource lists yet. */
    async insert(change: PendingChange, added: readonly SharePartDocument[]): Promise<void> {
      await inserts.load(change.projectId, [change, ...added] as Stored[]);
    },

    /** Deletes parts that no resource lists, and then the record of the change, in the order of their ids. */
    async delete({ _id, projectId }: Pick<PendingChange, '_id' | 'projectId'>, ids: readonly string[]) {
      await deletions.load(projectId, [...ids, _id]);
    },
  };
}

/** Opens the parts of the shares of one type of resource. */
export function createShareParts(database: Db, type: ResourceType) {
  const { platform, ...collections } = openCollections(database, type);
  return {
    ...createPartWrites(collections),
    ...createPartReads(collections),

    /** Returns changes of all organizations that began before a time, the earliest first. */
    findPending(before: Date, limit: number): Promise<PendingChange[]> {
      const options = { hint: PENDING_INDEX, sort: { pendingAt: 1 }, limit } as const;
      return platform.find<PendingChange>({ pendingAt: { $lte: before } }, options);
    },
  };
}

export type ShareParts = ReturnType<typeof createShareParts>;

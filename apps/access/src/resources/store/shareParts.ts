import { PlatformCollection, ScopedCollection, WriteConflict } from '@gatehouse/service';
import type { ResourceType } from '@gatehouse/contract';
import type { Db, Document, IndexDescription } from 'mongodb';
import type { Share } from '../../sharing/logic/grants.js';

/**
 * A part of the shares of a resource with very many. Its shares never change: a change of shares replaces the
 * part. It counts while its resource lists it, so a resource and its parts change with one write, that of the
 * resource.
 */
export interface SharePartDocument {
  _id: string;
  organizationId: string;
  projectId: string;
  resourceId: string;
  shares: readonly Share[];
  /** When its resource was about to list it or to omit it; absent once the resource certainly lists it. */
  pendingAt?: Date;
}

/** A part without its shares. */
export type MarkedPart = Omit<SharePartDocument, 'shares'> & Required<Pick<SharePartDocument, 'pendingAt'>>;

/** A part with some of its shares, whether or not its resource lists it. */
export type FoundPart = Pick<SharePartDocument, '_id' | 'resourceId' | 'shares'>;

/** The collection of the parts of each type of resource. */
export const PART_COLLECTIONS: Record<ResourceType, string> = {
  dashboard: 'dashboardShareParts',
  visual: 'visualShareParts',
};

const SUBJECT_INDEX = 'bySubject';
const PENDING_INDEX = 'pending';

export const PART_INDEXES: IndexDescription[] = [
  // The key of a user or a group is unique, so the subject comes first: it also serves all projects.
  { key: { 'shares.subject': 1, projectId: 1, resourceId: 1 }, name: SUBJECT_INDEX },
  { key: { pendingAt: 1 }, name: PENDING_INDEX, sparse: true },
];

/** With more subjects, the shares are compared here: the engine compares each share with each subject. */
const ENGINE_SUBJECTS_MAX = 200;
/** A part has about 40 KB. Twenty of them are parsed in some milliseconds. */
const BATCH = 20;

type PartOfResource = Pick<SharePartDocument, '_id' | 'resourceId'>;
type FoundId = Pick<SharePartDocument, 'resourceId'>;
/** The index contains all fields. */
const RESOURCE_ID = { projection: { _id: 0, resourceId: 1 }, hint: SUBJECT_INDEX } as const;
const idsIn = (found: readonly FoundId[]) => [...new Set(found.map(({ resourceId }) => resourceId))];

/** Opens the parts of the shares of one type of resource. */
export function createShareParts(database: Db, type: ResourceType) {
  const collection = PART_COLLECTIONS[type];
  const parts = new ScopedCollection<SharePartDocument>(database, { collection, scope: 'projectId' });
  const ofOrganization = new ScopedCollection<SharePartDocument>(database, {
    collection,
    scope: 'organizationId',
  });
  const platform = new PlatformCollection<SharePartDocument>(database, collection);
  return {
    /** Returns the shares of parts by the ids of the parts. Throws WriteConflict if one was replaced. */
    async readShares(projectId: string, ids: readonly string[]): Promise<Map<string, readonly Share[]>> {
      const found = new Map<string, readonly Share[]>();
      if (ids.length === 0) return found;
      const options = { projection: { shares: 1 }, batchSize: BATCH };
      for await (const { _id, shares } of parts.scan(projectId, { _id: { $in: ids } }, options))
        found.set(_id, shares);
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
      const reaches: Document = { $in: ['$$this.subject', { $literal: subjects }] };
      const isFew = subjects.length <= ENGINE_SUBJECTS_MAX;
      const shares = isFew ? { $filter: { input: '$shares', cond: reaches } } : 1;
      const condition = { 'shares.subject': { $in: subjects }, resourceId: { $in: resourceIds } };
      const options = { projection: { resourceId: 1, shares }, hint: SUBJECT_INDEX, batchSize: BATCH };
      const wanted = new Set(subjects);
      const found: FoundPart[] = [];
      for await (const part of parts.scan<FoundPart>(projectId, condition, options))
        found.push({ ...part, shares: part.shares.filter(({ subject }) => wanted.has(subject)) });
      return found;
    },

    /**
     * Returns the resources of the project of which a part has a share that reaches one of the subjects, whether
     * or not the resource lists the part. The index alone is read.
     */
    async findResourceIds(projectId: string, subjects: readonly string[]): Promise<string[]> {
      if (subjects.length === 0) return [];
      const condition = { 'shares.subject': { $in: subjects } };
      return idsIn(await parts.find<FoundId>(projectId, condition, RESOURCE_ID));
    },

    /** Returns the parts with a share that reaches one of the subjects, and their resources. */
    async findOfSubjects(projectId: string, subjects: readonly string[]): Promise<PartOfResource[]> {
      if (subjects.length === 0) return [];
      const options = { projection: { resourceId: 1 }, hint: SUBJECT_INDEX };
      return parts.find<PartOfResource>(projectId, { 'shares.subject': { $in: subjects } }, options);
    },

    /** Returns the ids of the resources of all projects of an organization with such a part. */
    async findResourceIdsOfOrganization(organizationId: string, subject: string): Promise<string[]> {
      const condition = { 'shares.subject': subject };
      return idsIn(await ofOrganization.find<FoundId>(organizationId, condition, RESOURCE_ID));
    },

    /** Inserts parts that no resource lists yet. */
    async insert(projectId: string, documents: readonly SharePartDocument[]): Promise<void> {
      if (documents.length > 0) await parts.insertMany(projectId, documents);
    },

    /** Marks parts that their resource may soon no longer list. */
    async markPending(projectId: string, ids: readonly string[], now: Date): Promise<void> {
      if (ids.length === 0) return;
      await parts.updateMany(projectId, { _id: { $in: ids } }, { update: { $set: { pendingAt: now } } });
    },

    /** Removes a mark from parts that their resource lists; not a later one. */
    async confirm(projectId: string, ids: readonly string[], pendingAt: Date): Promise<void> {
      if (ids.length === 0) return;
      const update = { $unset: { pendingAt: true } } as const;
      await parts.updateMany(projectId, { _id: { $in: ids }, pendingAt }, { update });
    },

    /** Deletes parts that no resource lists. */
    async delete(projectId: string, ids: readonly string[]): Promise<void> {
      if (ids.length > 0) await parts.deleteMany(projectId, { _id: { $in: ids } });
    },

    /** Returns parts of all organizations that were marked before a time, the earliest first. */
    findPending(before: Date, limit: number): Promise<MarkedPart[]> {
      const options = { projection: { shares: 0 }, hint: PENDING_INDEX, sort: { pendingAt: 1 }, limit } as const;
      return platform.find({ pendingAt: { $lte: before } }, options);
    },
  };
}

export type ShareParts = ReturnType<typeof createShareParts>;

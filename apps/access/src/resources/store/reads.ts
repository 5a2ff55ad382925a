import { retryOnConflict, type PlatformCollection } from '@gatehouse/service';
import type { IndexDescription } from 'mongodb';
import { EXPIRY_INDEX, HEADER, LIVE, type ResourceDocument, type ResourceHeader } from './document.js';
import { withShares } from './headers.js';
import { addMissingResourceTerms } from './lists.js';
import { findPartedIds, listsPart, type MaybeParted, type PartedResources } from './reachingShares.js';
import type { PendingChange } from './shareParts.js';

export const ORGANIZATION_READERS_INDEX = 'organization_readers';

export const READ_INDEXES: IndexDescription[] = [
  { key: { organizationId: 1, readers: 1, _id: 1 }, name: ORGANIZATION_READERS_INDEX },
  { key: { nextExpiryAt: 1 }, name: EXPIRY_INDEX, sparse: true },
];

/** A change is this old before the sweep looks at it: it has ended then. */
const PENDING_MS = 60_000;
const PENDING_BATCH = 100;

/** Where a resource is. */
export type ResourcePlace = Pick<ResourceHeader, '_id' | 'projectId'>;

/** A place in a list by creation. */
export interface CreationPosition {
  createdAt: Date;
  id: string;
}

/** The part of a list of headers that is read. */
export interface HeaderPage<P> {
  after?: P | null | undefined;
  limit: number;
  /** The subjects of which a decision needs the shares. */
  subjects?: readonly string[];
}

/** Reads the resources of a project that one subject reaches. */
export function createResourceReads(stores: PartedResources) {
  return {
    /**
     * Returns the resources that the subject owns or has access to after a position, the newest first. Of
     * very many shares, they have those of the subject and of the given ones.
     */
    async findReachedBy(
      projectId: string,
      subject: string,
      { after, limit, subjects = [] }: HeaderPage<CreationPosition>,
    ): Promise<ResourceHeader[]> {
      const options = { projection: HEADER, sort: { createdAt: -1, _id: -1 }, limit } as const;
      const { createdAt, id } = after ?? {};
      const isAfter = { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: id } }] };
      return retryOnConflict(async () => {
        const partedIds = await findPartedIds(stores, projectId, [subject]);
        const inParts = { $or: [{ readers: subject }, { _id: { $in: partedIds } }] };
        const reached = partedIds.length === 0 ? { readers: subject } : inParts;
        const condition = { $and: [reached, after ? isAfter : {}] };
        const headers = await stores.resources.find<ResourceHeader>(projectId, condition, options);
        return withShares(stores, projectId, { headers, needed: { subjects: [subject, ...subjects] } });
      });
    },
  };
}

/** The fields that check a dashboard's secret and locate the dashboard. */
type SecretHolder = Pick<
  ResourceDocument,
  | '_id'
  | 'projectId'
  | 'organizationId'
  | 'ownerTenantKey'
  | 'secretHash'
  | 'secretTenantKey'
  | 'secretDomainAccess'
>;

/**
 * Reads of the platform itself, without a principal, so no organization limits them. No principal gets their
 * results.
 */
export function createPlatformReads(
  platform: PlatformCollection<ResourceDocument>,
  { resources, parts }: PartedResources,
) {
  /** Returns the resource; null if it was deleted. */
  const touch = ({ projectId, resourceId }: PendingChange) =>
    resources.findOneAndUpdate<MaybeParted>(
      projectId,
      { _id: resourceId, ...LIVE },
      { update: { $inc: { revision: 1 } }, projection: { 'shareParts.list': 1 } },
    );
  return {
    addMissingTerms: () => addMissingResourceTerms(platform),

    /** Returns the dashboard for the check of a secret, before the caller is authenticated. */
    async findSecretHolder(id: string): Promise<SecretHolder | null> {
      const projection = {
        projectId: 1,
        organizationId: 1,
        ownerTenantKey: 1,
        secretHash: 1,
        secretTenantKey: 1,
        secretDomainAccess: 1,
      };
      return platform.findOne<SecretHolder>({ _id: id, secretHash: { $exists: true } }, { projection });
    },

    /** Returns the places of resources with an expired share, the earliest expiry first. */
    async findExpired(now: Date, limit: number): Promise<ResourcePlace[]> {
      return platform.find<ResourcePlace>(
        { nextExpiryAt: { $lte: now } },
        { projection: { projectId: 1 }, hint: EXPIRY_INDEX, sort: { nextExpiryAt: 1 }, limit },
      );
    },

    /**
     * Deletes the parts of shares that changes left behind when they failed or were interrupted. Touching the
     * resource ends every change that has read it, so none of them lists such a part later.
     */
    async settleParts(now: Date): Promise<void> {
      const before = new Date(now.getTime() - PENDING_MS);
      let pending: PendingChange[];
      do {
        pending = await parts.findPending(before, PENDING_BATCH);
        for (const change of pending) {
          const resource = await touch(change);
          const isUnlisted = (id: string) => resource === null || !listsPart(resource, id);
          await parts.delete(change, change.partIds.filter(isUnlisted));
        }
      } while (pending.length === PENDING_BATCH);
    },
  };
}

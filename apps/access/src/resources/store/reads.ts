import type { PlatformCollection, ScopedCollection } from '@gatehouse/service';
import type { IndexDescription } from 'mongodb';
import { EXPIRY_INDEX, HEADER, type ResourceDocument, type ResourceHeader } from './document.js';
import { addMissingResourceTerms } from './lists.js';

const ORGANIZATION_READERS_INDEX = 'organization_readers';

export const READ_INDEXES: IndexDescription[] = [
  { key: { organizationId: 1, readers: 1, _id: 1 }, name: ORGANIZATION_READERS_INDEX },
  { key: { nextExpiryAt: 1 }, name: EXPIRY_INDEX, sparse: true },
];

/** A place in a list by creation. */
export interface CreationPosition {
  createdAt: Date;
  id: string;
}

/** Reads the resources of a project that one subject reaches. */
export function createResourceReads(resources: ScopedCollection<ResourceDocument>) {
  return {
    /** Returns the resources that the subject owns or has access to after a position, the newest first. */
    async findReachedBy(
      projectId: string,
      subject: string,
      { after, limit }: { after?: CreationPosition | null; limit: number },
    ): Promise<ResourceHeader[]> {
      const options = { projection: HEADER, sort: { createdAt: -1, _id: -1 }, limit } as const;
      const { createdAt, id } = after ?? {};
      const isAfter = { $or: [{ createdAt: { $lt: createdAt } }, { createdAt, _id: { $lt: id } }] };
      const condition = { readers: subject, ...(after && isAfter) };
      return resources.find<ResourceHeader>(projectId, condition, options);
    },
  };
}

/** Reads all projects of an organization. */
export function createOrganizationReads(ofOrganization: ScopedCollection<ResourceDocument>) {
  return {
    /** Returns true if a share that has not expired reaches the subject, anywhere in the organization. */
    async hasShareFor(organizationId: string, subject: string, now: Date): Promise<boolean> {
      const isInForce = [{ expiresAt: null }, { expiresAt: { $gt: now } }];
      const shares = { $elemMatch: { subject, $or: isInForce } };
      const options = { projection: { _id: 1 }, hint: ORGANIZATION_READERS_INDEX };
      return (await ofOrganization.findOne(organizationId, { readers: subject, shares }, options)) !== null;
    },

    /**
     * Returns one page of the resources that the subject owns or has access to in the organization, by id.
     */
    async findHeadersReachedBy(
      organizationId: string,
      subject: string,
      page: { afterId: string; limit: number },
    ): Promise<ResourceHeader[]> {
      const condition = { readers: subject, _id: { $gt: page.afterId } };
      return ofOrganization.find<ResourceHeader>(organizationId, condition, {
        projection: HEADER,
        hint: ORGANIZATION_READERS_INDEX,
        sort: { _id: 1 },
        limit: page.limit,
      });
    },
  };
}

/** The fields that check a dashboard's secret and locate the dashboard. */
type SecretHolder = Pick<
  ResourceDocument,
  '_id' | 'projectId' | 'organizationId' | 'ownerTenantKey' | 'secretHash' | 'secretTenantKey'
>;

/**
 * Reads of the platform itself, without a principal, so no organization limits them. No principal gets their
 * results.
 */
export function createPlatformReads(platform: PlatformCollection<ResourceDocument>) {
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
      };
      return platform.findOne<SecretHolder>({ _id: id, secretHash: { $exists: true } }, { projection });
    },

    /** Returns resources with an expired share, the earliest expiry first. */
    async findExpired(now: Date, limit: number): Promise<ResourceHeader[]> {
      return platform.find<ResourceHeader>(
        { nextExpiryAt: { $lte: now } },
        { projection: HEADER, hint: EXPIRY_INDEX, sort: { nextExpiryAt: 1 }, limit },
      );
    },
  };
}

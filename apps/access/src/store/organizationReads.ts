import type { Collection } from 'mongodb';
import { ORGANIZATION_READERS_INDEX } from './indexes.js';
import { HEADER } from './projections.js';
import type { ResourceDocument, ResourceHeader } from './resourceDocument.js';

/** Reads through all projects of an organization. */
export function createOrganizationReads(collection: Collection<ResourceDocument>) {
  return {
    /** Whether a share that has not expired reaches the subject, anywhere in the organization. */
    async hasShareFor(organizationId: string, subject: string, now: Date): Promise<boolean> {
      const isInForce = [{ expiresAt: null }, { expiresAt: { $gt: now } }];
      const shares = { $elemMatch: { subject, $or: isInForce } };
      const found = await collection.findOne(
        { organizationId, readers: subject, shares },
        { projection: { _id: 1 }, hint: ORGANIZATION_READERS_INDEX },
      );
      return found !== null;
    },

    /** What the subject owns or is given in the organization, by id, for a walk through all of it in pages. */
    async findHeadersReachedBy(
      organizationId: string,
      subject: string,
      page: { afterId: string; limit: number },
    ): Promise<ResourceHeader[]> {
      const filter = { organizationId, readers: subject, _id: { $gt: page.afterId } };
      return collection
        .find<ResourceHeader>(filter, { projection: HEADER, hint: ORGANIZATION_READERS_INDEX })
        .sort({ _id: 1 })
        .limit(page.limit)
        .toArray();
    },
  };
}

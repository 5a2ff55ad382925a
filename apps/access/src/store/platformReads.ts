import type { Collection } from 'mongodb';
import { EXPIRY_INDEX } from './indexes.js';
import { HEADER } from './projections.js';
import type { ResourceDocument, ResourceHeader } from './resourceDocument.js';

/** What is needed to check a dashboard's secret and say where the dashboard is. */
export type SecretHolder = Pick<ResourceDocument, '_id' | 'projectId' | 'organizationId' | 'secretHash'>;

/** Reads that no principal makes, so that no organization bounds them. Nothing of them is answered to one. */
export function createPlatformReads(collection: Collection<ResourceDocument>) {
  return {
    /** For the check of a secret, before it is known who asks. */
    async findSecretHolder(id: string): Promise<SecretHolder | null> {
      const projection = { projectId: 1, organizationId: 1, secretHash: 1 };
      return collection.findOne<SecretHolder>({ _id: id, secretHash: { $exists: true } }, { projection });
    },

    /** Resources with a share that has expired, the longest expired first. */
    async findExpired(now: Date, limit: number): Promise<ResourceHeader[]> {
      return collection
        .find<ResourceHeader>({ nextExpiryAt: { $lte: now } }, { projection: HEADER, hint: EXPIRY_INDEX })
        .sort({ nextExpiryAt: 1 })
        .limit(limit)
        .toArray();
    },
  };
}

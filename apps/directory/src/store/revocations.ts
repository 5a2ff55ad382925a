import type { CloudEvent } from '@gatehouse/contract';
import { duplicateKeysOf, outboxOf } from '@gatehouse/service';
import type { Collection, Db } from 'mongodb';
import type { RevocationDocument } from './documents.js';

export class RevocationStore {
  readonly #collection: Collection<RevocationDocument>;

  constructor(database: Db) {
    this.#collection = database.collection('revocations');
  }

  async has(organizationId: string, tokenId: string): Promise<boolean> {
    return (
      (await this.#collection.findOne({ _id: tokenId, organizationId }, { projection: { _id: 1 } })) !== null
    );
  }

  /** Revokes a token; false when it was revoked before. */
  async insert(
    organizationId: string,
    token: { tokenId: string; expiresAt: Date },
    { events }: { events: CloudEvent[] },
  ): Promise<boolean> {
    const { tokenId, expiresAt } = token;
    try {
      await this.#collection.insertOne({ _id: tokenId, organizationId, expiresAt, ...outboxOf(events) });
      return true;
    } catch (error) {
      if (duplicateKeysOf(error)?.includes('_id')) return false;
      throw error;
    }
  }

  /** Removes the revocations of tokens that have ended, once their events are published. */
  async deleteEnded(now: Date): Promise<void> {
    await this.#collection.deleteMany({ expiresAt: { $lte: now }, outbox: { $size: 0 } });
  }
}

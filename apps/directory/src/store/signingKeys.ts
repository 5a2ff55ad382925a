import type { CloudEvent, PublicKey } from '@gatehouse/contract';
import { duplicateKeysOf, outboxOf } from '@gatehouse/service';
import type { Collection, Db } from 'mongodb';
import type { SigningKeyDocument } from './documents.js';

/** The platform's keys for access tokens. They belong to no organization. */
export class SigningKeyStore {
  readonly #collection: Collection<SigningKeyDocument>;

  constructor(database: Db) {
    this.#collection = database.collection('signingKeys');
  }

  /** The key that signs; null when there is none yet, or a rotation stands between two. */
  findActive(): Promise<SigningKeyDocument | null> {
    return this.#collection.findOne({ isActive: true });
  }

  /** The public halves of all keys that verify, the newest first. */
  async listPublic(): Promise<PublicKey[]> {
    const keys = await this.#collection
      .find({}, { projection: { publicJwk: 1 }, sort: { createdAt: -1 } })
      .toArray();
    return keys.map((key) => key.publicJwk);
  }

  /** Makes a key the one that signs; false when another process was faster. */
  async insertActive(
    key: Pick<SigningKeyDocument, '_id' | 'publicJwk' | 'sealedPrivateJwk'>,
    { events, now }: { events: CloudEvent[]; now: Date },
  ): Promise<boolean> {
    try {
      await this.#collection.insertOne({ ...key, isActive: true, createdAt: now, ...outboxOf(events) });
      return true;
    } catch (error) {
      if (duplicateKeysOf(error)?.includes('isActive')) return false;
      throw error;
    }
  }

  /** Stops a key from signing; false when it has stopped before. */
  async retire(kid: string, now: Date): Promise<boolean> {
    const update = { $unset: { isActive: '' as const }, $set: { retiredAt: now }, $inc: { revision: 1 } };
    return (await this.#collection.updateOne({ _id: kid, isActive: true }, update)).matchedCount === 1;
  }

  /** Removes the keys that stopped signing before a moment, once their events are published. */
  async deleteRetiredBefore(moment: Date): Promise<void> {
    await this.#collection.deleteMany({ retiredAt: { $lt: moment }, outbox: { $size: 0 } });
  }
}

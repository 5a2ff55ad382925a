import { duplicateKeysOf } from '@gatehouse/service';
import type { Collection, Db } from 'mongodb';
import type { IdempotencyDocument } from './documents.js';

/** Claims to requests that carry an idempotency key. Who may share a key is in the hash that names the claim. */
export class IdempotencyStore {
  readonly #collection: Collection<IdempotencyDocument>;

  constructor(database: Db) {
    this.#collection = database.collection('idempotency');
  }

  find(id: string): Promise<IdempotencyDocument | null> {
    return this.#collection.findOne({ _id: id });
  }

  /** Stores a first claim; false when there is one. */
  async insert(claim: IdempotencyDocument): Promise<boolean> {
    try {
      await this.#collection.insertOne(claim);
      return true;
    } catch (error) {
      if (duplicateKeysOf(error)?.includes('_id')) return false;
      throw error;
    }
  }

  /** Puts a claim in the place of one that has ended, as that was read; false when it has changed since. */
  async replace(ended: IdempotencyDocument, claim: IdempotencyDocument): Promise<boolean> {
    const { _id, claimId, expiresAt } = ended;
    const isAnswered = { $exists: ended.answer !== undefined };
    const { matchedCount } = await this.#collection.replaceOne(
      { _id, claimId, expiresAt, answer: isAnswered },
      claim,
    );
    return matchedCount === 1;
  }

  /** Stores the answer of a claim; false when the claim has passed to another or was answered. */
  async answer(
    id: string,
    claimId: string,
    answer: { status: number; sealedBody: string },
  ): Promise<boolean> {
    const { matchedCount } = await this.#collection.updateOne(
      { _id: id, claimId, answer: { $exists: false } },
      { $set: { answer } },
    );
    return matchedCount === 1;
  }

  /** Gives a claim up and keeps its seed; false when it has passed to another or was answered. */
  async release(id: string, claimId: string): Promise<boolean> {
    const { matchedCount } = await this.#collection.updateOne(
      { _id: id, claimId, answer: { $exists: false } },
      { $set: { isReleased: true } },
    );
    return matchedCount === 1;
  }

  /** Gives a claim up and keeps nothing of it; false when it has passed to another or was answered. */
  async delete(id: string, claimId: string): Promise<boolean> {
    const { deletedCount } = await this.#collection.deleteOne({
      _id: id,
      claimId,
      answer: { $exists: false },
    });
    return deletedCount === 1;
  }

  async deleteExpired(now: Date): Promise<void> {
    await this.#collection.deleteMany({ expiresAt: { $lte: now } });
  }
}

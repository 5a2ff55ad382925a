import type { AuditHead } from '@gatehouse/contract';
import { duplicateKeysOf } from '@gatehouse/service';
import type { Collection, Db } from 'mongodb';
import type { HeadDocument } from './entriesDocuments.js';

/** How far each organization's log goes, sealed. A head moves on and never back. */
export class HeadStore {
  readonly #collection: Collection<HeadDocument>;

  constructor(database: Db) {
    this.#collection = database.collection('auditHeads');
  }

  /** The head of a log; null where there is none. */
  async find(organizationId: string): Promise<AuditHead | null> {
    const found = await this.#collection.findOne<Record<keyof AuditHead, unknown>>({ _id: organizationId });
    if (found === null) return null;
    // What somebody has put there in its place is a head that nothing is right about.
    const { sequence, hash, seal } = found;
    const place = Number.isSafeInteger(sequence) ? Number(sequence) : -1;
    return { sequence: place, hash: String(hash), seal: String(seal) };
  }

  /** Makes the head of a log that has none; one that is there stays. */
  async insert(organizationId: string, head: AuditHead): Promise<void> {
    try {
      await this.#collection.insertOne({ _id: organizationId, ...head });
    } catch (error) {
      if (duplicateKeysOf(error) === null) throw error;
    }
  }

  /** Moves a head on to a later place; one that is there already, or further, stays. */
  async advance(organizationId: string, head: AuditHead): Promise<void> {
    await this.#collection.updateOne(
      { _id: organizationId, sequence: { $lt: head.sequence } },
      { $set: { sequence: head.sequence, hash: head.hash, seal: head.seal } },
    );
  }

  /** The organization after this one that has a head, by the order of ids; null after the last. */
  async findOrganizationAfter(organizationId: string): Promise<string | null> {
    const found = await this.#collection.findOne(
      { _id: { $gt: organizationId } },
      { sort: { _id: 1 }, projection: { _id: 1 } },
    );
    return found?._id ?? null;
  }
}

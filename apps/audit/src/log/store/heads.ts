import type { AuditHead } from '@gatehouse/contract';
import { duplicateKeysOf, PlatformCollection, ScopedCollection } from '@gatehouse/service';
import type { Db } from 'mongodb';

/** The end of an organization's log. */
export interface HeadDocument extends AuditHead {
  /** The organization's id. */
  _id: string;
}

/** The sealed end of each organization's log. A head only advances. */
export class HeadStore {
  readonly #heads: ScopedCollection<HeadDocument>;
  /** For the sweep that verifies the logs of all organizations. */
  readonly #platform: PlatformCollection<HeadDocument>;

  constructor(database: Db) {
    this.#heads = new ScopedCollection(database, { collection: 'auditHeads', scope: '_id' });
    this.#platform = new PlatformCollection(database, 'auditHeads');
  }

  /** The head of a log; null where there is none. */
  async find(organizationId: string): Promise<AuditHead | null> {
    const found = await this.#heads.findOne<Record<keyof AuditHead, unknown>>(organizationId, {});
    if (found === null) return null;
    // A tampered document becomes a head that fails verification.
    const { sequence, hash, seal } = found;
    const place = Number.isSafeInteger(sequence) ? Number(sequence) : -1;
    return { sequence: place, hash: String(hash), seal: String(seal) };
  }

  /** Inserts the head of a log unless it exists. */
  async insert(organizationId: string, head: AuditHead): Promise<void> {
    try {
      await this.#heads.insertOne(organizationId, { _id: organizationId, ...head });
    } catch (error) {
      if (duplicateKeysOf(error) === null) throw error;
    }
  }

  /** Advances a head if it is still this one. Returns whether it was. */
  advance(organizationId: string, from: AuditHead, { sequence, hash, seal }: AuditHead): Promise<boolean> {
    const is = { sequence: from.sequence, hash: from.hash, seal: from.seal };
    return this.#heads.updateOne(organizationId, is, { update: { $set: { sequence, hash, seal } } });
  }

  /** The next organization with a head, in the order of ids; null after the last. For sweeps. */
  async findOrganizationAfter(organizationId: string): Promise<string | null> {
    const found = await this.#platform.findOne(
      { _id: { $gt: organizationId } },
      { sort: { _id: 1 }, projection: { _id: 1 } },
    );
    return found?._id ?? null;
  }
}

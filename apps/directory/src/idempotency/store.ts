import {
  blockBytes,
  countStored,
  duplicateKeysOf,
  PlatformCollection,
  Quota,
  ScopedCollection,
  WriteConflict,
  type QuotaLimits,
  type Sized,
} from '@gatehouse/service';
import type { Db } from 'mongodb';

/** The limits on keys and responses of one organization, and the percentage for the users of one tenant. */
const STORED_LIMITS: QuotaLimits = { records: 2_000_000, bytes: 256 * 1024 * 1024, tenantPercent: 25 };

/** The claim of a request with an idempotency key, and later its response. */
export interface IdempotencyDocument extends Sized {
  /** The hash of scope and key. */
  _id: string;
  /** Keyed with the seed: the body may contain a password that a plain hash would let an attacker guess. */
  requestHash: string;
  /** The hash of the caller's rights, keyed with the seed. Claims of an earlier release lack it. */
  callerHash?: string;
  /** Identifies the attempt that runs the request. */
  claimId: string;
  /** When the lease of the attempt expires. Another attempt may claim the key afterwards. */
  leaseUntil: Date;
  expiresAt: Date;
  /** The sealed seed from which the keys of the operations under this key derive. */
  sealedSeed: string;
  /** Set on a claim that was released without a response: any later request may claim the key. */
  isReleased?: true;
  answer?: StoredAnswer;
  /** For whom it counts. Absent on claims of an earlier release, and of token requests without a response. */
  holder?: string;
  tenantId?: string;
}

interface StoredAnswer {
  status: number;
  sealedBody: string;
}

/** The organization that a claim counts for, and the tenant of its caller. */
interface ClaimHolder {
  holder?: string | undefined;
  tenantId?: string | undefined;
}

/** The fields by which a claim counts for its holder. */
export function countedFor({ holder, tenantId }: ClaimHolder, quotaBytes: number) {
  return holder === undefined ? {} : { holder, quotaBytes, ...(tenantId !== undefined && { tenantId }) };
}

/** A response, and for whom it counts. */
export interface Completion extends ClaimHolder {
  answer: StoredAnswer;
}

/**
 * Claims of requests with an idempotency key. Each claim is a scope of its own: the hash that identifies it
 * determines who shares the key.
 */
export class IdempotencyStore {
  readonly #claims: ScopedCollection<IdempotencyDocument>;
  /** For the sweep of expired claims. */
  readonly #platform: PlatformCollection<IdempotencyDocument>;
  readonly #quota: Quota;

  constructor(database: Db, limits = STORED_LIMITS) {
    this.#claims = new ScopedCollection(database, { collection: 'idempotency', scope: '_id' });
    this.#platform = new PlatformCollection(database, 'idempotency');
    const ofHolder = new ScopedCollection<IdempotencyDocument>(database, {
      collection: 'idempotency',
      scope: 'holder',
    });
    this.#quota = new Quota({
      name: 'idempotency keys',
      limits,
      count: (scope) => countStored(ofHolder, scope),
    });
  }

  find(id: string): Promise<IdempotencyDocument | null> {
    return this.#claims.findOne(id, {});
  }

  /**
   * Stores a first claim. Throws WriteConflict when a claim exists.
   * @throws QUOTA_EXCEEDED when its holder has too many
   */
  async insert(claim: IdempotencyDocument): Promise<void> {
    const { holder, tenantId } = claim;
    const insert = () => this.#claims.insertOne(claim._id, claim);
    try {
      if (holder === undefined) await insert();
      else await this.#quota.change({ organizationId: holder, tenantId }, { records: 1, bytes: 0 }, insert);
    } catch (error) {
      throw duplicateKeysOf(error)?.includes('_id') ? new WriteConflict() : error;
    }
  }

  /** Replaces an ended claim as it was read. Throws WriteConflict when it has changed since. */
  async replace(ended: IdempotencyDocument, claim: IdempotencyDocument): Promise<void> {
    const { _id, claimId, expiresAt } = ended;
    const condition = { claimId, expiresAt, answer: { $exists: ended.answer !== undefined } };
    if (!(await this.#claims.replaceOne(_id, condition, claim))) throw new WriteConflict();
  }

  /**
   * Stores the response of a claim; false when another attempt holds the claim or it has a response.
   * @throws QUOTA_EXCEEDED when the holder has too many stored responses
   */
  complete(id: string, claimId: string, { answer, holder, tenantId }: Completion): Promise<boolean> {
    const store = (more: object) =>
      this.#claims.updateOne(id, runningAs(claimId), { update: { $set: { answer, ...more } } });
    if (holder === undefined) return store({});
    const bytes = blockBytes(answer.sealedBody.length);
    return this.#quota.change({ organizationId: holder, tenantId }, { records: 0, bytes }, () =>
      store(countedFor({ holder, tenantId }, bytes)),
    );
  }

  /** Releases a claim and keeps its seed; false when another attempt holds the claim or it has a response. */
  release(id: string, claimId: string): Promise<boolean> {
    return this.#claims.updateOne(id, runningAs(claimId), { update: { $set: { isReleased: true } } });
  }

  /** Deletes a claim; false when another attempt holds the claim or it has a response. */
  async delete(id: string, claimId: string): Promise<boolean> {
    return (await this.#claims.deleteMany(id, runningAs(claimId))) === 1;
  }

  /** Deletes the claims of all organizations that have expired. */
  async deleteExpired(now: Date): Promise<void> {
    await this.#platform.deleteMany({ expiresAt: { $lte: now } });
  }
}

/** The condition on a claim that this attempt holds, without a response. */
const runningAs = (claimId: string) => ({ claimId, answer: { $exists: false } });

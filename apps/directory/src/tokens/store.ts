import type { CloudEvent, PublicKey } from '@gatehouse/contract';
import {
  duplicateKeysOf,
  outboxOf,
  PlatformCollection,
  ScopedCollection,
  type Outboxed,
  withEvents,
} from '@gatehouse/service';
import type { Db } from 'mongodb';

/** An access token that was revoked before it expired. */
interface RevocationDocument extends Outboxed {
  /** `jti` of the token. */
  _id: string;
  organizationId: string;
  /** When the token expires. The revocation has no effect afterwards. */
  expiresAt: Date;
}

export class RevocationStore {
  readonly #revocations: ScopedCollection<RevocationDocument>;
  /** For the sweep of ended revocations. */
  readonly #platform: PlatformCollection<RevocationDocument>;

  constructor(database: Db) {
    this.#revocations = new ScopedCollection(database, {
      collection: 'revocations',
      scope: 'organizationId',
    });
    this.#platform = new PlatformCollection(database, 'revocations');
  }

  async has(organizationId: string, tokenId: string): Promise<boolean> {
    const options = { projection: { _id: 1 } };
    return (await this.#revocations.findOne(organizationId, { _id: tokenId }, options)) !== null;
  }

  /** Revokes a token; false when it was revoked before. */
  async insert(
    organizationId: string,
    token: { tokenId: string; expiresAt: Date },
    { events }: { events: CloudEvent[] },
  ): Promise<boolean> {
    const { tokenId, expiresAt } = token;
    try {
      const document = { _id: tokenId, organizationId, expiresAt, ...outboxOf(events) };
      await this.#revocations.insertOne(organizationId, document);
      return true;
    } catch (error) {
      if (duplicateKeysOf(error)?.includes('_id')) return false;
      throw error;
    }
  }

  /** Deletes the revocations of expired tokens of all organizations whose events are published. */
  async deleteEnded(now: Date): Promise<void> {
    await this.#platform.deleteMany({ expiresAt: { $lte: now }, outbox: { $size: 0 } });
  }
}

/** A code that signs a user in once. */
export interface SignInCode {
  /** The hash of the code. */
  _id: string;
  /** Names the code in events. */
  id: string;
  organizationId: string;
  projectId: string;
  userId: string;
  /** What its token will claim, sealed with `_id` as context. */
  sealedBearer: string;
  expiresAt: Date;
}

interface SignInCodeDocument extends SignInCode, Outboxed {
  /** Set once the code is used. */
  usedAt?: Date;
}

export class SignInCodeStore {
  readonly #codes: ScopedCollection<SignInCodeDocument>;
  /** For the lookup that determines the organization of the caller, and the sweep of ended codes. */
  readonly #platform: PlatformCollection<SignInCodeDocument>;

  constructor(database: Db) {
    this.#codes = new ScopedCollection(database, { collection: 'signInCodes', scope: 'organizationId' });
    this.#platform = new PlatformCollection(database, 'signInCodes');
  }

  async insert(
    organizationId: string,
    code: SignInCode,
    { events }: { events: CloudEvent[] },
  ): Promise<void> {
    await this.#codes.insertOne(organizationId, { ...code, ...outboxOf(events) });
  }

  /** The code with this hash; null unless it can be used. */
  find(_id: string, now: Date): Promise<SignInCode | null> {
    return this.#platform.findOne<SignInCode>({ _id, ...usableAt(now) });
  }

  /** The code with this hash, even if it is used or expired; null if it is not stored. */
  findSpent(_id: string): Promise<(SignInCode & { usedAt?: Date }) | null> {
    return this.#platform.findOne<SignInCodeDocument>({ _id });
  }

  /** Marks a code as used. Of concurrent calls, one returns true. */
  take(
    organizationId: string,
    _id: string,
    { now, events }: { now: Date; events: CloudEvent[] },
  ): Promise<boolean> {
    const update = withEvents<SignInCodeDocument>({ $set: { usedAt: now } }, events);
    return this.#codes.updateOne(organizationId, { _id, ...usableAt(now) }, { update });
  }

  /** Deletes the expired codes of all organizations whose events are published. */
  async deleteEnded(now: Date): Promise<void> {
    await this.#platform.deleteMany({ expiresAt: { $lte: now }, outbox: { $size: 0 } });
  }
}

const usableAt = (now: Date) => ({ expiresAt: { $gt: now }, usedAt: { $exists: false } });

interface SigningKeyDocument extends Outboxed {
  /** `kid`. */
  _id: string;
  publicJwk: PublicKey;
  /** The private JWK, sealed with the `kid` as context. */
  sealedPrivateJwk: string;
  createdAt: Date;
  /** Set on the only key that signs. */
  isActive?: true;
  /** When the key stopped signing. It verifies until the last token that it signed expires. */
  retiredAt?: Date;
}

/** The platform's keys for access tokens. They belong to no organization. */
export class SigningKeyStore {
  readonly #keys: PlatformCollection<SigningKeyDocument>;

  constructor(database: Db) {
    this.#keys = new PlatformCollection(database, 'signingKeys');
  }

  /** The key that signs; null before the first key exists and in the middle of a rotation. */
  findActive(): Promise<SigningKeyDocument | null> {
    return this.#keys.findOne({ isActive: true });
  }

  /** The public halves of all keys that verify, the newest first. */
  async listPublic(): Promise<PublicKey[]> {
    const options = { projection: { publicJwk: 1 }, sort: { createdAt: -1 } } as const;
    const keys = await this.#keys.find<Pick<SigningKeyDocument, 'publicJwk'>>({}, options);
    return keys.map((key) => key.publicJwk);
  }

  /** Stores a key as the one that signs; false when another process stored one first. */
  async insertActive(
    key: Pick<SigningKeyDocument, '_id' | 'publicJwk' | 'sealedPrivateJwk'>,
    { events, now }: { events: CloudEvent[]; now: Date },
  ): Promise<boolean> {
    try {
      await this.#keys.insertOne({ ...key, isActive: true, createdAt: now, ...outboxOf(events) });
      return true;
    } catch (error) {
      if (duplicateKeysOf(error)?.includes('isActive')) return false;
      throw error;
    }
  }

  /** Stops a key from signing; false when it no longer signs. */
  async retire(kid: string, now: Date): Promise<boolean> {
    const update = { $unset: { isActive: '' as const }, $set: { retiredAt: now }, $inc: { revision: 1 } };
    return this.#keys.updateOne({ _id: kid, isActive: true }, { update });
  }

  /** Deletes the keys that stopped signing before a moment and whose events are published. */
  async deleteRetiredBefore(moment: Date): Promise<void> {
    await this.#keys.deleteMany({ retiredAt: { $lt: moment }, outbox: { $size: 0 } });
  }
}

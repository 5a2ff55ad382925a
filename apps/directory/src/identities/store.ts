import { createHash } from 'node:crypto';
import type { CloudEvent } from '@gatehouse/contract';
import {
  duplicateKeysOf,
  outboxOf,
  ScopedCollection,
  tombstone,
  withEvents,
  type Outboxed,
} from '@gatehouse/service';
import type { Db } from 'mongodb';

/** The account of a person at a provider, in the place where its claims put the person. */
export interface Account {
  issuer: string;
  subject: string;
  organizationId: string;
  /** Null for an org user. */
  tenantKey: string | null;
}

/** The person of an account. */
export interface Identity extends Account {
  _id: string;
  userKey: string;
  linkedAt: Date;
}

type IdentityDocument = Identity & Outboxed;

/** A hash of fixed length: subjects may be long, and no text can be read as another pair. */
function idOf({ issuer, subject, organizationId, tenantKey }: Account): string {
  const account = JSON.stringify([issuer, subject, organizationId, tenantKey]);
  return createHash('sha256').update(account).digest('base64url');
}

export class IdentityStore {
  readonly #identities: ScopedCollection<IdentityDocument>;

  constructor(database: Db) {
    this.#identities = new ScopedCollection(database, {
      collection: 'identities',
      scope: 'organizationId',
    });
  }

  find(organizationId: string, account: Account): Promise<Identity | null> {
    const options = { projection: { outbox: 0 } };
    return this.#identities.findOne<Identity>(organizationId, { _id: idOf(account) }, options);
  }

  /**
   * Links an account with a person. `former` is the link that it replaces, whose person no longer exists.
   *
   * @returns `taken` if the person is linked with another account of the issuer, and `raced` if another call
   * has linked the account
   */
  async link(
    organizationId: string,
    { account, userKey, former }: { account: Account; userKey: string; former: Identity | null },
    { now, events }: { now: Date; events: CloudEvent[] },
  ): Promise<'linked' | 'taken' | 'raced'> {
    const _id = idOf(account);
    try {
      if (former === null) {
        const identity = { _id, ...account, userKey, linkedAt: now, ...outboxOf(events) };
        await this.#identities.insertOne(organizationId, identity);
        return 'linked';
      }
      const update = withEvents<IdentityDocument>({ $set: { userKey, linkedAt: now } }, events);
      const isReplaced = await this.#identities.updateOne(
        organizationId,
        { _id, userKey: former.userKey },
        { update },
      );
      return isReplaced ? 'linked' : 'raced';
    } catch (error) {
      const keys = duplicateKeysOf(error);
      if (keys?.includes('userKey')) return 'taken';
      if (keys?.includes('_id')) return 'raced';
      throw error;
    }
  }

  /** Deletes the links of a person. Those with unpublished events become tombstones first. */
  async deleteOf(organizationId: string, userKey: string, now: Date): Promise<void> {
    const update = tombstone([], now, ['organizationId']);
    await this.#identities.updateMany(organizationId, { userKey, 'outbox.0': { $exists: true } }, { update });
    await this.#identities.deleteMany(organizationId, { userKey });
  }
}

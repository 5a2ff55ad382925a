import { createHash } from 'node:crypto';
import type { CloudEvent, SessionMethod } from '@gatehouse/contract';
import {
  afterCursor,
  cutSlice,
  duplicateKeysOf,
  newKey,
  outboxOf,
  PlatformCollection,
  ScopedCollection,
  tombstone,
  withEvents,
  type ListSlice,
  type Outboxed,
  type Slice,
} from '@gatehouse/service';
import type { Db, Document } from 'mongodb';

/** Where a person signed in. */
export interface ProviderSession {
  issuer: string;
  subject: string;
  /** The id that the provider gives to its own session, if it does. */
  session?: string;
}

/** A signed-in browser. */
export interface SessionRecord {
  /** The hash of the value of its cookie. */
  _id: string;
  /** Names the session in lists and events. */
  id: string;
  organizationId: string;
  userId: string;
  userKey: string;
  tenantId: string | null;
  tenantKey: string | null;
  method: SessionMethod;
  /** The session at the provider; absent with a code. */
  provider?: ProviderSession;
  /** The only projects that it reaches; null for all of the organization. */
  projectIds: string[] | null;
  /** The restrictions of its sign-in code, sealed with `_id` as context. */
  sealedGrants?: string;
  address: string;
  userAgent: string;
  createdAt: Date;
  lastUsedAt: Date;
  /** The end without further use. */
  idleUntil: Date;
  /** The end in any case. */
  endsAt: Date;
}

type SessionDocument = SessionRecord & Outboxed;

interface Written {
  now: Date;
  events: CloudEvent[];
}

/** The people whose sessions a list contains. */
export interface SessionFilter {
  userKey?: string;
  tenantKey?: string;
  userId?: string | undefined;
}

/** An ended session is a tombstone, which has no such field. */
const liveAt = (now: Date) => ({ idleUntil: { $gt: now } });
/** The order of lists: the oldest first. */
const ORDER = { list: 'sessions', by: 'createdAt' } as const;
const RECORD = { outbox: 0, revision: 0, eventCount: 0 };

export class SessionStore {
  readonly #sessions: ScopedCollection<SessionDocument>;
  /** For the lookup that determines the organization of the caller, and the sweep of expired sessions. */
  readonly #platform: PlatformCollection<SessionDocument>;

  constructor(database: Db) {
    this.#sessions = new ScopedCollection(database, { collection: 'sessions', scope: 'organizationId' });
    this.#platform = new PlatformCollection(database, 'sessions');
  }

  async insert(organizationId: string, session: SessionRecord, events: CloudEvent[]): Promise<void> {
    await this.#sessions.insertOne(organizationId, { ...session, ...outboxOf(events) });
  }

  /** The live session of a cookie; null if there is none. */
  findByCookie(cookieHash: string, now: Date): Promise<SessionRecord | null> {
    return this.#platform.findOne<SessionRecord>({ _id: cookieHash, ...liveAt(now) }, { projection: RECORD });
  }

  /** The live session of an id; null if there is none. */
  find(organizationId: string, id: string, now: Date): Promise<SessionRecord | null> {
    const condition = { id, ...liveAt(now) };
    return this.#sessions.findOne<SessionRecord>(organizationId, condition, { projection: RECORD });
  }

  /** Extends a live session; false if it has ended meanwhile. */
  touch(
    organizationId: string,
    _id: string,
    { now, idleUntil }: { now: Date; idleUntil: Date },
  ): Promise<boolean> {
    const update = withEvents<SessionDocument>({ $max: { lastUsedAt: now, idleUntil } }, []);
    return this.#sessions.updateOne(organizationId, { _id, ...liveAt(now) }, { update });
  }

  /** Ends a live session. Of concurrent calls, one returns true. */
  end(organizationId: string, _id: string, { now, events }: Written): Promise<boolean> {
    const update = tombstone(events, now, ['organizationId']);
    return this.#sessions.updateOne(organizationId, { _id, ...liveAt(now) }, { update });
  }

  /** A part of the live sessions, the oldest first. */
  async list(
    organizationId: string,
    filter: SessionFilter,
    { limit, cursor, now }: ListSlice & { now: Date },
  ): Promise<Slice<SessionRecord>> {
    const { userId, ...keys } = filter;
    const wanted: Document = { ...keys, ...(userId === undefined ? {} : { userId }), ...liveAt(now) };
    const found = await this.#sessions.find<SessionRecord>(
      organizationId,
      { $and: [wanted, afterCursor(ORDER, cursor)] },
      { projection: RECORD, sort: { createdAt: 1, _id: 1 }, limit: limit + 1 },
    );
    return cutSlice(ORDER, limit, found);
  }

  /** The live sessions of a person, the newest first. */
  listOf(organizationId: string, userKey: string, now: Date): Promise<SessionRecord[]> {
    const condition = { userKey, ...liveAt(now) };
    return this.#sessions.find<SessionRecord>(organizationId, condition, {
      projection: RECORD,
      sort: { createdAt: -1, _id: -1 },
    });
  }

  /** The live sessions of all organizations that began at a provider: in a session there, or of a subject. */
  listOfProvider(
    { issuer, subject, session }: Partial<ProviderSession> & { issuer: string },
    now: Date,
  ): Promise<SessionRecord[]> {
    const condition = {
      'provider.issuer': issuer,
      ...(subject === undefined ? {} : { 'provider.subject': subject }),
      ...(session === undefined ? {} : { 'provider.session': session }),
      ...liveAt(now),
    };
    return this.#platform.find<SessionRecord>(condition, { projection: RECORD });
  }

  /** Deletes the expired sessions of all organizations whose events are published. */
  async deleteExpired(now: Date): Promise<void> {
    await this.#platform.deleteMany({ idleUntil: { $lte: now }, outbox: { $size: 0 } });
  }
}

interface FailedSignIn extends Outboxed {
  _id: string;
  organizationId: string;
}

/** The events of failed sign-ins on their way to the audit log. Nothing else of them is stored. */
export class FailedSignInStore {
  readonly #failures: ScopedCollection<FailedSignIn>;

  constructor(database: Db) {
    this.#failures = new ScopedCollection(database, {
      collection: 'failedSignIns',
      scope: 'organizationId',
    });
  }

  /** Stores an event until it is published. The document is a tombstone, which the relay then deletes. */
  async insert(organizationId: string, event: CloudEvent, now: Date): Promise<void> {
    const document = { _id: newKey(), organizationId, ...outboxOf([event]), deletedAt: now };
    await this.#failures.insertOne(organizationId, document);
  }
}

/** A logout token that was accepted. */
interface LogoutTokenDocument {
  /** A hash of its issuer and id. */
  _id: string;
  expiresAt: Date;
}

const idOf = (issuer: string, tokenId: string) =>
  createHash('sha256')
    .update(JSON.stringify([issuer, tokenId]))
    .digest('base64url');

/** The logout tokens that were accepted, until they expire. They belong to a provider alone. */
export class LogoutTokenStore {
  readonly #tokens: PlatformCollection<LogoutTokenDocument>;

  constructor(database: Db) {
    this.#tokens = new PlatformCollection(database, 'logoutTokens');
  }

  async has(issuer: string, tokenId: string): Promise<boolean> {
    return (await this.#tokens.findOne({ _id: idOf(issuer, tokenId) })) !== null;
  }

  /** Stores a token; false if it was stored before. */
  async insert({ issuer, tokenId, expiresAt }: { issuer: string; tokenId: string; expiresAt: Date }) {
    try {
      await this.#tokens.insertOne({ _id: idOf(issuer, tokenId), expiresAt });
      return true;
    } catch (error) {
      if (duplicateKeysOf(error)?.includes('_id')) return false;
      throw error;
    }
  }

  async deleteExpired(now: Date): Promise<void> {
    await this.#tokens.deleteMany({ expiresAt: { $lte: now } });
  }
}

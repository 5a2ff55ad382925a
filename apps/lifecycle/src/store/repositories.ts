import type { CloudEvent, CommitOnSave } from '@gatehouse/contract';
import { duplicateKeysOf, OUTBOX_INDEX, outboxOf, withEvents, type Outboxed } from '@gatehouse/service';
import type { Collection, Db } from 'mongodb';

/** The remote of a repository, as it is kept. */
export interface StoredRemote {
  url: string;
  /** Scheme, host and port: what the token was given for. */
  origin: string;
  username: string | null;
  sealedToken: string | null;
  webUrl: string | null;
}

/** How the last attempt to push ended. */
export interface PushOutcome {
  at: Date;
  status: 'pushed' | 'failed';
  reason: string | null;
  commitSha: string | null;
}

/** The version control of a project. It stays when it is removed, so that its versions are never counted anew. */
export interface RepositoryDocument extends Outboxed {
  /** The project's id. */
  _id: string;
  organizationId: string;
  isRemoved: boolean;
  commitOnSave: CommitOnSave;
  branch: string;
  remote: StoredRemote | null;
  version: number;
  createdAt: Date;
  updatedAt: Date;
  lastPush: PushOutcome | null;
  /** When the last commit began, where there is a remote to push to. */
  dirtyAt: Date | null;
  /** When to look whether there is something to push; null where there is nothing. */
  nextPushAt: Date | null;
  pushFailures: number;
}

export type Repository = Omit<RepositoryDocument, 'outbox'>;
/** What an ADMIN sets. */
export type RepositorySettings = Pick<RepositoryDocument, 'isRemoved' | 'commitOnSave' | 'branch' | 'remote'>;

interface Written {
  events: CloudEvent[];
  now: Date;
}

export const REPOSITORIES = 'repositories';
const WITHOUT_OUTBOX = { projection: { outbox: 0 } } as const;
const NOT_PUSHED = { lastPush: null, dirtyAt: null, nextPushAt: null, pushFailures: 0 };

/** The version control of every project. */
export class RepositoryStore {
  readonly #collection: Collection<RepositoryDocument>;

  private constructor(database: Db) {
    this.#collection = database.collection(REPOSITORIES);
  }

  static async open(database: Db): Promise<RepositoryStore> {
    const store = new RepositoryStore(database);
    const due = { key: { nextPushAt: 1 }, name: 'due' } as const;
    await store.#collection.createIndexes([OUTBOX_INDEX, due]);
    return store;
  }

  /** Also one that was removed; null where there never was one. */
  find(organizationId: string, projectId: string): Promise<Repository | null> {
    return this.#collection.findOne({ _id: projectId, organizationId }, WITHOUT_OUTBOX);
  }

  /** Adds the first settings of a project; null when somebody else did. */
  async insert(
    organizationId: string,
    projectId: string,
    { settings, events, now }: Written & { settings: RepositorySettings },
  ): Promise<Repository | null> {
    const dates = { createdAt: now, updatedAt: now };
    const made = { _id: projectId, organizationId, ...settings, ...dates, ...NOT_PUSHED, version: 1 };
    try {
      await this.#collection.insertOne({ ...made, ...outboxOf(events) });
      return { ...made, revision: 1 };
    } catch (error) {
      if (duplicateKeysOf(error) === null) throw error;
      return null;
    }
  }

  /** Replaces the settings as they were read; null when they have changed since. */
  async update(
    organizationId: string,
    { _id, version, remote }: Repository,
    { settings, events, now }: Written & { settings: RepositorySettings },
  ): Promise<Repository | null> {
    const isElsewhere = settings.remote?.url !== remote?.url;
    // What is here may be new to another remote.
    const pushing = isElsewhere ? { ...NOT_PUSHED, nextPushAt: settings.remote === null ? null : now } : {};
    const change = { $set: { ...settings, ...pushing, updatedAt: now }, $inc: { version: 1 } };
    const filter = { _id, organizationId, version };
    return this.#collection.findOneAndUpdate(filter, withEvents<RepositoryDocument>(change, events), {
      returnDocument: 'after',
      ...WITHOUT_OUTBOX,
    });
  }

  /** Notes that a commit begins which is to be pushed, so that it is even if nobody lives to do it. */
  async markDirty(
    organizationId: string,
    projectId: string,
    { now, lookAt }: { now: Date; lookAt: Date },
  ): Promise<void> {
    const nextPushAt = { $ifNull: ['$nextPushAt', lookAt] };
    await this.#collection.updateOne({ _id: projectId, organizationId }, [
      { $set: { dirtyAt: now, nextPushAt } },
    ]);
  }

  /**
   * Notes how a push ended, null for one that had nothing to do, and when to look again; after a success only if no other
   * commit has begun since.
   */
  async notePush(
    organizationId: string,
    { _id, dirtyAt }: Pick<Repository, '_id' | 'dirtyAt'>,
    { outcome, nextPushAt }: { outcome: PushOutcome | null; nextPushAt: Date | null },
  ): Promise<void> {
    const isFailure = outcome?.status === 'failed';
    const isStill = { $eq: ['$dirtyAt', dirtyAt] };
    const noted = {
      lastPush: outcome === null ? '$lastPush' : { $literal: outcome },
      pushFailures: isFailure ? { $add: ['$pushFailures', 1] } : 0,
      nextPushAt: isFailure ? nextPushAt : { $cond: [isStill, nextPushAt, '$nextPushAt'] },
    };
    await this.#collection.updateOne({ _id, organizationId }, [{ $set: noted }]);
  }

  /** Adds an event of a commit. */
  async announce(organizationId: string, projectId: string, event: CloudEvent): Promise<void> {
    const update = withEvents<RepositoryDocument>({}, [event]);
    await this.#collection.updateOne({ _id: projectId, organizationId }, update);
  }

  /** Of all organizations: those that may have something to push. */
  listDue(now: Date, limit: number): Promise<Repository[]> {
    const filter = { nextPushAt: { $lte: now }, isRemoved: false };
    return this.#collection.find(filter, { ...WITHOUT_OUTBOX, sort: { nextPushAt: 1 }, limit }).toArray();
  }
}

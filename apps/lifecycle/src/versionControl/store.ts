import type { CloudEvent, CommitOnSave } from '@gatehouse/contract';
import {
  createIndexes,
  duplicateKeysOf,
  OUTBOX_INDEX,
  outboxOf,
  PlatformCollection,
  ScopedCollection,
  withEvents,
  WriteConflict,
  type Outboxed,
} from '@gatehouse/service';
import type { Db } from 'mongodb';

/** The remote of a repository, as it is stored. */
export interface StoredRemote {
  url: string;
  /** Scheme, host and port: the token is valid for these only. */
  origin: string;
  username: string | null;
  sealedToken: string | null;
  webUrl: string | null;
}

/** The outcome of the last push. */
export interface PushOutcome {
  at: Date;
  status: 'pushed' | 'failed';
  reason: string | null;
  commitSha: string | null;
}

/**
 * The version control settings of a project. Removed settings stay stored, so that version numbers are never
 * reused.
 */
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
  /** When the last commit to push began; null without a remote. */
  dirtyAt: Date | null;
  /** When a sweep checks for commits to push; null when there are none. */
  nextPushAt: Date | null;
  pushFailures: number;
}

export type Repository = Omit<RepositoryDocument, 'outbox'>;
/** The fields that an ADMIN sets. */
export type RepositorySettings = Pick<RepositoryDocument, 'isRemoved' | 'commitOnSave' | 'branch' | 'remote'>;

interface Write {
  events: CloudEvent[];
  now: Date;
}

export const REPOSITORIES = 'repositories';
const WITHOUT_OUTBOX = { projection: { outbox: 0 } } as const;
const NOT_PUSHED = { lastPush: null, dirtyAt: null, nextPushAt: null, pushFailures: 0 };

/** The version control settings of all projects. */
export class RepositoryStore {
  readonly #repositories: ScopedCollection<RepositoryDocument>;
  /** For the sweep of commits to push. */
  readonly #platform: PlatformCollection<RepositoryDocument>;

  private constructor(database: Db) {
    this.#repositories = new ScopedCollection(database, {
      collection: REPOSITORIES,
      scope: 'organizationId',
    });
    this.#platform = new PlatformCollection(database, REPOSITORIES);
  }

  static async open(database: Db): Promise<RepositoryStore> {
    const due = { key: { nextPushAt: 1 }, name: 'due' } as const;
    await createIndexes(database, { [REPOSITORIES]: [OUTBOX_INDEX, due] });
    return new RepositoryStore(database);
  }

  /** Finds the settings of a project, even if they are removed; null when there never were any. */
  find(organizationId: string, projectId: string): Promise<Repository | null> {
    return this.#repositories.findOne(organizationId, { _id: projectId }, WITHOUT_OUTBOX);
  }

  /** Inserts the first settings of a project. Throws WriteConflict when another request inserted them. */
  async insert(
    organizationId: string,
    projectId: string,
    { settings, events, now }: Write & { settings: RepositorySettings },
  ): Promise<Repository> {
    const dates = { createdAt: now, updatedAt: now };
    const inserted = { _id: projectId, organizationId, ...settings, ...dates, ...NOT_PUSHED, version: 1 };
    try {
      await this.#repositories.insertOne(organizationId, { ...inserted, ...outboxOf(events) });
      return { ...inserted, revision: 1 };
    } catch (error) {
      throw duplicateKeysOf(error) === null ? error : new WriteConflict();
    }
  }

  /** Replaces the settings. Throws WriteConflict when they changed since they were read. */
  async update(
    organizationId: string,
    { _id, version, remote }: Repository,
    { settings, events, now }: Write & { settings: RepositorySettings },
  ): Promise<Repository> {
    const isElsewhere = settings.remote?.url !== remote?.url;
    // A different remote may lack commits that are already here.
    const pushing = isElsewhere ? { ...NOT_PUSHED, nextPushAt: settings.remote === null ? null : now } : {};
    const change = { $set: { ...settings, ...pushing, updatedAt: now }, $inc: { version: 1 } };
    const update = withEvents<RepositoryDocument>(change, events);
    const asRead = { _id, version };
    const written = await this.#repositories.findOneAndUpdate<Repository>(organizationId, asRead, {
      update,
      ...WITHOUT_OUTBOX,
    });
    if (written === null) throw new WriteConflict();
    return written;
  }

  /** Records that a commit begins, so that a sweep pushes it if this process dies. */
  async markDirty(
    organizationId: string,
    projectId: string,
    { now, nextPushAt }: { now: Date; nextPushAt: Date },
  ): Promise<void> {
    const update = [{ $set: { dirtyAt: now, nextPushAt: { $ifNull: ['$nextPushAt', nextPushAt] } } }];
    await this.#repositories.updateOne(organizationId, { _id: projectId }, { update });
  }

  /**
   * Records the outcome of a push, null when there was nothing to push, and when to check again. A success
   * does not change the time of the check if another commit began meanwhile.
   */
  async recordPush(
    organizationId: string,
    { _id, dirtyAt }: Pick<Repository, '_id' | 'dirtyAt'>,
    { outcome, nextPushAt }: { outcome: PushOutcome | null; nextPushAt: Date | null },
  ): Promise<void> {
    const isFailure = outcome?.status === 'failed';
    const isStill = { $eq: ['$dirtyAt', dirtyAt] };
    const recorded = {
      lastPush: outcome === null ? '$lastPush' : { $literal: outcome },
      pushFailures: isFailure ? { $add: ['$pushFailures', 1] } : 0,
      nextPushAt: isFailure ? nextPushAt : { $cond: [isStill, nextPushAt, '$nextPushAt'] },
    };
    await this.#repositories.updateOne(organizationId, { _id }, { update: [{ $set: recorded }] });
  }

  /** Adds the event of a commit to the outbox. */
  async addEvent(organizationId: string, projectId: string, event: CloudEvent): Promise<void> {
    const update = withEvents<RepositoryDocument>({}, [event]);
    await this.#repositories.updateOne(organizationId, { _id: projectId }, { update });
  }

  /**
   * Lists repositories that are due for a push, up to `limitEach` of each organization, the longest due
   * first. For the sweep, which has no caller.
   */
  async listDue(now: Date, limitEach: number): Promise<Repository[]> {
    const filter = { nextPushAt: { $lte: now }, isRemoved: false };
    const options = { ...WITHOUT_OUTBOX, sort: { nextPushAt: 1 }, limit: limitEach } as const;
    const due: Repository[] = [];
    for (const organizationId of await this.#platform.distinct<string>(filter, { field: 'organizationId' }))
      due.push(...(await this.#repositories.find<Repository>(organizationId, filter, options)));
    return due;
  }
}

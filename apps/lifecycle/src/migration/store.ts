import { AppError, type CloudEvent, type CopyActor } from '@gatehouse/contract';
import {
  countStored,
  createIndexes,
  duplicateKeysOf,
  fieldBytes,
  newKey,
  OUTBOX_INDEX,
  PlatformCollection,
  Quota,
  recordBytes,
  ScopedCollection,
  usageIndex,
  withEvents,
  WriteConflict,
  type LimitsOf,
} from '@gatehouse/service';
import type { Db, IndexDescription } from 'mongodb';
import type { Lease, MigrationDocument, StoredStep } from './documents.js';

/** The content of one step. */
interface ContentDocument {
  _id: string;
  contentsKey: string;
  name: string;
  /** JSON text. */
  text: string;
  createdAt: Date;
}

const MIGRATION_INDEXES: IndexDescription[] = [
  OUTBOX_INDEX,
  usageIndex(),
  { name: 'byProject', key: { organizationId: 1, projectIds: 1, createdAt: -1, _id: -1 } },
  { name: 'locks', key: { locks: 1 }, unique: true, sparse: true },
  { name: 'lease', key: { 'lease.until': 1 }, sparse: true },
];
const CONTENT_INDEXES: IndexDescription[] = [
  { name: 'byKey', key: { contentsKey: 1 } },
  { name: 'byAge', key: { createdAt: 1 } },
];

/** A migration as the process that runs it reads it. */
type HeldMigration = Pick<MigrationDocument, '_id' | 'organizationId' | 'lease'>;

/** A change of a migration by the holder of its lease. */
export interface MigrationWrite {
  set: Partial<MigrationDocument>;
  /** Fields to remove. */
  unset?: readonly ('locks' | 'lease')[];
  events?: CloudEvent[];
}

/** The last migration of the page before. */
export interface MigrationPosition {
  createdAt: Date;
  id: string;
}

interface MigrationQuery {
  projectId: string;
  /** Only migrations of this person; null for those of everyone. */
  userKey: string | null;
  after: MigrationPosition | null;
}

/** Losing such a write repeats a step, which changes nothing, so it does not wait for the journal. */
const NOT_JOURNALED = { writeConcern: { w: 1, journal: false } } as const;
const WITHOUT_OUTBOX = { projection: { outbox: 0 } } as const;

export const MIGRATIONS = 'migrations';
/** The name of the former content of a replaced dashboard, which a rollback restores. */
export const FORMER = 'former';
const CONTENTS = 'migrationContents';

/** Migrations and the contents of their steps. */
export class MigrationStore {
  readonly #migrations: ScopedCollection<MigrationDocument>;
  /** Contents belong to a plan, whose key only its migration's document contains. */
  readonly #contents: ScopedCollection<ContentDocument>;
  /** For the sweeps, which resume and clean up after the migrations of all organizations. */
  readonly #allMigrations: PlatformCollection<MigrationDocument>;
  readonly #allContents: PlatformCollection<ContentDocument>;
  readonly #quota: Quota;

  private constructor(database: Db, limitsOf: LimitsOf) {
    this.#migrations = new ScopedCollection(database, { collection: MIGRATIONS, scope: 'organizationId' });
    this.#contents = new ScopedCollection(database, { collection: CONTENTS, scope: 'contentsKey' });
    this.#allMigrations = new PlatformCollection(database, MIGRATIONS);
    this.#allContents = new PlatformCollection(database, CONTENTS);
    this.#quota = new Quota({
      name: 'migrations',
      limits: limitsOf('migrations'),
      count: (scope) => countStored(this.#migrations, scope),
    });
  }

  /** Opens the store and creates its indexes. */
  static async open(database: Db, limitsOf: LimitsOf): Promise<MigrationStore> {
    await createIndexes(database, { [MIGRATIONS]: MIGRATION_INDEXES, [CONTENTS]: CONTENT_INDEXES });
    return new MigrationStore(database, limitsOf);
  }

  /** Stores the contents of a plan's steps, before the migration that refers to them. */
  async insertContents(key: string, texts: ReadonlyMap<string, string>, createdAt: Date): Promise<void> {
    const documents = [...texts].map(([name, text]) => {
      return { _id: `${key} ${name}`, contentsKey: key, name, text, createdAt };
    });
    if (documents.length > 0) await this.#contents.insertMany(key, documents);
  }

  /** Deletes the contents of a plan that is abandoned. */
  async deleteContents(contentsKey: string): Promise<void> {
    await this.#contents.deleteMany(contentsKey, {});
  }

  /** JSON text; null when there is none. */
  async findContent(contentsKey: string, name: string): Promise<string | null> {
    return (await this.#contents.findOne(contentsKey, { _id: `${contentsKey} ${name}` }))?.text ?? null;
  }

  /**
   * Deletes contents older than `before` that no step needs: those of ended migrations, except FORMER,
   * and those without a migration, because the process died while it planned.
   */
  async deleteUnneeded(before: Date): Promise<void> {
    const old = { createdAt: { $lt: before }, name: { $ne: FORMER } };
    const field = { field: 'contentsKey' };
    const keys = await this.#allContents.distinct<string>(old, field);
    if (keys.length === 0) return;
    const named = { contentsKey: { $in: keys } };
    const known = await this.#allMigrations.distinct<string>(named, field);
    const isActive = { ...named, lease: { $exists: true } };
    const active = await this.#allMigrations.distinct<string>(isActive, field);
    const unneeded = keys.filter((key) => !active.includes(key));
    const orphaned = keys.filter((key) => !known.includes(key));
    await this.#allContents.deleteMany({
      $or: [{ contentsKey: { $in: unneeded }, name: { $ne: FORMER } }, { contentsKey: { $in: orphaned } }],
    });
  }

  /**
   * Inserts a migration. Returns null, or the migration that an earlier attempt of the request inserted.
   * Throws MIGRATION_IN_PROGRESS when another one holds one of its locks, and QUOTA_EXCEEDED, to which `kept`
   * counts.
   */
  async insert(
    draft: Omit<MigrationDocument, 'quotaBytes'>,
    kept: string | undefined,
  ): Promise<MigrationDocument | null> {
    const quotaBytes = recordBytes(fieldBytes(draft.steps), fieldBytes(draft.bound), fieldBytes(kept));
    const document = { ...draft, quotaBytes };
    return withLocks(() =>
      this.#quota.insert(document, quotaBytes, {
        insert: () => this.#migrations.insertOne(document.organizationId, document),
        findEarlier: () => this.find(document.organizationId, document._id),
      }),
    );
  }

  find(organizationId: string, id: string): Promise<MigrationDocument | null> {
    return this.#migrations.findOne(organizationId, { _id: id }, WITHOUT_OUTBOX);
  }

  /** Lists migrations from or into a project, newest first. */
  list(
    organizationId: string,
    { projectId, userKey, after }: MigrationQuery,
    limit: number,
  ): Promise<MigrationDocument[]> {
    const condition = {
      projectIds: projectId,
      ...(userKey !== null && { 'actor.userKey': userKey }),
      ...(after !== null && {
        $or: [
          { createdAt: { $lt: after.createdAt } },
          { createdAt: after.createdAt, _id: { $lt: after.id } },
        ],
      }),
    };
    const sort = { createdAt: -1, _id: -1 } as const;
    return this.#migrations.find(organizationId, condition, { ...WITHOUT_OUTBOX, sort, limit });
  }

  /** Writes as the holder of the lease. Throws WriteConflict, and writes nothing, when the lease is lost. */
  async write(
    held: HeldMigration,
    { set, unset = [], events = [] }: MigrationWrite,
  ): Promise<MigrationDocument> {
    const unsetFields = Object.fromEntries(unset.map((field) => [field, '' as const]));
    const change = { $set: set, ...(unset.length > 0 && { $unset: unsetFields }) };
    const update = withEvents<MigrationDocument>(change, events);
    const written = await this.#migrations.findOneAndUpdate(held.organizationId, asHeld(held), {
      update,
      ...WITHOUT_OUTBOX,
    });
    if (written === null) throw new WriteConflict();
    return written;
  }

  /** Records the outcome of a step. Throws WriteConflict when another process holds the lease. */
  async writeStep(held: HeldMigration, index: number, step: Partial<StoredStep>): Promise<void> {
    const fields = Object.entries(step).map(([field, value]) => [`steps.${index}.${field}`, value]);
    const update = withEvents<MigrationDocument>({ $set: Object.fromEntries(fields) as object }, []);
    const change = { update, ...NOT_JOURNALED };
    if (!(await this.#migrations.updateOne(held.organizationId, asHeld(held), change)))
      throw new WriteConflict();
  }

  /** Extends a lease, unless another process holds it. */
  async renewLease(held: HeldMigration, until: Date): Promise<void> {
    const update = { $set: { 'lease.until': until } };
    await this.#migrations.updateOne(held.organizationId, asHeld(held), { update, ...NOT_JOURNALED });
  }

  /** Takes over one migration of any organization whose lease has expired; null when there is none. */
  takeExpired(now: Date, lease: Lease): Promise<MigrationDocument | null> {
    const update = withEvents<MigrationDocument>({ $set: { lease } }, []);
    const isExpired = { 'lease.until': { $lt: now } };
    return this.#allMigrations.findOneAndUpdate(isExpired, { update, ...WITHOUT_OUTBOX });
  }

  /**
   * Begins the rollback of a migration. Throws MIGRATION_IN_PROGRESS when it has changed since it was read,
   * and when another migration holds one of its locks.
   */
  async beginRollback(
    { _id, organizationId, revision }: MigrationDocument,
    { now, ...held }: { locks: string[]; lease: Lease; undoActor: CopyActor; now: Date },
  ): Promise<MigrationDocument> {
    const set = { status: 'rolling_back' as const, ...held, updatedAt: now, endedAt: null };
    const update = withEvents<MigrationDocument>({ $set: set }, []);
    const asRead = { _id, revision, status: 'completed' };
    const begun = await withLocks(() =>
      this.#migrations.findOneAndUpdate(organizationId, asRead, { update, ...WITHOUT_OUTBOX }),
    );
    if (begun === null) throw new AppError('MIGRATION_IN_PROGRESS');
    return begun;
  }
}

/** The condition on a migration whose lease the process holds. */
const asHeld = ({ _id, lease }: HeldMigration) => ({ _id, 'lease.key': lease?.key ?? '' });

/** Runs a write. Throws MIGRATION_IN_PROGRESS when another migration holds one of the locks that it sets. */
async function withLocks<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (cause) {
    throw duplicateKeysOf(cause)?.includes('locks')
      ? new AppError('MIGRATION_IN_PROGRESS', { cause })
      : cause;
  }
}

/** A new lease that begins now. */
export function newLease({ leaseMs }: { leaseMs: number }): Lease {
  return { key: newKey(), until: new Date(Date.now() + leaseMs) };
}

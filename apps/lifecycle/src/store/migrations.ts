import type {
  CloudEvent,
  CommitResult,
  CopyActor,
  CreatedResources,
  MigrationAction,
  MigrationStatus,
  StepState,
} from '@gatehouse/contract';
import { duplicateKeysOf, insertOnce, OUTBOX_INDEX, withEvents, type Outboxed } from '@gatehouse/service';
import type { Collection, Db, Document, Filter, IndexDescription } from 'mongodb';
import type { BoundRecord } from '../logic/migration/plan.js';

/** A step as it is stored. What it writes is stored apart: it is large, and never changes. */
export interface StoredStep {
  name: string;
  action: MigrationAction;
  sourceId: string | null;
  targetId: string | null;
  title: string | null;
  state: StepState;
  /** The version that it left of the dashboard that it made or replaced. */
  version?: number;
}

/** Who works on a migration. Whoever takes it over has another key, and the former one can no longer write. */
export interface Lease {
  key: string;
  until: Date;
}

export interface MigrationDocument extends Outboxed {
  _id: string;
  organizationId: string;
  sourceProjectId: string;
  sourceDashboardId: string;
  targetProjectId: string;
  targetDashboardId: string;
  /** Both projects, for lists. */
  projectIds: string[];
  isReplacing: boolean;
  status: MigrationStatus;
  /** Of the request, to tell a repetition from another. */
  planHash: string;
  bound: BoundRecord[];
  steps: StoredStep[];
  created: CreatedResources;
  tags: string[];
  /** Names the contents of the steps. */
  contentsKey: string;
  /** The version of the replaced dashboard that the plan was made on; null for a new dashboard. */
  expectedVersion: number | null;
  secretHash: string | null;
  commit: { message: string; author: { name: string; email: string } } | null;
  versionControl: CommitResult | null;
  actor: CopyActor;
  /** Who asked for the rollback; absent when nobody has. */
  undoActor?: CopyActor;
  /** Why it is undone, or was; null when somebody asked for it, or it is not. */
  reason: { code: string; message: string } | null;
  /** What no other migration may work on meanwhile; absent once it has ended. */
  locks?: string[];
  /** Absent once it has ended. */
  lease?: Lease;
  createdAt: Date;
  updatedAt: Date;
  endedAt: Date | null;
}

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
  { name: 'byProject', key: { organizationId: 1, projectIds: 1, createdAt: -1, _id: -1 } },
  { name: 'locks', key: { locks: 1 }, unique: true, sparse: true },
  { name: 'lease', key: { 'lease.until': 1 }, sparse: true },
];
const CONTENT_INDEXES: IndexDescription[] = [
  { name: 'byKey', key: { contentsKey: 1 } },
  { name: 'byAge', key: { createdAt: 1 } },
];

/** A change of a migration by the one who holds its lease. */
export interface MigrationWrite {
  set: Partial<MigrationDocument>;
  /** Fields that go. */
  unset?: readonly ('locks' | 'lease')[];
  events?: CloudEvent[];
}

/** Where a page of a list begins. */
export interface MigrationPosition {
  createdAt: Date;
  id: string;
}

/** A step is carried out again when its record is lost: so that record need not wait for the journal. */
const LIGHT = { writeConcern: { w: 1, journal: false } } as const;

export const MIGRATIONS = 'migrations';
/** The name under which what a replaced dashboard held is kept, for as long as its migration is. */
export const FORMER = 'former';
const CONTENTS = 'migrationContents';

export class MigrationStore {
  readonly #migrations: Collection<MigrationDocument>;
  readonly #contents: Collection<ContentDocument>;

  constructor(database: Db) {
    this.#migrations = database.collection(MIGRATIONS);
    this.#contents = database.collection(CONTENTS);
  }

  async createIndexes(): Promise<void> {
    await Promise.all([
      this.#migrations.createIndexes(MIGRATION_INDEXES),
      this.#contents.createIndexes(CONTENT_INDEXES),
    ]);
  }

  /** Keeps what the steps of a plan write, before there is a migration that names it. */
  async insertContents(
    contentsKey: string,
    texts: ReadonlyMap<string, string>,
    createdAt: Date,
  ): Promise<void> {
    const documents = [...texts].map(([name, text]) => ({
      _id: `${contentsKey} ${name}`,
      contentsKey,
      name,
      text,
      createdAt,
    }));
    if (documents.length > 0) await this.#contents.insertMany(documents);
  }

  /** Deletes the contents of a plan that is not carried out after all. */
  async deleteContents(contentsKey: string): Promise<void> {
    await this.#contents.deleteMany({ contentsKey });
  }

  /** JSON text; null when there is none. */
  async findContent(contentsKey: string, name: string): Promise<string | null> {
    return (await this.#contents.findOne({ _id: `${contentsKey} ${name}` }))?.text ?? null;
  }

  /**
   * Deletes contents of before a moment that nobody needs any more: those of migrations that have ended, but for what a rollback
   * puts back, and those that no migration names, because whoever planned it died.
   */
  async deleteUnneeded(before: Date): Promise<void> {
    const old: Filter<ContentDocument> = { createdAt: { $lt: before }, name: { $ne: FORMER } };
    const keys = await this.#contents.distinct('contentsKey', old);
    if (keys.length === 0) return;
    const named = { contentsKey: { $in: keys } };
    const known = await this.#migrations.distinct('contentsKey', named);
    const active = await this.#migrations.distinct('contentsKey', { ...named, lease: { $exists: true } });
    const unneeded = keys.filter((key) => !active.includes(key));
    const orphaned = keys.filter((key) => !known.includes(key));
    await this.#contents.deleteMany({
      $or: [{ contentsKey: { $in: unneeded }, name: { $ne: FORMER } }, { contentsKey: { $in: orphaned } }],
    });
  }

  /**
   * Gives null, or the migration that an earlier run of the same request inserted. False when another migration holds one of its locks.
   */
  async insert(document: MigrationDocument): Promise<MigrationDocument | null | false> {
    try {
      return await insertOnce(
        () => this.#migrations.insertOne(document),
        () => this.find(document.organizationId, document._id),
      );
    } catch (error) {
      if (!duplicateKeysOf(error)?.includes('locks')) throw error;
      return false;
    }
  }

  find(organizationId: string, id: string): Promise<MigrationDocument | null> {
    return this.#migrations.findOne({ _id: id, organizationId }, { projection: { outbox: 0 } });
  }

  /** Those from or into a project, the newest first; of one person alone where a key is given. */
  list(
    organizationId: string,
    {
      projectId,
      userKey,
      after,
    }: { projectId: string; userKey: string | null; after: MigrationPosition | null },
    limit: number,
  ): Promise<MigrationDocument[]> {
    const filter: Filter<MigrationDocument> = {
      organizationId,
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
    return this.#migrations.find(filter, { projection: { outbox: 0 }, sort, limit }).toArray();
  }

  /** Writes as the holder of the lease; null, and nothing written, when another has taken it. */
  async write(
    { _id, lease }: Pick<MigrationDocument, '_id' | 'lease'>,
    { set, unset = [], events = [] }: MigrationWrite,
  ): Promise<MigrationDocument | null> {
    const update = withEvents<MigrationDocument>(
      {
        $set: set,
        ...(unset.length > 0 && { $unset: Object.fromEntries(unset.map((field) => [field, ''])) }),
      },
      events,
    );
    const filter = { _id, 'lease.key': lease?.key ?? '' };
    return this.#migrations.findOneAndUpdate(filter, update, {
      returnDocument: 'after',
      projection: { outbox: 0 },
    });
  }

  /** Notes what became of a step; false when another has taken the lease. */
  async writeStep(
    { _id, lease }: Pick<MigrationDocument, '_id' | 'lease'>,
    index: number,
    { step, fields }: { step: Partial<StoredStep>; fields?: Partial<MigrationDocument> },
  ): Promise<boolean> {
    const named = Object.entries(step).map(([field, value]) => [`steps.${index}.${field}`, value]);
    const update = withEvents<MigrationDocument>({ $set: { ...Object.fromEntries(named), ...fields } }, []);
    const filter = { _id, 'lease.key': lease?.key ?? '' };
    const { matchedCount } = await this.#migrations.updateOne(filter, update, LIGHT);
    return matchedCount === 1;
  }

  /** Lengthens a lease; false when another has taken it. */
  async renewLease(id: string, { key, until }: Lease): Promise<boolean> {
    const filter = { _id: id, 'lease.key': key };
    return (
      (await this.#migrations.updateOne(filter, { $set: { 'lease.until': until } }, LIGHT)).matchedCount === 1
    );
  }

  /** Takes over one migration whose lease has run out; null when there is none. */
  takeLapsed(now: Date, lease: Lease): Promise<MigrationDocument | null> {
    const update = withEvents<MigrationDocument>({ $set: { lease } }, []);
    return this.#migrations.findOneAndUpdate({ 'lease.until': { $lt: now } }, update, {
      returnDocument: 'after',
      projection: { outbox: 0 },
    });
  }

  /**
   * Begins the rollback of a migration as it was read. Null when it has changed since; false when another migration holds one
   * of its locks.
   */
  async beginRollback(
    { _id, revision }: Pick<MigrationDocument, '_id' | 'revision'>,
    { now, ...held }: { locks: string[]; lease: Lease; undoActor: CopyActor; now: Date },
  ): Promise<MigrationDocument | null | false> {
    const set: Document = { status: 'rolling_back', ...held, updatedAt: now, endedAt: null };
    try {
      return await this.#migrations.findOneAndUpdate(
        { _id, revision, status: 'completed' },
        withEvents<MigrationDocument>({ $set: set }, []),
        { returnDocument: 'after', projection: { outbox: 0 } },
      );
    } catch (error) {
      if (!duplicateKeysOf(error)?.includes('locks')) throw error;
      return false;
    }
  }
}

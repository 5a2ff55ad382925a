import type { WebhookDeliveryStatus } from '@gatehouse/contract';
import {
  createIndexes,
  orNotFound,
  PlatformCollection,
  ScopedCollection,
  usageIndex,
  WriteConflict,
} from '@gatehouse/service';
import type { Db, IndexDescription } from 'mongodb';
import { DeliveryQuota } from './deliveryQuota.js';
import type { DeliveryDocument, StoredAttempt } from './documents.js';
import type { Waiting } from './logic/schedule.js';

const DELIVERIES = 'webhookDeliveries';

const LATEST_FIRST = { createdAt: -1, _id: -1 } as const;
/** Restricts an index to documents with the field: an index of active deliveries stays small. */
const having = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });
const WAITING_OF_ORGANIZATION = 'waitingOfOrganization';
const INDEXES: IndexDescription[] = [
  { name: 'byWebhook', key: { webhookId: 1, ...LATEST_FIRST } },
  { name: 'byStatus', key: { webhookId: 1, status: 1, ...LATEST_FIRST } },
  { name: 'waiting', key: { webhookId: 1, nextAttemptAt: 1 }, ...having('nextAttemptAt') },
  {
    name: WAITING_OF_ORGANIZATION,
    key: { organizationId: 1, webhookId: 1, nextAttemptAt: 1 },
    ...having('nextAttemptAt'),
  },
  { name: 'leased', key: { leaseId: 1 }, ...having('leaseId') },
  { name: 'ended', key: { endedAt: 1 }, ...having('endedAt') },
  { name: 'endedOfOrganization', key: { organizationId: 1, status: 1, endedAt: 1 }, ...having('endedAt') },
  usageIndex(),
];

/** Creates every missing index. */
export async function createDeliveryIndexes(database: Db): Promise<void> {
  await createIndexes(database, { [DELIVERIES]: INDEXES });
}

/** A delivery without its body. */
export type DeliverySummary = Omit<DeliveryDocument, 'body'>;

/** The ids of a delivery that is being sent. */
export type Leased = Pick<DeliveryDocument, '_id' | 'organizationId' | 'webhookId'> & { leaseId: string };

/** The delivery of a webhook that has waited longest. */
export type FirstWaiting = Pick<DeliveryDocument, 'organizationId' | 'webhookId'> & { nextAttemptAt: Date };

/** The result of an attempt: the time of the next one, or the end. */
export type AttemptEnd = {
  attempt: StoredAttempt;
  now: Date;
} & ({ status: 'delivered' | 'failed' } | { status: 'pending'; nextAttemptAt: Date });

interface DeliveryPage {
  status?: WebhookDeliveryStatus | undefined;
  limit: number;
  /** The last delivery of the previous page. */
  after?: { createdAt: Date; id: string } | undefined;
}

const ATTEMPTS_KEPT = 50;
/**
 * A write that a database crash undoes is repeated, and the event sent twice. So it need not wait for the
 * journal.
 */
const UNDONE_IS_REPEATED = { writeConcern: { w: 1, journal: false } } as const;
const summary = { body: 0 } as const;

export class DeliveryStore {
  readonly #deliveries: ScopedCollection<DeliveryDocument>;
  /** For the worker and the sweeps, which serve all organizations. */
  readonly #platform: PlatformCollection<DeliveryDocument>;
  readonly #quota: DeliveryQuota;

  /** @param bytesMax the bytes of the deliveries of one organization; 0 sets no limit */
  constructor(database: Db, bytesMax: number) {
    this.#deliveries = new ScopedCollection(database, { collection: DELIVERIES, scope: 'organizationId' });
    this.#platform = new PlatformCollection(database, DELIVERIES);
    this.#quota = new DeliveryQuota(this.#deliveries, bytesMax);
  }

  /** See {@link DeliveryQuota.insertAll}. */
  insertAll(organizationId: string, deliveries: readonly DeliveryDocument[]): Promise<boolean> {
    return this.#quota.insertAll(organizationId, deliveries);
  }

  /** See {@link DeliveryQuota.insertWithRoom}. */
  insertWithRoom(organizationId: string, deliveries: readonly DeliveryDocument[]): Promise<boolean> {
    return this.#quota.insertWithRoom(organizationId, deliveries);
  }

  /** Returns the id of the webhook with the most waiting deliveries; null if none waits. */
  async findMostWaiting(organizationId: string): Promise<string | null> {
    const stages = [{ $sortByCount: '$webhookId' }, { $limit: 1 }];
    // A comparison, unlike `$exists`, reads the index alone: deliveries have up to megabytes.
    const isWaiting = { nextAttemptAt: { $gt: new Date(0) } };
    const options = { stages, hint: WAITING_OF_ORGANIZATION };
    const [most] = await this.#deliveries.aggregate<{ _id: string }>(organizationId, isWaiting, options);
    return most?._id ?? null;
  }

  async get(organizationId: string, webhookId: string, id: string): Promise<DeliveryDocument> {
    return orNotFound(await this.#deliveries.findOne(organizationId, { _id: id, webhookId }));
  }

  /** A page of the deliveries of a webhook, latest first. */
  async page(
    organizationId: string,
    webhookId: string,
    { status, limit, after }: DeliveryPage,
  ): Promise<DeliverySummary[]> {
    const condition = {
      webhookId,
      ...(status && { status }),
      ...(after && {
        $or: [
          { createdAt: { $lt: after.createdAt } },
          { createdAt: after.createdAt, _id: { $lt: after.id } },
        ],
      }),
    };
    const sort = { createdAt: -1, _id: -1 } as const;
    return this.#deliveries.find<DeliverySummary>(organizationId, condition, {
      sort,
      limit,
      projection: summary,
    });
  }

  /** Makes an ended delivery wait again. Throws WriteConflict when it waits or is being sent. */
  async replay(
    organizationId: string,
    { _id, webhookId }: Pick<DeliveryDocument, '_id' | 'webhookId'>,
    { now, replayKey }: { now: Date; replayKey?: string | undefined },
  ): Promise<DeliverySummary> {
    const waiting = { status: 'pending' as const, tries: 0, nextAttemptAt: now, updatedAt: now };
    const replayed = await this.#deliveries.findOneAndUpdate<DeliverySummary>(
      organizationId,
      { _id, webhookId, endedAt: { $exists: true } },
      {
        update: { $set: { ...waiting, ...(replayKey && { replayKey }) }, $unset: { endedAt: '' } },
        projection: summary,
      },
    );
    if (replayed === null) throw new WriteConflict();
    return replayed;
  }

  /** Makes failed deliveries since a moment wait again; returns their number. */
  replayFailed(
    organizationId: string,
    webhookId: string,
    { since, now }: { since: Date; now: Date },
  ): Promise<number> {
    const waiting = { status: 'pending' as const, tries: 0, nextAttemptAt: now, updatedAt: now };
    const condition = { webhookId, status: 'failed', createdAt: { $gte: since } };
    const update = { $set: waiting, $unset: { endedAt: '' as const } };
    return this.#deliveries.updateMany(organizationId, condition, { update });
  }

  /** Ends the waiting deliveries as failed. */
  async failWaiting(organizationId: string, webhookId: string, now: Date): Promise<void> {
    const isWaiting = { webhookId, nextAttemptAt: { $exists: true } };
    await this.#deliveries.updateMany(organizationId, isWaiting, {
      update: { $set: { status: 'failed', endedAt: now, updatedAt: now }, $unset: { nextAttemptAt: '' } },
    });
  }

  async deleteOf(organizationId: string, webhookId: string): Promise<void> {
    await this.#deliveries.deleteMany(organizationId, { webhookId });
  }

  /** Leases the delivery that has been due longest; null when none is due. */
  claimNext(
    organizationId: string,
    webhookId: string,
    { now, horizon, leaseId }: Waiting & { leaseId: string },
  ): Promise<DeliveryDocument | null> {
    const isDue = { webhookId, $or: [{ nextAttemptAt: { $lte: now } }, { nextAttemptAt: { $gt: horizon } }] };
    return this.#deliveries.findOneAndUpdate(organizationId, isDue, {
      update: { $set: { leaseId }, $unset: { nextAttemptAt: '' } },
      sort: { nextAttemptAt: 1 },
      ...UNDONE_IS_REPEATED,
    });
  }

  /** Releases the lease of a delivery that was not sent. */
  async release(
    organizationId: string,
    { _id, webhookId, leaseId }: Leased,
    nextAttemptAt: Date,
  ): Promise<void> {
    const update = { $set: { nextAttemptAt }, $unset: { leaseId: '' as const } };
    await this.#deliveries.updateOne(organizationId, { _id, webhookId, leaseId }, { update });
  }

  /** Records an attempt of a leased delivery; false when the lease has changed. */
  endAttempt(organizationId: string, { _id, webhookId, leaseId }: Leased, end: AttemptEnd): Promise<boolean> {
    const { attempt, now, status } = end;
    const next = status === 'pending' ? { nextAttemptAt: end.nextAttemptAt } : { endedAt: now };
    const update = {
      $set: { status, updatedAt: now, ...next },
      $unset: { leaseId: '' as const },
      $inc: { tries: attempt.failure === null ? 0 : 1 },
      $push: { attempts: { $each: [attempt], $slice: -ATTEMPTS_KEPT } },
    };
    const condition = { _id, webhookId, leaseId };
    return this.#deliveries.updateOne(organizationId, condition, { update, ...UNDONE_IS_REPEATED });
  }

  /**
   * The longest waiting delivery of the next webhook that has one, in the order of ids, across organizations.
   */
  findFirstWaiting(afterWebhookId: string): Promise<FirstWaiting | null> {
    return this.#platform.findOne<FirstWaiting>(
      { webhookId: { $gt: afterWebhookId }, nextAttemptAt: { $exists: true } },
      {
        sort: { webhookId: 1, nextAttemptAt: 1 },
        projection: { _id: 0, organizationId: 1, webhookId: 1, nextAttemptAt: 1 },
      },
    );
  }

  /** The deliveries that are being sent, across organizations. */
  listLeased(): Promise<(Leased & Pick<DeliveryDocument, 'tries'>)[]> {
    const projection = { organizationId: 1, webhookId: 1, leaseId: 1, tries: 1 } as const;
    return this.#platform.find({ leaseId: { $exists: true } }, { projection });
  }

  /** Deletes the deliveries that ended before a moment, across organizations. */
  async deleteEnded(before: Date): Promise<void> {
    await this.#platform.deleteMany({ endedAt: { $lt: before } });
  }
}

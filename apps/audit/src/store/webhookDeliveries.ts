import { AppError, type WebhookDeliveryStatus } from '@gatehouse/contract';
import { insertMissing } from '@gatehouse/service';
import type { Collection, Db, Filter } from 'mongodb';
import type { Waiting } from '../logic/deliverySchedule.js';
import type { DeliveryDocument, StoredAttempt } from './webhookDocuments.js';
import { DELIVERIES } from './webhookIndexes.js';

/** A delivery without what it carries. */
export type DeliverySummary = Omit<DeliveryDocument, 'body'>;

/** Names a delivery that somebody sends. */
export type Leased = Pick<DeliveryDocument, '_id' | 'organizationId' | 'webhookId'> & { leaseId: string };

/** One that waits, of each webhook that has any the one that has waited longest. */
export type FirstWaiting = Pick<DeliveryDocument, 'organizationId' | 'webhookId'> & { nextAttemptAt: Date };

/** What an attempt has come to: the time of the next one, or the end. */
export type AttemptEnd = {
  attempt: StoredAttempt;
  now: Date;
} & ({ status: 'delivered' | 'failed' } | { status: 'pending'; nextAttemptAt: Date });

interface DeliveryPage {
  status?: WebhookDeliveryStatus | undefined;
  limit: number;
  /** The last of the page before. */
  after?: { createdAt: Date; id: string } | undefined;
}

const ATTEMPTS_KEPT = 50;
/** What a crash of the database undoes of it is done again: an event is sent twice. So it need not wait for the journal. */
const UNDONE_IS_REPEATED = { writeConcern: { w: 1, journal: false } } as const;
const summary = { body: 0 } as const;

export class DeliveryStore {
  readonly #collection: Collection<DeliveryDocument>;

  constructor(database: Db) {
    this.#collection = database.collection(DELIVERIES);
  }

  /** Stores those that are not there yet. */
  async insertAll(organizationId: string, deliveries: readonly DeliveryDocument[]): Promise<void> {
    const documents = deliveries.map((delivery) => ({ ...delivery, organizationId }));
    await insertMissing(this.#collection, documents);
  }

  async get(organizationId: string, webhookId: string, id: string): Promise<DeliveryDocument> {
    const delivery = await this.#collection.findOne({ _id: id, organizationId, webhookId });
    if (delivery === null) throw new AppError('NOT_FOUND');
    return delivery;
  }

  /** A page of the deliveries of a webhook, the latest first. */
  async page(
    organizationId: string,
    webhookId: string,
    { status, limit, after }: DeliveryPage,
  ): Promise<DeliverySummary[]> {
    const filter: Filter<DeliveryDocument> = {
      organizationId,
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
    return this.#collection.find(filter, { sort, limit, projection: summary }).toArray();
  }

  /** Makes one that has ended wait again; null when it waits or is being sent. */
  replay(
    organizationId: string,
    { _id, webhookId }: Pick<DeliveryDocument, '_id' | 'webhookId'>,
    { now, replayKey }: { now: Date; replayKey?: string | undefined },
  ): Promise<DeliverySummary | null> {
    return this.#collection.findOneAndUpdate(
      { _id, organizationId, webhookId, endedAt: { $exists: true } },
      {
        $set: {
          status: 'pending',
          tries: 0,
          nextAttemptAt: now,
          updatedAt: now,
          ...(replayKey && { replayKey }),
        },
        $unset: { endedAt: '' },
      },
      { returnDocument: 'after', projection: summary },
    );
  }

  /** Makes those that have failed since a moment wait again; gives their number. */
  async replayFailed(organizationId: string, webhookId: string, { since, now }: { since: Date; now: Date }) {
    const { modifiedCount } = await this.#collection.updateMany(
      { organizationId, webhookId, status: 'failed', createdAt: { $gte: since } },
      {
        $set: { status: 'pending', tries: 0, nextAttemptAt: now, updatedAt: now },
        $unset: { endedAt: '' },
      },
    );
    return modifiedCount;
  }

  /** Ends those that wait, as failed. */
  async failWaiting(organizationId: string, webhookId: string, now: Date): Promise<void> {
    await this.#collection.updateMany(
      { organizationId, webhookId, nextAttemptAt: { $exists: true } },
      { $set: { status: 'failed', endedAt: now, updatedAt: now }, $unset: { nextAttemptAt: '' } },
    );
  }

  async deleteOf(organizationId: string, webhookId: string): Promise<void> {
    await this.#collection.deleteMany({ organizationId, webhookId });
  }

  /** Takes the one that has been due longest; null when none is. */
  claimNext(
    organizationId: string,
    webhookId: string,
    { now, horizon, leaseId }: Waiting & { leaseId: string },
  ): Promise<DeliveryDocument | null> {
    return this.#collection.findOneAndUpdate(
      {
        organizationId,
        webhookId,
        $or: [{ nextAttemptAt: { $lte: now } }, { nextAttemptAt: { $gt: horizon } }],
      },
      { $set: { leaseId }, $unset: { nextAttemptAt: '' } },
      { sort: { nextAttemptAt: 1 }, returnDocument: 'after', ...UNDONE_IS_REPEATED },
    );
  }

  /** Gives back one that was taken and not sent. */
  async release(organizationId: string, { _id, leaseId }: Leased, nextAttemptAt: Date): Promise<void> {
    await this.#collection.updateOne(
      { _id, organizationId, leaseId },
      { $set: { nextAttemptAt }, $unset: { leaseId: '' } },
    );
  }

  /** Notes an attempt of one that was taken; false when it is somebody else's by now. */
  async endAttempt(organizationId: string, { _id, leaseId }: Leased, end: AttemptEnd): Promise<boolean> {
    const { attempt, now, status } = end;
    const next = status === 'pending' ? { nextAttemptAt: end.nextAttemptAt } : { endedAt: now };
    const { matchedCount } = await this.#collection.updateOne(
      { _id, organizationId, leaseId },
      {
        $set: { status, updatedAt: now, ...next },
        $unset: { leaseId: '' },
        $inc: { tries: attempt.failure === null ? 0 : 1 },
        $push: { attempts: { $each: [attempt], $slice: -ATTEMPTS_KEPT } },
      },
      UNDONE_IS_REPEATED,
    );
    return matchedCount === 1;
  }

  /** Of all organizations: the next webhook, in the order of ids, for which something waits, and what has waited longest. */
  async findFirstWaiting(afterWebhookId: string): Promise<FirstWaiting | null> {
    const found = await this.#collection.findOne(
      { webhookId: { $gt: afterWebhookId }, nextAttemptAt: { $exists: true } },
      {
        sort: { webhookId: 1, nextAttemptAt: 1 },
        projection: { _id: 0, organizationId: 1, webhookId: 1, nextAttemptAt: 1 },
      },
    );
    return found as FirstWaiting | null;
  }

  /** Of all organizations: those that somebody sends. */
  async listLeased(): Promise<(Leased & Pick<DeliveryDocument, 'tries'>)[]> {
    const projection = { organizationId: 1, webhookId: 1, leaseId: 1, tries: 1 } as const;
    const found = await this.#collection.find({ leaseId: { $exists: true } }, { projection }).toArray();
    return found as (DeliveryDocument & { leaseId: string })[];
  }

  /** Forgets, of all organizations, those that ended before a moment. */
  async deleteEnded(before: Date): Promise<void> {
    await this.#collection.deleteMany({ endedAt: { $lt: before } });
  }
}

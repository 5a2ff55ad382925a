import { AppError, type CloudEvent } from '@gatehouse/contract';
import { insertOnce, outboxOf, SharedCalls, tombstone, withEvents, type Outboxed } from '@gatehouse/service';
import type { Collection, Db, Filter } from 'mongodb';
import type { WebhookDocument } from './webhookDocuments.js';
import { WEBHOOKS } from './webhookIndexes.js';

/** The events of a write and its time. */
interface Written {
  events: CloudEvent[];
  now: Date;
}

/** A new webhook without the fields that the store sets. */
export type WebhookDraft = Omit<
  WebhookDocument,
  'organizationId' | 'version' | 'createdAt' | 'updatedAt' | keyof Outboxed
>;

type Current = Pick<WebhookDocument, '_id' | 'revision'>;

const LIVE = { deletedAt: { $exists: false } } as const;
const projection = { outbox: 0 } as const;
const sort = { createdAt: 1, _id: 1 } as const;

/** Webhooks. Every change of one names the revision that it was decided on and is refused when there is a later one. */
export class WebhookStore {
  readonly #collection: Collection<WebhookDocument>;
  readonly #enabled = new SharedCalls<string, never, WebhookDocument[]>(
    (organizationId) => organizationId,
    (organizationId) => this.#collection.find({ organizationId, isEnabled: true }, { projection }).toArray(),
  );

  constructor(database: Db) {
    this.#collection = database.collection(WEBHOOKS);
  }

  find(organizationId: string, id: string): Promise<WebhookDocument | null> {
    return this.#collection.findOne({ _id: id, organizationId, ...LIVE }, { projection });
  }

  async get(organizationId: string, id: string): Promise<WebhookDocument> {
    const webhook = await this.find(organizationId, id);
    if (webhook === null) throw new AppError('NOT_FOUND');
    return webhook;
  }

  /** All of the organization, in the order in which they were made. */
  list(organizationId: string): Promise<WebhookDocument[]> {
    return this.#collection.find({ organizationId, ...LIVE }, { projection, sort }).toArray();
  }

  /** Those that are sent something; all who ask at the same time share the answer. */
  listEnabled(organizationId: string): Promise<readonly WebhookDocument[]> {
    return this.#enabled.make(organizationId, []);
  }

  /** Gives the webhook as it is stored, also when an earlier run of the same operation did it. */
  async insert(
    organizationId: string,
    draft: WebhookDraft,
    { events, now }: Written,
  ): Promise<WebhookDocument> {
    const made = { organizationId, version: 1, createdAt: now, updatedAt: now, ...outboxOf(events) };
    const document: WebhookDocument = { ...draft, ...made };
    const earlier = await insertOnce(
      () => this.#collection.insertOne(document),
      () => this.find(organizationId, document._id),
    );
    return earlier ?? document;
  }

  /** Sets fields of a webhook as it was read; null when it has changed since. */
  update(
    organizationId: string,
    current: Current,
    { set, events, now }: Written & { set: Partial<WebhookDocument> },
  ): Promise<WebhookDocument | null> {
    const update = { $set: { ...set, updatedAt: now }, $inc: { version: 1 } };
    return this.#collection.findOneAndUpdate(
      this.#asRead(organizationId, current),
      withEvents<WebhookDocument>(update, events),
      { returnDocument: 'after', projection },
    );
  }

  /** Deletes a webhook as it was read; false when it has changed since. */
  async delete(organizationId: string, current: Current, { events, now }: Written): Promise<boolean> {
    const { matchedCount } = await this.#collection.updateOne(
      this.#asRead(organizationId, current),
      tombstone(events, now, ['organizationId']),
    );
    return matchedCount === 1;
  }

  /** Notes since when nothing gets through; an earlier note stays. */
  async noteFailure(organizationId: string, id: string, failingSince: Date): Promise<void> {
    await this.#collection.updateOne(
      { _id: id, organizationId, failingSince: null, ...LIVE },
      { $set: { failingSince } },
    );
  }

  async noteSuccess(organizationId: string, id: string): Promise<void> {
    await this.#collection.updateOne({ _id: id, organizationId, ...LIVE }, { $set: { failingSince: null } });
  }

  /** Forgets, of all organizations, the former secrets that do not sign any more. */
  async dropFormerSecrets(now: Date): Promise<void> {
    await this.#collection.updateMany(
      { 'formerSecrets.until': { $lte: now } },
      { $pull: { formerSecrets: { until: { $lte: now } } } },
    );
  }

  #asRead(organizationId: string, { _id, revision }: Current): Filter<WebhookDocument> {
    return { _id, organizationId, revision, ...LIVE };
  }
}

import type { WebhookDisabledReason } from '@gatehouse/contract';
import {
  createIndexes,
  OUTBOX_INDEX,
  PlatformCollection,
  RecordStore,
  CallBatcher,
  type Draft,
  type LimitsOf,
  type ListSlice,
  type Slice,
  type StoredRecord,
} from '@gatehouse/service';
import type { Db } from 'mongodb';
import type { FormerSecret } from './logic/secrets.js';

export const WEBHOOKS = 'webhooks';

export interface WebhookDocument extends StoredRecord {
  url: string;
  description: string;
  eventTypes: string[];
  projectId: string | null;
  isEnabled: boolean;
  disabledReason: WebhookDisabledReason | null;
  sealedSecret: string;
  /** Latest first. */
  formerSecrets: FormerSecret[];
  /**
   * The first failure since the last success. Not part of the record: its writes do not change the version.
   */
  failingSince: Date | null;
}

/** A new webhook without the fields that the store sets. */
export type WebhookDraft = Draft<WebhookDocument, 'organizationId'>;

const LIVE = { deletedAt: { $exists: false } } as const;

/** Creates every missing index. */
export async function createWebhookIndexes(database: Db): Promise<void> {
  const byCreation = { name: 'byCreation', key: { organizationId: 1, createdAt: 1, _id: 1 } };
  await createIndexes(database, { [WEBHOOKS]: [OUTBOX_INDEX, byCreation] });
}

/** The webhooks of organizations. */
export class WebhookStore extends RecordStore<WebhookDocument, 'organizationId'> {
  /** The webhooks of all organizations, for the sweep of former secrets. */
  readonly #allOrganizations: PlatformCollection<WebhookDocument>;
  readonly #enabled = new CallBatcher<string, never, WebhookDocument[]>(
    (organizationId) => organizationId,
    (organizationId) => this.findMany(organizationId, { isEnabled: true }),
  );

  constructor(database: Db, limitsOf: LimitsOf) {
    // Webhooks are too small to count bytes.
    super(database, limitsOf, {
      collection: WEBHOOKS,
      scope: 'organizationId',
      quota: 'webhooks',
      live: LIVE,
    });
    this.#allOrganizations = new PlatformCollection(database, WEBHOOKS);
  }

  find(organizationId: string, id: string): Promise<WebhookDocument | null> {
    return this.findByKey(organizationId, id);
  }

  /** Throws NOT_FOUND. */
  get(organizationId: string, id: string): Promise<WebhookDocument> {
    return this.getByKey(organizationId, id);
  }

  /** A part of the webhooks of the organization, in the order of their creation. */
  list(organizationId: string, slice: ListSlice): Promise<Slice<WebhookDocument>> {
    return this.findSlice(organizationId, {}, { by: 'createdAt', ...slice });
  }

  /** The enabled webhooks. Concurrent calls share one query. */
  listEnabled(organizationId: string): Promise<readonly WebhookDocument[]> {
    return this.#enabled.load(organizationId, []);
  }

  /** Records the first failure; an earlier one stays. */
  async noteFailure(organizationId: string, id: string, failingSince: Date): Promise<void> {
    await this.note(organizationId, { _id: id, failingSince: null }, { failingSince });
  }

  async noteSuccess(organizationId: string, id: string): Promise<void> {
    await this.note(organizationId, { _id: id }, { failingSince: null });
  }

  /** Deletes, across organizations, the former secrets that no longer sign. */
  async dropFormerSecrets(now: Date): Promise<void> {
    await this.#allOrganizations.updateMany(
      { 'formerSecrets.until': { $lte: now } },
      { update: { $pull: { formerSecrets: { until: { $lte: now } } } } },
    );
  }

  protected override async countUsage(organizationId: string): Promise<{ records: number; bytes: number }> {
    return { records: await this.countMatching(organizationId, {}), bytes: 0 };
  }
}

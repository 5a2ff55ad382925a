import {
  countStored,
  fieldBytes,
  findAppError,
  Quota,
  recordBytes,
  type ScopedCollection,
  type Sized,
} from '@gatehouse/service';
import type { DeliveryDocument } from './documents.js';

/** The most ended deliveries that are deleted at once to make room for new ones. */
const DELETED_AT_ONCE = 1000;
/** The part of the bytes of an organization that is made free at least, so that few writes must do it. */
const FREED_PART = 0.01;

type EndedDelivery = Pick<DeliveryDocument, '_id' | 'webhookId' | 'quotaBytes'>;

function bytesOf({ body }: Pick<DeliveryDocument, 'body'>): number {
  return recordBytes(fieldBytes(body));
}

/** Deliveries of an earlier version have no size. */
const sizeOf = ({ quotaBytes = recordBytes() }: Sized) => quotaBytes;

/** Limits the bytes of the deliveries of an organization. */
export class DeliveryQuota {
  readonly #deliveries: ScopedCollection<DeliveryDocument>;
  readonly #bytesMax: number;
  readonly #quota: Quota;

  /** @param bytesMax 0 sets no limit */
  constructor(deliveries: ScopedCollection<DeliveryDocument>, bytesMax: number) {
    this.#deliveries = deliveries;
    this.#bytesMax = bytesMax;
    this.#quota = new Quota({
      name: 'webhook deliveries',
      limits: { records: 0, bytes: bytesMax, tenantPercent: 0 },
      count: (scope) => countStored(deliveries, scope),
    });
  }

  /**
   * Inserts the missing ones. If the organization has too many bytes of deliveries, ended ones are deleted
   * first. Returns false if the others leave no room.
   */
  async insertAll(organizationId: string, deliveries: readonly DeliveryDocument[]): Promise<boolean> {
    const sized = deliveries.map((delivery) => ({ ...delivery, quotaBytes: bytesOf(delivery) }));
    const bytes = sized.reduce((sum, each) => sum + sizeOf(each), 0);
    const insert = () => this.#deliveries.insertMissing(organizationId, sized);
    try {
      await this.#quota.change({ organizationId }, { records: sized.length, bytes }, insert);
      return true;
    } catch (error) {
      if (findAppError(error)?.code !== 'QUOTA_EXCEEDED') throw error;
    }
    const freed = await this.#makeRoom(organizationId, bytes);
    if (freed === null) return false;
    await insert();
    this.#quota.release({ organizationId }, { records: 0, bytes: freed - bytes });
    return true;
  }

  /**
   * Deletes as many ended deliveries as new ones of these bytes need. Returns the bytes of the deleted ones;
   * null if they are too few, or if the new ones alone exceed the limit.
   */
  async #makeRoom(organizationId: string, bytes: number): Promise<number | null> {
    if (bytes > this.#bytesMax) return null;
    // The quota may not know of deletions yet.
    const used = await countStored(this.#deliveries, { organizationId });
    const excess = used.bytes + bytes - this.#bytesMax;
    if (excess <= 0) return 0;
    const wanted = Math.max(excess, this.#bytesMax * FREED_PART);
    let freed = 0;
    for (let deleted = 1; deleted > 0 && freed < wanted; freed += deleted)
      deleted = await this.#deleteOldest(organizationId, wanted - freed);
    return freed < excess ? null : freed;
  }

  /**
   * Deletes ended deliveries of these bytes, {@link DELETED_AT_ONCE} at most, the oldest first: delivered
   * ones, then failed ones. Returns the bytes of the deleted ones.
   */
  async #deleteOldest(organizationId: string, bytes: number): Promise<number> {
    const hasEnded = { endedAt: { $exists: true } };
    const found = await this.#deliveries.find<EndedDelivery>(organizationId, hasEnded, {
      sort: { status: 1, endedAt: 1 },
      limit: DELETED_AT_ONCE,
      projection: { webhookId: 1, quotaBytes: 1 },
      hint: 'endedOfOrganization',
    });
    const deleted: EndedDelivery[] = [];
    let freed = 0;
    for (const each of found) {
      if (freed >= bytes) break;
      deleted.push(each);
      freed += sizeOf(each);
    }
    const ids = deleted.map(({ _id }) => _id);
    const webhookIds = [...new Set(deleted.map(({ webhookId }) => webhookId))];
    const condition = { _id: { $in: ids }, webhookId: { $in: webhookIds }, ...hasEnded };
    await this.#deliveries.deleteMany(organizationId, condition);
    return freed;
  }
}

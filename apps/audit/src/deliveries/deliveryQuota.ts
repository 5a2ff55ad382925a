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

const sum = (sizes: readonly number[]) => sizes.reduce((total, size) => total + size, 0);

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

  /** Inserts the missing ones. Returns false if they would exceed the limit. */
  async insertAll(organizationId: string, deliveries: readonly DeliveryDocument[]): Promise<boolean> {
    const sized = deliveries.map((delivery) => ({ ...delivery, quotaBytes: bytesOf(delivery) }));
    const growth = { records: sized.length, bytes: sum(sized.map(sizeOf)) };
    const insert = () => this.#deliveries.insertMissing(organizationId, sized);
    try {
      await this.#quota.change({ organizationId }, growth, insert);
      return true;
    } catch (error) {
      if (findAppError(error)?.code !== 'QUOTA_EXCEEDED') throw error;
      return false;
    }
  }

  /**
   * As `insertAll`, but deletes ended deliveries as long as the missing ones exceed the limit. Returns false
   * if the others leave no room. Concurrent calls for an organization would delete the same ones.
   */
  async insertWithRoom(organizationId: string, deliveries: readonly DeliveryDocument[]): Promise<boolean> {
    const ids = deliveries.map(({ _id }) => _id);
    const webhookIds = deliveries.map(({ webhookId }) => webhookId);
    const condition = { _id: { $in: ids }, webhookId: { $in: webhookIds } };
    const projection = { _id: 1 } as const;
    const found = await this.#deliveries.find<{ _id: string }>(organizationId, condition, { projection });
    const stored = new Set(found.map(({ _id }) => _id));
    const missing = deliveries.filter(({ _id }) => !stored.has(_id));
    const bytes = sum(missing.map(bytesOf));
    while (!(await this.insertAll(organizationId, missing)))
      if (!(await this.#makeRoom(organizationId, bytes))) return false;
    return true;
  }

  /**
   * Deletes as many ended deliveries as new ones of these bytes need. Returns false if they are too few, or
   * if the new ones alone exceed the limit.
   */
  async #makeRoom(organizationId: string, bytes: number): Promise<boolean> {
    if (bytes > this.#bytesMax) return false;
    // The quota may not know of deletions yet.
    const used = await this.#quota.recount({ organizationId });
    const excess = used.bytes + bytes - this.#bytesMax;
    if (excess <= 0) return true;
    const wanted = Math.max(excess, this.#bytesMax * FREED_PART);
    let freed = 0;
    for (let deleted = 1; deleted > 0 && freed < wanted; freed += deleted)
      deleted = await this.#deleteOldest(organizationId, wanted - freed);
    this.#quota.release({ organizationId }, { records: 0, bytes: freed });
    return freed >= excess;
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

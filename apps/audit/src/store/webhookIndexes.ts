import { OUTBOX_INDEX } from '@gatehouse/service';
import type { Db, IndexDescription } from 'mongodb';

export const WEBHOOKS = 'webhooks';
export const DELIVERIES = 'webhookDeliveries';

const LATEST_FIRST = { createdAt: -1, _id: -1 } as const;
/** Without an entry for what has no such field: an index of what is at work holds nothing else. */
const whoHas = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } });

const INDEXES: Record<string, IndexDescription[]> = {
  [WEBHOOKS]: [OUTBOX_INDEX, { name: 'byCreation', key: { organizationId: 1, createdAt: 1, _id: 1 } }],
  [DELIVERIES]: [
    { name: 'byWebhook', key: { webhookId: 1, ...LATEST_FIRST } },
    { name: 'byStatus', key: { webhookId: 1, status: 1, ...LATEST_FIRST } },
    { name: 'waiting', key: { webhookId: 1, nextAttemptAt: 1 }, ...whoHas('nextAttemptAt') },
    { name: 'leased', key: { leaseId: 1 }, ...whoHas('leaseId') },
    { name: 'ended', key: { endedAt: 1 }, ...whoHas('endedAt') },
  ],
};

/** Makes every index of webhooks and deliveries that is missing. */
export async function createWebhookIndexes(database: Db): Promise<void> {
  const collections = Object.entries(INDEXES);
  await Promise.all(collections.map(([name, indexes]) => database.collection(name).createIndexes(indexes)));
}

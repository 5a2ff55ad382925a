import type { Webhook, WebhookDelivery } from '@gatehouse/contract';
import { byCursor } from '../../data/listSources.js';
import type { ListSource } from '../../data/useList.js';
import { versioned, type RecordSource } from '../../data/useRecord.js';

const PART = 100;
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The webhooks of the organization: a hundred at most, so that they are searched here. */
export function webhookSource(search: string): ListSource<Webhook> {
  const wanted = search.toLowerCase();
  return {
    key: ['webhooks', search],
    load: async (api, next, signal) => {
      const cursor = typeof next === 'string' ? { cursor: next } : {};
      const { webhooks, nextCursor } = await api.listWebhooks(cursor, { signal });
      const found = webhooks.filter(({ url, description }) =>
        `${url} ${description}`.toLowerCase().includes(wanted),
      );
      return byCursor(found, nextCursor);
    },
  };
}

export function webhookRecord(id: string): RecordSource<Webhook> {
  return {
    key: ['webhooks', id],
    load: async (api, signal) =>
      versioned(await api.withResponse.getWebhook({ id }, { signal }), ({ webhook }) => webhook),
  };
}

/** The deliveries of a webhook, the latest first. */
export function deliverySource(id: string, status: DeliveryStatus | undefined): ListSource<WebhookDelivery> {
  return {
    key: ['webhooks', id, 'deliveries', status ?? ''],
    load: async (api, next, signal) => {
      const cursor = typeof next === 'string' ? { cursor: next } : {};
      const filter = status === undefined ? {} : { status };
      const input = { id, limit: PART, ...cursor, ...filter };
      const { deliveries, nextCursor } = await api.listWebhookDeliveries(input, { signal });
      return byCursor(deliveries, nextCursor);
    },
  };
}

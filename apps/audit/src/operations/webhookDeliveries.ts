import { AppError, invalidField } from '@gatehouse/contract';
import { newKey, untilWritten, type CallContext } from '@gatehouse/service';
import type { DeliverySummary } from '../store/webhookDeliveries.js';
import type { Answer, Input, Webhooks } from './webhookContext.js';
import { toDelivery, toDeliveryWithEvent } from './webhookRecords.js';
import { requireEnabled, requireWebhookAdmin } from './webhookRefusals.js';

function encodeCursor({ createdAt, _id }: DeliverySummary): string {
  return Buffer.from(JSON.stringify([createdAt.getTime(), _id])).toString('base64url');
}

/** Throws INVALID_REQUEST, naming `cursor`, for any text that `encodeCursor` did not write. */
function decodeCursor(cursor: string): { createdAt: Date; id: string } {
  const text = Buffer.from(cursor, 'base64url').toString('utf8');
  const [, time, id] = /^\[(\d{1,15}),"(whd_[\w-]{1,60})"\]$/.exec(text) ?? [];
  if (id === undefined || Buffer.from(text).toString('base64url') !== cursor)
    throw invalidField('cursor', 'is not a cursor of this list');
  return { createdAt: new Date(Number(time)), id };
}

export async function listDeliveries(
  { webhooks, deliveries }: Webhooks,
  { id, status, limit, cursor }: Input<'listDeliveries'>,
  context: CallContext,
): Answer<'listDeliveries'> {
  const { organizationId } = requireWebhookAdmin(context);
  const after = cursor === undefined ? undefined : decodeCursor(cursor);
  await webhooks.get(organizationId, id);
  const found = await deliveries.page(organizationId, id, { status, limit: limit + 1, after });
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return { deliveries: page.map(toDelivery), nextCursor: last ? encodeCursor(last) : null };
}

export async function getDelivery(
  { webhooks, deliveries }: Webhooks,
  { id, deliveryId }: Input<'getDelivery'>,
  context: CallContext,
): Answer<'getDelivery'> {
  const { organizationId } = requireWebhookAdmin(context);
  await webhooks.get(organizationId, id);
  return { delivery: toDeliveryWithEvent(await deliveries.get(organizationId, id, deliveryId)) };
}

export async function replayDelivery(
  { webhooks, deliveries }: Webhooks,
  { id, deliveryId }: Input<'replayDelivery'>,
  context: CallContext,
): Answer<'replayDelivery'> {
  const { organizationId } = requireWebhookAdmin(context);
  const { now, operation } = context;
  const webhook = await webhooks.get(organizationId, id);
  const replayKey = operation && newKey(operation, 'replay');
  const delivery = await untilWritten(async () => {
    const current = await deliveries.get(organizationId, id, deliveryId);
    // An earlier run of this operation has done it already.
    if (replayKey !== undefined && current.replayKey === replayKey) return current;
    requireEnabled(webhook);
    if (current.status === 'pending')
      throw new AppError('CONFLICT', { message: 'The delivery is still on its way' });
    return deliveries.replay(organizationId, current, { now, replayKey });
  });
  return { delivery: toDelivery(delivery) };
}

export async function replayFailed(
  { webhooks, deliveries }: Webhooks,
  { id, since }: Input<'replayFailed'>,
  context: CallContext,
): Answer<'replayFailed'> {
  const { organizationId } = requireWebhookAdmin(context);
  const { now } = context;
  requireEnabled(await webhooks.get(organizationId, id));
  const replayed = await deliveries.replayFailed(organizationId, id, { since: new Date(since), now });
  return { message: 'The failed deliveries are sent again', replayed };
}

import { AppError, CloudEvent, type WebhookDelivery } from '@gatehouse/contract';
import {
  CursorTime,
  decodeCursor,
  newKey,
  retryOnConflict,
  sliceOf,
  type CallContext,
} from '@gatehouse/service';
import { z } from 'zod';
import type { Dependencies, Input, Output } from '../dependencies.js';
import { requireAdmin } from '../webhooks/logic/access.js';
import { toAttempt } from './attemptDelivery.js';
import type { DeliverySummary } from './store.js';

/** The public record. Each field is named, so that no internal field leaks. */
function toDelivery(delivery: DeliverySummary): WebhookDelivery {
  const { _id: id, webhookId, eventId, eventType, status, attempts, nextAttemptAt } = delivery;
  return {
    id,
    webhookId,
    eventId,
    eventType,
    status,
    attempts: attempts.map(toAttempt),
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
    createdAt: delivery.createdAt.toISOString(),
    updatedAt: delivery.updatedAt.toISOString(),
  };
}

/** Throws CONFLICT when the webhook is disabled. */
function requireEnabled({ isEnabled }: { isEnabled: boolean }): void {
  if (isEnabled) return;
  throw new AppError('CONFLICT', { message: 'The webhook is disabled: enable it first' });
}

const PageEnd = z.tuple([z.literal('deliveries'), CursorTime, z.string()]);

function positionOf(cursor: string): { createdAt: Date; id: string } {
  const [, createdAt, id] = decodeCursor(cursor, PageEnd);
  return { createdAt, id };
}

export async function listDeliveries(
  { webhooks, deliveries }: Dependencies,
  { id, status, limit, cursor }: Input<'listDeliveries'>,
  context: CallContext,
): Promise<Output<'listDeliveries'>> {
  const { organizationId } = requireAdmin(context.principal);
  const after = cursor === undefined ? undefined : positionOf(cursor);
  await webhooks.get(organizationId, id);
  const found = await deliveries.page(organizationId, id, { status, limit: limit + 1, after });
  const { records, nextCursor } = sliceOf(found, limit, ({ createdAt, _id }) => [
    'deliveries',
    createdAt.getTime(),
    _id,
  ]);
  return { deliveries: records.map(toDelivery), nextCursor };
}

export async function getDelivery(
  { webhooks, deliveries }: Dependencies,
  { id, deliveryId }: Input<'getDelivery'>,
  context: CallContext,
): Promise<Output<'getDelivery'>> {
  const { organizationId } = requireAdmin(context.principal);
  await webhooks.get(organizationId, id);
  const delivery = await deliveries.get(organizationId, id, deliveryId);
  const event = CloudEvent.parse(JSON.parse(delivery.body));
  return { delivery: { ...toDelivery(delivery), event } };
}

export async function replayDelivery(
  { webhooks, deliveries }: Dependencies,
  { id, deliveryId }: Input<'replayDelivery'>,
  context: CallContext,
): Promise<Output<'replayDelivery'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { now, operation } = context;
  const webhook = await webhooks.get(organizationId, id);
  const replayKey = operation && newKey(operation, 'replay');
  const delivery = await retryOnConflict(async () => {
    const current = await deliveries.get(organizationId, id, deliveryId);
    // An earlier run of this operation has done it.
    if (replayKey !== undefined && current.replayKey === replayKey) return current;
    requireEnabled(webhook);
    if (current.status === 'pending')
      throw new AppError('CONFLICT', { message: 'The delivery is still on its way' });
    return deliveries.replay(organizationId, current, { now, replayKey });
  });
  return { delivery: toDelivery(delivery) };
}

export async function replayFailed(
  { webhooks, deliveries }: Dependencies,
  { id, since }: Input<'replayFailed'>,
  context: CallContext,
): Promise<Output<'replayFailed'>> {
  const { organizationId } = requireAdmin(context.principal);
  const { now } = context;
  requireEnabled(await webhooks.get(organizationId, id));
  const replayed = await deliveries.replayFailed(organizationId, id, { since: new Date(since), now });
  return { message: 'The failed deliveries are sent again', replayed };
}

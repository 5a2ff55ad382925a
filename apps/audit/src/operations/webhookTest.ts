import { AppError, WEBHOOK_TEST_TYPE, type CloudEvent } from '@gatehouse/contract';
import { newKey, type CallContext } from '@gatehouse/service';
import type { WebhookDocument } from '../store/webhookDocuments.js';
import { attemptDelivery } from './deliveryAttempt.js';
import type { Answer, Input, Webhooks } from './webhookContext.js';
import { toAttempt, webhookState } from './webhookRecords.js';
import { requireWebhookAdmin } from './webhookRefusals.js';
import { WEBHOOK_SERVICE } from './webhooks.js';

/** Tests that an organization has sent at once: each may hold a call for as long as an attempt may take. */
const AT_ONCE_MAX = 4;

function testEvent(webhook: WebhookDocument, { now, operation, requestId }: CallContext): CloudEvent {
  const { _id: id, organizationId, projectId } = webhook;
  return {
    specversion: '1.0',
    id: newKey(operation, 'test'),
    source: `/gatehouse/${WEBHOOK_SERVICE}`,
    type: WEBHOOK_TEST_TYPE,
    subject: id,
    time: now.toISOString(),
    datacontenttype: 'application/json',
    organizationid: organizationId,
    ...(projectId === null ? {} : { projectid: projectId }),
    requestid: requestId,
    data: webhookState(webhook),
  };
}

/** Makes the operation that sends test events; it knows how many are on their way. */
export function createWebhookTest(webhooks: Webhooks, stopping: AbortSignal) {
  const running = new Map<string, number>();
  const count = (organizationId: string, change: 1 | -1) => {
    const next = (running.get(organizationId) ?? 0) + change;
    if (next === 0) running.delete(organizationId);
    else running.set(organizationId, next);
  };
  return async ({ id }: Input<'test'>, context: CallContext): Answer<'test'> => {
    const { organizationId } = requireWebhookAdmin(context);
    const webhook = await webhooks.webhooks.get(organizationId, id);
    if ((running.get(organizationId) ?? 0) >= AT_ONCE_MAX)
      throw new AppError('RATE_LIMITED', { retryAfterSeconds: 10 });
    const event = testEvent(webhook, context);
    const message = { id: event.id, body: JSON.stringify(event) };
    count(organizationId, 1);
    try {
      const { attempt } = await attemptDelivery(webhooks, { webhook, message }, stopping);
      const isDelivered = attempt.failure === null;
      return { test: { eventId: event.id, isDelivered, ...toAttempt(attempt) } };
    } finally {
      count(organizationId, -1);
    }
  };
}

import { AppError, WEBHOOK_TEST_TYPE, type CloudEvent } from '@gatehouse/contract';
import { newKey, type CallContext } from '@gatehouse/service';
import { attemptDelivery, toAttempt } from '../deliveries/attemptDelivery.js';
import type { Dependencies, Input, Output } from '../dependencies.js';
import { requireAdmin } from './logic/access.js';
import { eventFields, WEBHOOK_SERVICE } from './manageWebhooks.js';
import type { WebhookDocument } from './store.js';

/** The most concurrent tests of an organization: each may hold a call for the length of an attempt. */
const CONCURRENT_MAX = 4;

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
    data: eventFields(webhook),
  };
}

/** Creates the operation that sends test events. It counts the tests in progress. */
export function createWebhookTest(dependencies: Dependencies, stopping: AbortSignal) {
  const running = new Map<string, number>();
  const count = (organizationId: string, change: 1 | -1) => {
    const next = (running.get(organizationId) ?? 0) + change;
    if (next === 0) running.delete(organizationId);
    else running.set(organizationId, next);
  };
  return async ({ id }: Input<'test'>, context: CallContext): Promise<Output<'test'>> => {
    const { organizationId } = requireAdmin(context.principal);
    const webhook = await dependencies.webhooks.get(organizationId, id);
    if ((running.get(organizationId) ?? 0) >= CONCURRENT_MAX)
      throw new AppError('RATE_LIMITED', { retryAfterSeconds: 10 });
    const event = testEvent(webhook, context);
    const message = { id: event.id, body: JSON.stringify(event) };
    count(organizationId, 1);
    try {
      const { attempt } = await attemptDelivery(dependencies, { webhook, message }, stopping);
      const isDelivered = attempt.failure === null;
      return { test: { eventId: event.id, isDelivered, ...toAttempt(attempt) } };
    } finally {
      count(organizationId, -1);
    }
  };
}

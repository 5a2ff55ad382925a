import type { WebhookDelivery } from '@gatehouse/contract';
import { usePlatform } from '@gatehouse/testing/platform';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, createWebhook } from '../testing/calls.js';
import { startWebhookPlatform } from '../testing/platform.js';
import { respond, startReceiver, type Receiver } from '../testing/receiver.js';

/** A delivery of the events of these tests counts two of them: for itself, and for its event. */
const BLOCK = 1024;
const MAX = 5;
const { platform } = await usePlatform((databases) =>
  startWebhookPlatform(databases, {
    settings: { WEBHOOK_RETRY_SECONDS: '3600', QUOTA_STORAGE_BYTES: String(2 * MAX * BLOCK) },
  }),
);
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver[Symbol.asyncDispose]());
afterEach(async () => {
  const admin = await asAdmin(platform);
  const { webhooks } = await platform.calls.list.query({}, { context: admin });
  for (const { id } of webhooks) await platform.calls.delete.mutate({ id }, { context: admin });
});

const isDelivered = ({ status }: WebhookDelivery) => status === 'delivered';
const hasAttempt = ({ attempts }: WebhookDelivery) => attempts.length === 1;

const createForTenants = () =>
  createWebhook(platform, { url: receiver.url, eventTypes: ['management.tenant.created.v1'] });

async function webhookOf(id: string) {
  return (await platform.calls.get.query({ id }, { context: await asAdmin(platform) })).webhook;
}

async function eventIdsOf(id: string): Promise<string[]> {
  const { deliveries } = await platform.calls.listDeliveries.query(
    { id, limit: 500 },
    { context: await asAdmin(platform) },
  );
  return deliveries.map(({ eventId }) => eventId);
}

describe('the deliveries of an organization', () => {
  it('never exceed the quota of bytes: the oldest that have ended are deleted', async () => {
    receiver.behaveAs(respond(204));
    const { id } = await createForTenants();
    const events: string[] = [];
    for (let n = 1; n <= MAX + 3; n += 1) {
      events.push((await platform.publishAny()).id);
      await platform.settled(id, Math.min(n, MAX), isDelivered);
    }
    expect(await eventIdsOf(id)).toEqual(events.slice(-MAX).toReversed());
    expect(receiver.received).toHaveLength(MAX + 3);
  });

  it('keep failed ones longer than delivered ones', async () => {
    receiver.behaveAs(respond(410));
    const failing = await createForTenants();
    const failed = await platform.publishAny();
    await platform.settled(failing.id, 1);
    receiver.behaveAs(respond(204));
    const { id } = await createForTenants();
    for (let n = 1; n <= MAX; n += 1) {
      await platform.publishAny();
      await platform.settled(id, Math.min(n, MAX - 1), isDelivered);
    }
    expect(await eventIdsOf(failing.id)).toEqual([failed.id]);
  });
});

describe('a webhook whose waiting deliveries exceed the quota of bytes', () => {
  it('is disabled as overloaded, and the others receive the event', async () => {
    receiver.behaveAs(respond(503));
    const { id } = await createForTenants();
    for (let n = 1; n <= MAX; n += 1) {
      await platform.publishAny();
      await platform.settled(id, n, hasAttempt);
    }
    receiver.behaveAs(respond(204));
    const other = await createForTenants();
    const last = await platform.publishAny();
    await platform.settled(other.id, 1, isDelivered);
    expect(await webhookOf(id)).toMatchObject({ isEnabled: false, disabledReason: 'overloaded' });
    expect(await webhookOf(other.id)).toMatchObject({ isEnabled: true });
    expect(await eventIdsOf(other.id)).toEqual([last.id]);
    const left = await platform.settled(id, MAX - 1);
    expect(left.map(({ status }) => status)).toEqual(left.map(() => 'failed'));
    const disabled = async () =>
      (await platform.eventsOf('management.webhook.disabled.v1')).map(({ subject, data }) => [
        subject,
        data['reason'],
      ]);
    await expect.poll(disabled).toContainEqual([id, 'overloaded']);
  });

  it('is disabled at once if one event alone exceeds it', async () => {
    receiver.behaveAs(respond(204));
    const wide = await Promise.all(Array.from({ length: MAX + 1 }, createForTenants));
    await platform.publishAny();
    await expect
      .poll(async () => Promise.all(wide.map(async ({ id }) => (await webhookOf(id)).isEnabled)))
      .toContain(false);
    const states = await Promise.all(wide.map(({ id }) => webhookOf(id)));
    expect(states.filter(({ isEnabled }) => !isEnabled)).toEqual([
      expect.objectContaining({ disabledReason: 'overloaded' }),
    ]);
  });
});

import type { CloudEvent, WebhookDelivery } from '@gatehouse/contract';
import { createEvent, newKey, type DurableConsumer } from '@gatehouse/service';
import { watchCommands, type SentCommand } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, createWebhook } from '../testing/calls.js';
import { startWebhookPlatform } from '../testing/platform.js';
import { respond, startReceiver, type Receiver } from '../testing/receiver.js';
import { createDeliveryConsumer } from './consumers.js';
import type { DeliveryDocument } from './documents.js';
import { DeliveryStore } from './store.js';

/** A delivery of the events of these tests counts two of them: for itself, and for its event. */
const BLOCK = 1024;
const MAX = 5;
let counting: (sent: SentCommand) => void = () => {};
const stopCounting = watchCommands((sent) => counting(sent));
const { platform } = await usePlatform((databases) =>
  startWebhookPlatform(databases, {
    settings: { WEBHOOK_RETRY_SECONDS: '3600', QUOTA_STORAGE_BYTES: String(2 * MAX * BLOCK) },
  }),
);
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  stopCounting();
  await receiver[Symbol.asyncDispose]();
});
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

/** The consumer and the store of a further process, which share the database of the platform. */
const consumerWith = (blocks: number, change: (store: DeliveryStore) => DeliveryStore = (store) => store) => {
  const deliveries = change(new DeliveryStore(platform.database, blocks * 2 * BLOCK));
  const dependencies = { webhooks: platform.webhooks, deliveries, now: () => new Date() };
  return { deliveries, consumer: createDeliveryConsumer(dependencies, () => {}) };
};

const eventOf = () => {
  const origin = { service: 'test', organizationId: 'o_1', projectId: 'p_1', now: new Date() };
  const data = { id: 't_1', key: 'k', name: 'Acme', defaultOwnerId: null };
  return createEvent('management.tenant.created.v1', newKey(), { origin, data }) satisfies CloudEvent;
};

async function deliver(consumer: DurableConsumer, count: number): Promise<CloudEvent[]> {
  const events = Array.from({ length: count }, eventOf);
  for (const event of events) await consumer.handle(event);
  return events;
}

describe('an event that arrives again while the quota of bytes is used up', () => {
  it('disables no webhook, because its deliveries are stored already', async () => {
    receiver.behaveAs(respond(503));
    const { id } = await createForTenants();
    const { consumer } = consumerWith(MAX);
    const events = await deliver(consumer, MAX);
    for (const event of events) await consumer.handle(event);
    expect(await webhookOf(id)).toMatchObject({ isEnabled: true });
    expect(await eventIdsOf(id)).toEqual(events.map((event) => event.id).toReversed());
  });
});

describe('events that arrive together while the quota of bytes is used up', () => {
  it('exceed it by none', async () => {
    receiver.behaveAs(respond(204));
    const { id } = await createForTenants();
    const { consumer } = consumerWith(MAX);
    await deliver(consumer, MAX);
    await platform.deliveries.failWaiting('o_1', id, new Date());
    await platform.settled(id, MAX);
    await Promise.all(Array.from({ length: MAX }, () => consumer.handle(eventOf())));
    expect(await eventIdsOf(id)).toHaveLength(MAX);
  });

  it('disable one webhook, not also the one that then has the most waiting deliveries', async () => {
    receiver.behaveAs(respond(503));
    const { id } = await createForTenants();
    const few = await createForTenants();
    let first: Promise<unknown> = Promise.resolve();
    let calls = 0;
    const { consumer, deliveries } = consumerWith(MAX, (store) => {
      const findMostWaiting = store.findMostWaiting.bind(store);
      // The second event continues when the first has made room.
      store.findMostWaiting = async (organizationId) => {
        calls += 1;
        if (calls === 2) await first;
        return findMostWaiting(organizationId);
      };
      return store;
    });
    const now = new Date();
    const waiting = (webhookId: string, n: number): DeliveryDocument => ({
      _id: `whd_${webhookId}_${n}`,
      organizationId: 'o_1',
      webhookId,
      eventId: `e_${n}`,
      eventType: 'management.tenant.created.v1',
      body: '{}',
      status: 'pending',
      attempts: [],
      tries: 0,
      createdAt: now,
      updatedAt: now,
      nextAttemptAt: new Date(now.getTime() + 3_000_000),
    });
    await deliveries.insertAll('o_1', [
      ...Array.from({ length: MAX - 1 }, (_, n) => waiting(id, n)),
      waiting(few.id, 0),
    ]);
    first = Promise.resolve(consumer.handle(eventOf()));
    await Promise.all([first, consumer.handle(eventOf())]);
    expect(await webhookOf(few.id)).toMatchObject({ isEnabled: true });
    expect(await webhookOf(id)).toMatchObject({ isEnabled: false, disabledReason: 'overloaded' });
  });

  it('add up the stored deliveries once, also after another process has deleted them', async () => {
    const many = 60;
    const { id } = await createForTenants();
    const { consumer } = consumerWith(many);
    await deliver(consumer, many);
    await platform.deliveries.deleteOf('o_1', id);
    let sums = 0;
    counting = ({ name, command }) => {
      if (name === 'aggregate' && JSON.stringify(command).includes('$quotaBytes')) sums += 1;
    };
    await deliver(consumer, many / 2);
    counting = () => {};
    expect(sums).toBeLessThan(5);
  });
});

describe('the webhook with the most waiting deliveries', () => {
  it('is found without reading the deliveries', async () => {
    receiver.behaveAs(respond(503));
    const { id } = await createForTenants();
    const { consumer, deliveries } = consumerWith(100);
    await deliver(consumer, 20);
    let sent: SentCommand['command'] = {};
    counting = ({ name, command }) => {
      if (name === 'aggregate') sent = command;
    };
    expect(await deliveries.findMostWaiting('o_1')).toBe(id);
    counting = () => {};
    const { aggregate, pipeline, hint, cursor } = sent;
    const explained = await platform.database.command({
      explain: { aggregate, pipeline, cursor, ...(hint && { hint }) },
      verbosity: 'executionStats',
    });
    expect(JSON.stringify(explained)).toContain('"totalDocsExamined":0');
  });
});

import { AppError } from '@gatehouse/contract';
import { newKey } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, createWebhook, verify } from './testing/webhookCalls.js';
import { startWebhookPlatform, type WebhookPlatform } from './testing/webhookPlatform.js';
import { answer, startReceiver, type Receiver } from './testing/webhookReceiver.js';

const DAY_MS = 86_400_000;
const clock = { aheadMs: 0 };
let mongo: TestMongo;
let platform: WebhookPlatform;
let receiver: Receiver;
beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startWebhookPlatform(mongo.databases, {
    settings: { WEBHOOK_RETRY_SECONDS: '0' },
    surroundings: { now: () => new Date(Date.now() + clock.aheadMs) },
  });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver[Symbol.asyncDispose]();
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});
afterEach(async () => {
  clock.aheadMs = 0;
  receiver.behaveAs(answer(204));
  const admin = await asAdmin(platform);
  const { webhooks } = await platform.calls.list(admin, {});
  for (const { id } of webhooks) await platform.calls.delete(admin, { id });
});

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

/** A webhook with deliveries that have failed for good. */
async function makeFailed(count = 1) {
  receiver.behaveAs(answer(500));
  const { id, secret } = await createWebhook(platform, { url: receiver.url });
  const events = [];
  for (let made = 0; made < count; made += 1) events.push(await platform.publishAny());
  const deliveries = await platform.settled(id, count);
  receiver.received.length = 0;
  receiver.behaveAs(answer(204));
  return { id, secret, events, deliveries };
}

describe('a delivery that has failed for good', () => {
  it('is in the list of those, with its attempts and its event', async () => {
    const { id, events, deliveries } = await makeFailed();
    const admin = await asAdmin(platform);
    const listed = await platform.calls.listDeliveries(admin, { id, status: 'failed' });
    expect(listed.deliveries).toEqual(deliveries);
    expect(listed.deliveries[0]).toMatchObject({
      id: expect.stringMatching(/^whd_/) as string,
      webhookId: id,
      eventId: events[0]?.id,
      eventType: 'management.tenant.created.v1',
      status: 'failed',
      nextAttemptAt: null,
      attempts: [{ statusCode: 500, failure: 'refused' }, { statusCode: 500 }],
    });
    for (const status of ['pending', 'delivered'] as const)
      expect((await platform.calls.listDeliveries(admin, { id, status })).deliveries).toEqual([]);
    const deliveryId = deliveries[0]?.id ?? '';
    const { delivery } = await platform.calls.getDelivery(admin, { id, deliveryId });
    expect(delivery).toEqual({ ...deliveries[0], event: events[0] });
  });

  it('is sent again when it is replayed, with the same id and all its attempts', async () => {
    const { id, secret, events, deliveries } = await makeFailed();
    const deliveryId = deliveries[0]?.id ?? '';
    const { delivery } = await platform.calls.replayDelivery(await asAdmin(platform), { id, deliveryId });
    expect(delivery).toMatchObject({ id: deliveryId, status: 'pending' });
    const [after] = await platform.settled(id, 1);
    expect(after?.status).toBe('delivered');
    expect(after?.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 500, 204]);
    expect(receiver.received.map((request) => verify(secret, request))).toEqual(events);
    expect(receiver.received[0]?.headers['webhook-id']).toBe(events[0]?.id);
  });

  it('is tried as often as a new one after that', async () => {
    const { id, deliveries } = await makeFailed();
    receiver.behaveAs(answer(500));
    const deliveryId = deliveries[0]?.id ?? '';
    await platform.calls.replayDelivery(await asAdmin(platform), { id, deliveryId });
    const [after] = await platform.settled(id, 1);
    expect(after).toMatchObject({ status: 'failed' });
    expect(after?.attempts).toHaveLength(4);
  });

  it('is replayed once by an operation that runs twice', async () => {
    const { id, deliveries } = await makeFailed();
    const operation = { ...(await asAdmin(platform)), operationKey: newKey() };
    const replay = () =>
      platform.calls.replayDelivery(operation, { id, deliveryId: deliveries[0]?.id ?? '' });
    await replay();
    await platform.settled(id, 1);
    await replay();
    await platform.settled(id, 1);
    expect(receiver.received).toHaveLength(1);
  });

  it('is replayed with all others since a moment', async () => {
    const before = await makeFailed();
    const { id } = before;
    const since = new Date(Date.now() + DAY_MS).toISOString();
    clock.aheadMs = 2 * DAY_MS;
    receiver.behaveAs(answer(500));
    await platform.publishAny();
    await platform.publishAny();
    await platform.settled(id, 3);
    receiver.received.length = 0;
    receiver.behaveAs(answer(204));
    const admin = await asAdmin(platform);
    const { replayed } = await platform.calls.replayFailed(admin, { id, since });
    expect(replayed).toBe(2);
    await platform.settled(id, 3);
    const { deliveries } = await platform.calls.listDeliveries(admin, { id, status: 'failed' });
    expect(deliveries).toEqual(before.deliveries);
    expect(receiver.received).toHaveLength(2);
    expect((await platform.calls.replayFailed(admin, { id, since })).replayed).toBe(0);
  });

  it('may be replayed when it was delivered as well, and not while it is on its way', async () => {
    const { id } = await createWebhook(platform, { url: receiver.url });
    await platform.publishAny();
    const [delivery] = await platform.settled(id, 1);
    const deliveryId = delivery?.id ?? '';
    const admin = await asAdmin(platform);
    receiver.behaveAs(() => {});
    await platform.calls.replayDelivery(admin, { id, deliveryId });
    expect(await codeOf(platform.calls.replayDelivery(admin, { id, deliveryId }))).toBe('CONFLICT');
  });
});

describe('the deliveries of a webhook', () => {
  it('come in pages, the latest first', async () => {
    const { id, deliveries } = await makeFailed(5);
    const admin = await asAdmin(platform);
    const pages = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const input = { id, limit: 2, ...(cursor === undefined ? {} : { cursor }) };
      const page = await platform.calls.listDeliveries(admin, input);
      pages.push(page.deliveries);
      cursor = page.nextCursor;
    }
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(deliveries);
    const times = deliveries.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    for (const cursor of ['x', 'WzEsMl0', Buffer.from('[1,"whd_1" ]').toString('base64url')])
      expect(await codeOf(platform.calls.listDeliveries(admin, { id, cursor }))).toBe('INVALID_REQUEST');
  });

  it('that wait fail when it is disabled, and are there to be replayed when it is enabled again', async () => {
    const settings = { WEBHOOK_RETRY_SECONDS: '600' };
    await using own = await startWebhookPlatform(mongo.databases, { settings, name: 'slow' });
    receiver.behaveAs(answer(500));
    const { id } = await createWebhook(own, { url: receiver.url });
    await own.publishAny();
    await own.settled(id, 1, ({ attempts }) => attempts.length === 1);
    const admin = await asAdmin(own);
    await own.calls.update(admin, { id, isEnabled: false });
    const [failed] = await own.settled(id, 1);
    expect(failed).toMatchObject({ status: 'failed', nextAttemptAt: null });
    const replay = () => own.calls.replayFailed(admin, { id, since: '2020-01-01T00:00:00Z' });
    expect(await codeOf(replay())).toBe('CONFLICT');
    const deliveryId = failed?.id ?? '';
    expect(await codeOf(own.calls.replayDelivery(admin, { id, deliveryId }))).toBe('CONFLICT');
    await own.calls.update(admin, { id, isEnabled: true });
    receiver.behaveAs(answer(204));
    expect((await replay()).replayed).toBe(1);
    const [delivered] = await own.settled(id, 1);
    expect(delivered?.status).toBe('delivered');
  });

  it('end with it', async () => {
    const { id } = await makeFailed(3);
    await platform.calls.delete(await asAdmin(platform), { id });
    expect(await platform.database.collection('webhookDeliveries').countDocuments({ webhookId: id })).toBe(0);
  });

  it('that are stored while it is deleted go when they are due', async () => {
    const { id, deliveries } = await makeFailed();
    const collection = platform.database.collection('webhookDeliveries');
    const left = await collection.findOne({ _id: deliveries[0]?.id as never });
    await platform.calls.delete(await asAdmin(platform), { id });
    receiver.received.length = 0;
    const waiting = { ...left, status: 'pending', nextAttemptAt: new Date() };
    await collection.insertOne(waiting);
    await expect.poll(() => collection.countDocuments({ webhookId: id }), { timeout: 10_000 }).toBe(0);
    expect(receiver.received).toHaveLength(0);
  });

  it('are forgotten thirty days after they have ended', async () => {
    const { id } = await makeFailed(2);
    const at = (days: number) => new Date(Date.now() + days * DAY_MS);
    const count = () => platform.database.collection('webhookDeliveries').countDocuments({ webhookId: id });
    await platform.sweep(at(29.9));
    expect(await count()).toBe(2);
    await platform.sweep(at(30.1));
    expect(await count()).toBe(0);
  });
});

describe('a webhook that fails', () => {
  it('for five days is disabled, which is told', async () => {
    const { id } = await makeFailed();
    receiver.behaveAs(answer(500));
    const read = async () => (await platform.calls.get(await asAdmin(platform), { id })).webhook;
    clock.aheadMs = 4.9 * DAY_MS;
    await platform.publishAny();
    await platform.settled(id, 2);
    expect((await read()).isEnabled).toBe(true);
    clock.aheadMs = 5.1 * DAY_MS;
    await platform.publishAny();
    await platform.settled(id, 3);
    await expect
      .poll(read, { timeout: 10_000 })
      .toMatchObject({ isEnabled: false, disabledReason: 'failing' });
    const told = await platform.eventsOf('management.webhook.disabled.v1');
    expect(told.at(-1)).toMatchObject({ subject: id, data: { reason: 'failing' } });
  });

  it('is not when something got through meanwhile', async () => {
    const { id } = await makeFailed();
    clock.aheadMs = 4 * DAY_MS;
    await platform.publishAny();
    await platform.settled(id, 2);
    receiver.behaveAs(answer(500));
    clock.aheadMs = 6 * DAY_MS;
    await platform.publishAny();
    const [last] = await platform.settled(id, 3);
    expect(last?.status).toBe('failed');
    const { webhook } = await platform.calls.get(await asAdmin(platform), { id });
    expect(webhook.isEnabled).toBe(true);
  });
});

describe('the test of a webhook', () => {
  it('sends an event to it at once, disabled or not, and answers what came back', async () => {
    const { id, secret } = await createWebhook(platform, { url: receiver.url, isEnabled: false });
    receiver.received.length = 0;
    receiver.behaveAs(answer(418));
    const { test } = await platform.calls.test(await asAdmin(platform), { id });
    expect(test).toMatchObject({ isDelivered: false, statusCode: 418, failure: 'refused' });
    receiver.behaveAs(answer(200));
    const again = (await platform.calls.test(await asAdmin(platform), { id })).test;
    expect(again).toMatchObject({ isDelivered: true, statusCode: 200, failure: null });
    expect(verify(secret, receiver.received[1])).toMatchObject({
      id: again.eventId,
      type: 'management.webhook.test.v1',
      subject: id,
      organizationid: 'o_1',
    });
    expect(platform.events.some(({ type }) => type.endsWith('.test.v1'))).toBe(false);
    expect(await platform.settled(id, 0)).toEqual([]);
  });

  it('is one of four at once', async () => {
    const { id } = await createWebhook(platform, { url: receiver.url });
    receiver.behaveAs(() => {});
    const admin = await asAdmin(platform);
    const codes = Array.from({ length: 5 }, () => codeOf(platform.calls.test(admin, { id })));
    expect((await Promise.all(codes)).filter((code) => code === 'RATE_LIMITED')).toHaveLength(1);
  });
});

import { newKey, findAppError } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { asAdmin, createWebhook, verify } from '../testing/calls.js';
import { startWebhookPlatform } from '../testing/platform.js';
import { respond, startReceiver, type Receiver } from '../testing/receiver.js';

const DAY_MS = 86_400_000;
const clock = { aheadMs: 0 };
const { platform, mongo } = await usePlatform((databases) =>
  startWebhookPlatform(databases, {
    settings: { WEBHOOK_RETRY_SECONDS: '0' },
    environment: { now: () => new Date(Date.now() + clock.aheadMs) },
  }),
);
let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver[Symbol.asyncDispose]());
afterEach(async () => {
  clock.aheadMs = 0;
  receiver.behaveAs(respond(204));
  const admin = await asAdmin(platform);
  const { webhooks } = await platform.calls.list.query({}, { context: admin });
  for (const { id } of webhooks) await platform.calls.delete.mutate({ id }, { context: admin });
});

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'none',
    (error: unknown) => findAppError(error)?.code ?? String(error),
  );

/** A webhook with finally failed deliveries. */
async function makeFailed(count = 1) {
  receiver.behaveAs(respond(500));
  const { id, secret } = await createWebhook(platform, { url: receiver.url });
  const events = [];
  for (let made = 0; made < count; made += 1) events.push(await platform.publishAny());
  const deliveries = await platform.settled(id, count);
  receiver.received.length = 0;
  receiver.behaveAs(respond(204));
  return { id, secret, events, deliveries };
}

describe('a finally failed delivery', () => {
  it('is listed with its attempts, and returned with its event', async () => {
    const { id, events, deliveries } = await makeFailed();
    const admin = await asAdmin(platform);
    const listed = await platform.calls.listDeliveries.query({ id, status: 'failed' }, { context: admin });
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
      expect(
        (await platform.calls.listDeliveries.query({ id, status }, { context: admin })).deliveries,
      ).toEqual([]);
    const deliveryId = deliveries[0]?.id ?? '';
    const { delivery } = await platform.calls.getDelivery.query({ id, deliveryId }, { context: admin });
    expect(delivery).toEqual({ ...deliveries[0], event: events[0] });
  });

  it('is sent again on replay, with the same id and all its attempts', async () => {
    const { id, secret, events, deliveries } = await makeFailed();
    const deliveryId = deliveries[0]?.id ?? '';
    const { delivery } = await platform.calls.replayDelivery.mutate(
      { id, deliveryId },
      { context: await asAdmin(platform) },
    );
    expect(delivery).toMatchObject({ id: deliveryId, status: 'pending' });
    const [after] = await platform.settled(id, 1);
    expect(after?.status).toBe('delivered');
    expect(after?.attempts.map(({ statusCode }) => statusCode)).toEqual([500, 500, 204]);
    expect(receiver.received.map((request) => verify(secret, request))).toEqual(events);
    expect(receiver.received[0]?.headers['webhook-id']).toBe(events[0]?.id);
  });

  it('has as many attempts after a replay as a new one', async () => {
    const { id, deliveries } = await makeFailed();
    receiver.behaveAs(respond(500));
    const deliveryId = deliveries[0]?.id ?? '';
    await platform.calls.replayDelivery.mutate({ id, deliveryId }, { context: await asAdmin(platform) });
    const [after] = await platform.settled(id, 1);
    expect(after).toMatchObject({ status: 'failed' });
    expect(after?.attempts).toHaveLength(4);
  });

  it('is replayed once by a retried operation', async () => {
    const { id, deliveries } = await makeFailed();
    const operation = { ...(await asAdmin(platform)), operationKey: newKey() };
    const replay = () =>
      platform.calls.replayDelivery.mutate(
        { id, deliveryId: deliveries[0]?.id ?? '' },
        { context: operation },
      );
    await replay();
    await platform.settled(id, 1);
    await replay();
    await platform.settled(id, 1);
    expect(receiver.received).toHaveLength(1);
  });

  it('is replayed with all others since a given time', async () => {
    const before = await makeFailed();
    const { id } = before;
    const since = new Date(Date.now() + DAY_MS).toISOString();
    clock.aheadMs = 2 * DAY_MS;
    receiver.behaveAs(respond(500));
    await platform.publishAny();
    await platform.publishAny();
    await platform.settled(id, 3);
    receiver.received.length = 0;
    receiver.behaveAs(respond(204));
    const admin = await asAdmin(platform);
    const { replayed } = await platform.calls.replayFailed.mutate({ id, since }, { context: admin });
    expect(replayed).toBe(2);
    await platform.settled(id, 3);
    const { deliveries } = await platform.calls.listDeliveries.query(
      { id, status: 'failed' },
      { context: admin },
    );
    expect(deliveries).toEqual(before.deliveries);
    expect(receiver.received).toHaveLength(2);
    expect((await platform.calls.replayFailed.mutate({ id, since }, { context: admin })).replayed).toBe(0);
  });

  it('may be replayed after its success, but not while it is pending', async () => {
    const { id } = await createWebhook(platform, { url: receiver.url });
    await platform.publishAny();
    const [delivery] = await platform.settled(id, 1);
    const deliveryId = delivery?.id ?? '';
    const admin = await asAdmin(platform);
    receiver.behaveAs(() => {});
    await platform.calls.replayDelivery.mutate({ id, deliveryId }, { context: admin });
    expect(await codeOf(platform.calls.replayDelivery.mutate({ id, deliveryId }, { context: admin }))).toBe(
      'CONFLICT',
    );
  });
});

describe('the deliveries of a webhook', () => {
  it('are paged, latest first', async () => {
    const { id, deliveries } = await makeFailed(5);
    const admin = await asAdmin(platform);
    const pages = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const input = { id, limit: 2, ...(cursor === undefined ? {} : { cursor }) };
      const page = await platform.calls.listDeliveries.query(input, { context: admin });
      pages.push(page.deliveries);
      cursor = page.nextCursor;
    }
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(pages.flat()).toEqual(deliveries);
    const times = deliveries.map(({ createdAt }) => createdAt);
    expect(times).toEqual(times.toSorted().toReversed());
    for (const cursor of ['x', 'WzEsMl0', Buffer.from('[1,"whd_1" ]').toString('base64url')])
      expect(await codeOf(platform.calls.listDeliveries.query({ id, cursor }, { context: admin }))).toBe(
        'INVALID_REQUEST',
      );
  });

  it('fail when it is disabled, and can be replayed when it is enabled again', async () => {
    const settings = { WEBHOOK_RETRY_SECONDS: '600' };
    await using own = await startWebhookPlatform(mongo.databases, { settings, name: 'slow' });
    receiver.behaveAs(respond(500));
    const { id } = await createWebhook(own, { url: receiver.url });
    await own.publishAny();
    await own.settled(id, 1, ({ attempts }) => attempts.length === 1);
    const admin = await asAdmin(own);
    await own.calls.update.mutate({ id, isEnabled: false }, { context: admin });
    const [failed] = await own.settled(id, 1);
    expect(failed).toMatchObject({ status: 'failed', nextAttemptAt: null });
    const replay = () =>
      own.calls.replayFailed.mutate({ id, since: '2020-01-01T00:00:00Z' }, { context: admin });
    expect(await codeOf(replay())).toBe('CONFLICT');
    const deliveryId = failed?.id ?? '';
    expect(await codeOf(own.calls.replayDelivery.mutate({ id, deliveryId }, { context: admin }))).toBe(
      'CONFLICT',
    );
    await own.calls.update.mutate({ id, isEnabled: true }, { context: admin });
    receiver.behaveAs(respond(204));
    expect((await replay()).replayed).toBe(1);
    const [delivered] = await own.settled(id, 1);
    expect(delivered?.status).toBe('delivered');
  });

  it('are deleted with it', async () => {
    const { id } = await makeFailed(3);
    await platform.calls.delete.mutate({ id }, { context: await asAdmin(platform) });
    expect(await platform.database.collection('webhookDeliveries').countDocuments({ webhookId: id })).toBe(0);
  });

  it('are deleted when they are due if they were stored during its deletion', async () => {
    const { id, deliveries } = await makeFailed();
    const collection = platform.database.collection('webhookDeliveries');
    const left = await collection.findOne({ _id: deliveries[0]?.id as never });
    await platform.calls.delete.mutate({ id }, { context: await asAdmin(platform) });
    receiver.received.length = 0;
    const waiting = { ...left, status: 'pending', nextAttemptAt: new Date() };
    await collection.insertOne(waiting);
    await expect.poll(() => collection.countDocuments({ webhookId: id })).toBe(0);
    expect(receiver.received).toHaveLength(0);
  });

  it('are deleted thirty days after they ended', async () => {
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
  it('is disabled after five days, which is published', async () => {
    const { id } = await makeFailed();
    receiver.behaveAs(respond(500));
    const read = async () =>
      (await platform.calls.get.query({ id }, { context: await asAdmin(platform) })).webhook;
    clock.aheadMs = 4.9 * DAY_MS;
    await platform.publishAny();
    await platform.settled(id, 2);
    expect((await read()).isEnabled).toBe(true);
    clock.aheadMs = 5.1 * DAY_MS;
    await platform.publishAny();
    await platform.settled(id, 3);
    await expect.poll(read).toMatchObject({ isEnabled: false, disabledReason: 'failing' });
    const published = await platform.eventsOf('management.webhook.disabled.v1');
    expect(published.at(-1)).toMatchObject({ subject: id, data: { reason: 'failing' } });
  });

  it('is not disabled when an attempt succeeded meanwhile', async () => {
    const { id } = await makeFailed();
    clock.aheadMs = 4 * DAY_MS;
    await platform.publishAny();
    await platform.settled(id, 2);
    receiver.behaveAs(respond(500));
    clock.aheadMs = 6 * DAY_MS;
    await platform.publishAny();
    const [last] = await platform.settled(id, 3);
    expect(last?.status).toBe('failed');
    const { webhook } = await platform.calls.get.query({ id }, { context: await asAdmin(platform) });
    expect(webhook.isEnabled).toBe(true);
  });
});

describe('the test of a webhook', () => {
  it('sends an event immediately, also to a disabled webhook, and returns the result', async () => {
    const { id, secret } = await createWebhook(platform, { url: receiver.url, isEnabled: false });
    receiver.received.length = 0;
    receiver.behaveAs(respond(418));
    const { test } = await platform.calls.test.mutate({ id }, { context: await asAdmin(platform) });
    expect(test).toMatchObject({ isDelivered: false, statusCode: 418, failure: 'refused' });
    receiver.behaveAs(respond(200));
    const again = (await platform.calls.test.mutate({ id }, { context: await asAdmin(platform) })).test;
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

  it('is limited to four at a time', async () => {
    const { id } = await createWebhook(platform, { url: receiver.url });
    receiver.behaveAs(() => {});
    const admin = await asAdmin(platform);
    const codes = Array.from({ length: 5 }, () =>
      codeOf(platform.calls.test.mutate({ id }, { context: admin })),
    );
    expect((await Promise.all(codes)).filter((code) => code === 'RATE_LIMITED')).toHaveLength(1);
  });
});

import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createWebhook, verify } from '../testing/calls.js';
import {
  newSealingKey,
  startWebhookPlatform,
  type PlatformOptions,
  type WebhookPlatform,
} from '../testing/platform.js';
import { respond, startReceiver, type Received } from '../testing/receiver.js';

const YEAR_MS = 365 * 86_400_000;
const SOON = { timeout: 120_000, interval: 20 };
const sealingKeys = newSealingKey();
let mongo: TestMongo;
beforeAll(async () => {
  mongo = await startTestMongo();
});
afterAll(() => mongo[Symbol.asyncDispose]());
afterEach(async () => {
  const database = mongo.databases.of('audit');
  for (const name of ['webhooks', 'webhookDeliveries']) await database.collection(name).deleteMany({});
});

/** Stands for one of several processes that share a database: each has its own worker and clock. */
const start = (options: PlatformOptions & { aheadMs?: number } = {}) => {
  const { aheadMs = 0, ...others } = options;
  const environment = { now: () => new Date(Date.now() + aheadMs) };
  return startWebhookPlatform(mongo.databases, { sealingKeys, environment, ...others });
};

const idsOf = (received: readonly Received[]) => received.map(({ headers }) => String(headers['webhook-id']));

async function publishMany(platform: WebhookPlatform, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let batch = 0; batch < count; batch += 50) {
    const events = Array.from({ length: Math.min(50, count - batch) }, () => platform.publishAny());
    ids.push(...(await Promise.all(events)).map(({ id }) => id));
  }
  return ids;
}

describe('hundreds of events', () => {
  it('reach three webhooks, each signed with its secret', async () => {
    await using platform = await start();
    const receivers = await Promise.all([1, 2, 3].map(() => startReceiver()));
    const hooks = await Promise.all(receivers.map(({ url }) => createWebhook(platform, { url })));
    const ids = await publishMany(platform, 300);
    for (const [index, receiver] of receivers.entries()) {
      await expect.poll(() => new Set(idsOf(receiver.received)).size, { interval: 100 }).toBe(300);
      const verified = receiver.received.map((request) => verify(hooks[index]?.secret ?? '', request));
      expect(new Set(verified.map((event) => (event as { id: string }).id))).toEqual(new Set(ids));
      await receiver[Symbol.asyncDispose]();
    }
  });
});

describe('two workers on one database', () => {
  it('send each event once', async () => {
    await using one = await start();
    await using _two = await start();
    await using receiver = await startReceiver();
    const { id } = await createWebhook(one, { url: receiver.url });
    const ids = await publishMany(one, 200);
    await one.settled(id, 200);
    expect(idsOf(receiver.received).toSorted()).toEqual(ids.toSorted());
  });

  it('do not send the same delivery when one clock is a year ahead', async () => {
    await using receiver = await startReceiver((response) =>
      setTimeout(() => respond(204)(response, 1), 600),
    );
    await using one = await start();
    await using _two = await start({ aheadMs: YEAR_MS });
    const { id } = await createWebhook(one, { url: receiver.url });
    const ids = await publishMany(one, 5);
    await one.settled(id, 5);
    expect(idsOf(receiver.received).toSorted()).toEqual(ids.toSorted());
  });

  it('recover the deliveries of a worker that died during an attempt', async () => {
    await using receiver = await startReceiver();
    await using one = await start({ settings: { WEBHOOK_TIMEOUT_MS: '2000' } });
    const { id } = await createWebhook(one, { url: receiver.url });
    const collection = one.database.collection('webhookDeliveries');
    await one.publishAny();
    await one.settled(id, 1);
    // The state that a process leaves when it dies with a leased delivery.
    await collection.updateMany(
      {},
      { $set: { leaseId: 'of-nobody', status: 'pending' }, $unset: { endedAt: '' } },
    );
    const [delivery] = await one.settled(id, 1);
    expect(delivery?.attempts.map(({ failure }) => failure)).toEqual([null, 'interrupted', null]);
    expect(receiver.received).toHaveLength(2);
  });
});

describe('a restart', () => {
  it('loses no delivery in progress', async () => {
    await using receiver = await startReceiver((response) => setTimeout(() => respond(204)(response, 1), 50));
    const first = await start();
    const { id } = await createWebhook(first, { url: receiver.url });
    const ids = await publishMany(first, 100);
    await receiver.requests(20);
    await first[Symbol.asyncDispose]();
    expect(receiver.received.length).toBeLessThan(100);
    await using second = await start();
    await second.settled(id, 100);
    expect([...new Set(idsOf(receiver.received))].toSorted()).toEqual(ids.toSorted());
  });

  it('delays nothing when the clock was set back by a year', async () => {
    await using receiver = await startReceiver(respond(500));
    const settings = { WEBHOOK_RETRY_SECONDS: '3600' };
    const first = await start({ settings, aheadMs: YEAR_MS });
    const { id } = await createWebhook(first, { url: receiver.url });
    await first.publishAny();
    await first.settled(
      id,
      1,
      ({ attempts, nextAttemptAt }) => attempts.length === 1 && nextAttemptAt !== null,
    );
    await first[Symbol.asyncDispose]();
    receiver.behaveAs(respond(204));
    await using second = await start({ settings });
    const [delivery] = await second.settled(id, 1);
    expect(delivery?.status).toBe('delivered');
  });

  it('does not wait for receivers that never respond', async () => {
    await using receiver = await startReceiver(() => {});
    const first = await start({ settings: { WEBHOOK_TIMEOUT_MS: '60000' } });
    const { id } = await createWebhook(first, { url: receiver.url });
    await first.publishAny();
    await receiver.requests(1);
    await first[Symbol.asyncDispose]();
    receiver.behaveAs(respond(204));
    await using second = await start();
    const [delivery] = await second.settled(id, 1);
    expect(delivery?.attempts.map(({ failure }) => failure)).toEqual(['interrupted', null]);
  });
});

describe('a receiver that never responds does not delay others', () => {
  it.each([
    ['of another host', undefined],
    ['of the same host', 'same'],
    ['though one attempt is made at a time', '1'],
  ])('%s', async (_, kind) => {
    await using slow = await startReceiver(() => {});
    await using fast = await startReceiver();
    const settings = { WEBHOOK_TIMEOUT_MS: '1500', ...(kind === '1' ? { WEBHOOK_CONCURRENCY: '1' } : {}) };
    await using platform = await start({ settings });
    await createWebhook(platform, { url: `${slow.url}/1` });
    await publishMany(platform, 100);
    await slow.requests(1);
    if (kind === 'same')
      slow.behaveAs((response) => void (response.req.url === '/hook/2' ? response.end() : undefined));
    const { url } = kind === 'same' ? slow : fast;
    const { id } = await createWebhook(platform, {
      url: `${url}/2`,
      eventTypes: ['management.group.created.v1'],
    });
    const data = { id: 'grp_1', name: 'Group', type: 'ORG_GROUP', tenantId: null };
    await platform.publish('management.group.created.v1', data);
    const [delivery] = await platform.settled(id, 1);
    expect(delivery?.status).toBe('delivered');
    const waiting = { nextAttemptAt: { $exists: true } };
    expect(await platform.database.collection('webhookDeliveries').countDocuments(waiting)).toBeGreaterThan(
      0,
    );
  });
});

describe('the indexes', () => {
  it('serve the queries for due and leased deliveries and for pages without further reads', async () => {
    await using receiver = await startReceiver();
    await using platform = await start();
    const { id: webhookId } = await createWebhook(platform, { url: receiver.url });
    await publishMany(platform, 100);
    await platform.settled(webhookId, 100);
    const collection = platform.database.collection('webhookDeliveries');
    const now = new Date();
    await collection.updateOne(
      {},
      { $set: { nextAttemptAt: new Date(now.getTime() + YEAR_MS), status: 'pending' } },
    );
    const due = { $or: [{ nextAttemptAt: { $lte: now } }, { nextAttemptAt: { $gt: now } }] };
    const plans = [
      collection
        .find({ organizationId: 'o_1', webhookId, ...due })
        .sort({ nextAttemptAt: 1 })
        .limit(1),
      collection
        .find({ webhookId: { $gt: '' }, nextAttemptAt: { $exists: true } })
        .sort({ webhookId: 1, nextAttemptAt: 1 })
        .limit(1),
      collection.find({ leaseId: { $exists: true } }),
      collection.find({ endedAt: { $lt: new Date(0) } }),
      collection
        .find({ organizationId: 'o_1', webhookId, status: 'pending' })
        .sort({ createdAt: -1, _id: -1 })
        .limit(10),
    ];
    for (const plan of plans) {
      const { executionStats } = (await plan.explain('executionStats')) as unknown as {
        executionStats: { totalDocsExamined: number };
      };
      expect(executionStats.totalDocsExamined).toBeLessThanOrEqual(1);
    }
    await expect.poll(() => receiver.received.length, SOON).toBeGreaterThanOrEqual(100);
  });
});

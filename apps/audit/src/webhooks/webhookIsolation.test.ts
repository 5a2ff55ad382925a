import { newKey, readConfig, readQuotas } from '@gatehouse/service';
import { startTestMongo, writeOutcome, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeliveryDocument } from '../deliveries/documents.js';
import { createDeliveryIndexes, DeliveryStore } from '../deliveries/store.js';
import { WebhookStore, type WebhookDocument } from './store.js';

const HERE = 'o_here';
const now = new Date('2026-03-01T12:00:00Z');
const written = { events: [], now };

let mongo: TestMongo;
let webhooks: WebhookStore;
let deliveries: DeliveryStore;
beforeAll(async () => {
  mongo = await startTestMongo();
  const database = mongo.databases.of('audit');
  webhooks = new WebhookStore(database, readQuotas(readConfig({})));
  deliveries = new DeliveryStore(database, 0);
  await createDeliveryIndexes(database);
});
afterAll(() => mongo[Symbol.asyncDispose]());

function insertWebhook(): Promise<WebhookDocument> {
  const target = { url: 'https://hooks.example.com/', description: '', eventTypes: ['*'], projectId: null };
  const health = { isEnabled: true, disabledReason: null, failingSince: null };
  const draft = { _id: newKey(), ...target, ...health, sealedSecret: 's', formerSecrets: [] };
  return webhooks.insert(HERE, draft, written);
}

async function insertDelivery(state: Partial<DeliveryDocument>): Promise<DeliveryDocument> {
  const delivery: DeliveryDocument = {
    _id: newKey(),
    organizationId: HERE,
    webhookId: newKey(),
    eventId: newKey(),
    eventType: 'management.dashboard.created.v1',
    body: '{}',
    status: 'pending',
    attempts: [],
    tries: 0,
    createdAt: now,
    updatedAt: now,
    ...state,
  };
  await deliveries.insertAll(HERE, [delivery]);
  return delivery;
}

const storedDelivery = (_id: string) =>
  mongo.databases.of('audit').collection<DeliveryDocument>('webhookDeliveries').findOne({ _id });
const storedWebhook = (_id: string) =>
  mongo.databases.of('audit').collection<WebhookDocument>('webhooks').findOne({ _id });

const orNull = (read: Promise<unknown>) => read.catch(() => null);
type Call<T> = (organizationId: string, document: T) => Promise<unknown>;

const webhookCalls: Record<string, Call<WebhookDocument>> = {
  find: (organizationId, { _id }) => webhooks.find(organizationId, _id),
  get: (organizationId, { _id }) => orNull(webhooks.get(organizationId, _id)),
  list: async (organizationId) => (await webhooks.list(organizationId, { limit: 1000 })).records,
  listEnabled: (organizationId) => webhooks.listEnabled(organizationId),
  update: (organizationId, current) =>
    writeOutcome(webhooks.update(organizationId, current, { set: { description: 'x' }, ...written })),
  delete: (organizationId, current) => writeOutcome(webhooks.delete(organizationId, current, written)),
  noteFailure: async (organizationId, { _id }) => {
    await webhooks.noteFailure(organizationId, _id, now);
    return (await storedWebhook(_id))?.failingSince ?? null;
  },
  noteSuccess: async (organizationId, { _id }) => {
    await webhooks.noteFailure(HERE, _id, now);
    await webhooks.noteSuccess(organizationId, _id);
    return (await storedWebhook(_id))?.failingSince === null;
  },
};

const waiting = { now, horizon: new Date(now.getTime() + 60_000), leaseId: 'lease' };
const ended = { status: 'failed', endedAt: now } as const;
const isDue = { nextAttemptAt: now };
const leased = { leaseId: 'held' };
const failure = {
  attempt: { attemptedAt: now, durationMs: 1, statusCode: 500, failure: null },
  now,
  status: 'failed' as const,
};

/** The state of the delivery that each function finds or changes, and the call. */
const deliveryCalls: Record<string, [state: Partial<DeliveryDocument>, Call<DeliveryDocument>]> = {
  get: [{}, (organizationId, { webhookId, _id }) => orNull(deliveries.get(organizationId, webhookId, _id))],
  page: [{}, (organizationId, { webhookId }) => deliveries.page(organizationId, webhookId, { limit: 10 })],
  replay: [
    ended,
    (organizationId, delivery) => writeOutcome(deliveries.replay(organizationId, delivery, { now })),
  ],
  replayFailed: [
    ended,
    (organizationId, { webhookId }) =>
      deliveries.replayFailed(organizationId, webhookId, { since: new Date(0), now }),
  ],
  failWaiting: [
    isDue,
    async (organizationId, { webhookId, _id }) => {
      await deliveries.failWaiting(organizationId, webhookId, now);
      return (await storedDelivery(_id))?.status === 'failed';
    },
  ],
  findMostWaiting: [isDue, (organizationId) => deliveries.findMostWaiting(organizationId)],
  deleteOf: [
    {},
    async (organizationId, { webhookId, _id }) => {
      await deliveries.deleteOf(organizationId, webhookId);
      return (await storedDelivery(_id)) === null;
    },
  ],
  claimNext: [
    isDue,
    (organizationId, { webhookId }) => deliveries.claimNext(organizationId, webhookId, waiting),
  ],
  release: [
    leased,
    async (organizationId, { _id, webhookId }) => {
      await deliveries.release(organizationId, { _id, organizationId, webhookId, ...leased }, now);
      return (await storedDelivery(_id))?.leaseId === undefined;
    },
  ],
  endAttempt: [
    leased,
    (organizationId, { _id, webhookId }) =>
      deliveries.endAttempt(organizationId, { _id, organizationId, webhookId, ...leased }, failure),
  ],
};

/** Functions that only insert, and functions of the worker and the sweeps, which serve all organizations. */
const OTHERS = [
  'constructor',
  'countUsage',
  'dropFormerSecrets',
  'insertAll',
  'insertWithRoom',
  'findFirstWaiting',
  'listLeased',
  'deleteEnded',
];

const isNothing = (found: unknown) =>
  found === null || found === false || found === 0 || (Array.isArray(found) && found.length === 0);

describe.each(['o_there', ''])('a store function for the organization "%s"', (there) => {
  it.each(Object.entries(webhookCalls))('webhooks.%s finds and changes only its own', async (_, call) => {
    const webhook = await insertWebhook();
    const before = { ...(await storedWebhook(webhook._id)), failingSince: null };
    expect(isNothing(await call(there, webhook))).toBe(true);
    expect({ ...(await storedWebhook(webhook._id)), failingSince: null }).toEqual(before);
    expect(isNothing(await call(HERE, webhook))).toBe(false);
  });

  it.each(Object.entries(deliveryCalls))(
    'deliveries.%s finds and changes only its own',
    async (_, [state, call]) => {
      const delivery = await insertDelivery(state);
      const before = await storedDelivery(delivery._id);
      expect(isNothing(await call(there, delivery))).toBe(true);
      expect(await storedDelivery(delivery._id)).toEqual(before);
      expect(isNothing(await call(HERE, delivery))).toBe(false);
    },
  );
});

it('every function of webhooks and deliveries has a case', () => {
  const methods = [WebhookStore, DeliveryStore].flatMap(({ prototype }) =>
    Object.getOwnPropertyNames(prototype),
  );
  const covered = [...Object.keys(webhookCalls), ...Object.keys(deliveryCalls), ...OTHERS];
  expect(methods.filter((name) => !covered.includes(name))).toEqual([]);
});

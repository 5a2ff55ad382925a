import { succeeded, unique } from '../api.js';
import { createFailedDelivery, createWebhook, DEAF_URL } from '../webhookRecords.js';
import { by, withBody, type Prepare, type Refusal, type Refusals, type World } from './statusCase.js';

const list: Prepare = ({ admin }) => ({ session: admin });
const create: Prepare = ({ admin }) => ({
  session: admin,
  body: { url: DEAF_URL, eventTypes: ['management.webhook.deleted.v1'], description: unique('Webhook') },
});
const webhook: Prepare = async ({ admin }) => ({
  session: admin,
  path: { id: (await createWebhook(admin)).id },
});
const disabled: Prepare = async ({ admin }) => ({
  session: admin,
  path: { id: (await createWebhook(admin, { isEnabled: false })).id },
});
const update: Prepare = withBody(webhook, () => ({ description: unique('Webhook') }));
const delivery: Prepare = async ({ admin }) => ({
  session: admin,
  path: await createFailedDelivery(admin),
});

/** For requests that are refused, one of each will do: an organization has a hundred webhooks at most. */
function once(prepare: Prepare): Prepare {
  const made = new WeakMap<World, ReturnType<Prepare>>();
  return (world) => {
    const request = made.get(world) ?? prepare(world);
    made.set(world, request);
    return request;
  };
}
const someWebhook = once(webhook);
const someDelivery = once(delivery);
const someUpdate = withBody(someWebhook, () => ({ description: unique('Webhook') }));
const someReplay = withBody(someWebhook, () => ({ since: '2026-01-01T00:00:00Z' }));
const replay: Prepare = withBody(webhook, () => ({ since: '2026-01-01T00:00:00Z' }));

export const webhookSpecimens = {
  listWebhooks: list,
  createWebhook: create,
  getWebhook: webhook,
  updateWebhook: update,
  updateWebhookByPut: update,
  deleteWebhook: webhook,
  rotateWebhookSecret: webhook,
  testWebhook: webhook,
  listWebhookDeliveries: webhook,
  getWebhookDelivery: delivery,
  replayWebhookDelivery: delivery,
  replayFailedWebhookDeliveries: replay,
};

const STRANGERS = ['author', 'orgViewer', 'powerUser', 'service'] as const;
const forAdmins = (prepare: Prepare): Refusal[] =>
  STRANGERS.map((who) => ['FORBIDDEN', `not an ADMIN but ${who}`, by(who, prepare)]);

const wrong = (prepare: Prepare, because: string, body: Record<string, unknown>): Refusal => {
  const [field = ''] = Object.keys(body);
  return ['INVALID_REQUEST', because, withFields(prepare, body), field];
};
const withFields =
  (prepare: Prepare, fields: Record<string, unknown>): Prepare =>
  async (world) => {
    const request = await prepare(world);
    return { ...request, body: { ...request.body, ...fields } };
  };

/** What no webhook may be, when it is made or changed. */
const faultyFields = (prepare: Prepare): Refusal[] => [
  wrong(prepare, 'a host that is not allowed', { url: 'https://hooks.example.com/' }),
  wrong(prepare, 'an address that is not allowed', { url: 'http://127.0.0.2:9/' }),
  wrong(prepare, 'another scheme', { url: 'ftp://127.0.0.1/' }),
  wrong(prepare, 'a user in the URL', { url: 'http://user@127.0.0.1/' }),
  wrong(prepare, 'no URL', { url: 'hooks' }),
  wrong(prepare, 'a project that does not exist', { projectId: 'p_none' }),
  wrong(prepare, 'no event types', { eventTypes: [] }),
  [
    'INVALID_REQUEST',
    'an event type that there is not',
    withFields(prepare, { eventTypes: ['*', 'management.dashboard.painted.v1'] }),
    'eventTypes[1]',
  ],
];

/** A delivery, requested under another webhook. */
const ofAnother: Prepare = async (world) => {
  const [{ path: another }, request] = [await someWebhook(world), await someDelivery(world)];
  return { ...request, path: { ...request.path, ...another } };
};

/** One that was made from a webhook which has been disabled since. */
const deliveryOfDisabled: Prepare = async (world) => {
  const request = await delivery(world);
  succeeded(await world.admin.patch(`/webhooks/${request.path?.['id']}`, { isEnabled: false }));
  return request;
};

export const webhookRefusals: Refusals = {
  listWebhooks: forAdmins(list),
  createWebhook: [...forAdmins(create), ...faultyFields(create)],
  getWebhook: forAdmins(someWebhook),
  updateWebhook: [
    ...forAdmins(someUpdate),
    ...faultyFields(someWebhook),
    ['INVALID_REQUEST', 'nothing to change', withBody(someWebhook, () => ({}))],
  ],
  updateWebhookByPut: [...forAdmins(someUpdate), ...faultyFields(someWebhook)],
  deleteWebhook: forAdmins(someWebhook),
  rotateWebhookSecret: forAdmins(someWebhook),
  testWebhook: forAdmins(someWebhook),
  listWebhookDeliveries: [
    ...forAdmins(someWebhook),
    [
      'INVALID_REQUEST',
      'no such status',
      async (world) => ({ ...(await someWebhook(world)), query: { status: 'lost' } }),
      'status',
    ],
    [
      'INVALID_REQUEST',
      'no such cursor',
      async (world) => ({ ...(await someWebhook(world)), query: { cursor: 'WzEsMl0' } }),
      'cursor',
    ],
  ],
  getWebhookDelivery: [
    ...forAdmins(someDelivery),
    ['NOT_FOUND', 'the delivery of another webhook', ofAnother],
  ],
  replayWebhookDelivery: [
    ...forAdmins(someDelivery),
    ['NOT_FOUND', 'the delivery of another webhook', ofAnother],
    ['CONFLICT', 'a webhook that is disabled', deliveryOfDisabled],
  ],
  replayFailedWebhookDeliveries: [
    ...forAdmins(someReplay),
    wrong(someReplay, 'no moment', { since: 'yesterday' }),
    ['CONFLICT', 'a webhook that is disabled', withBody(disabled, () => ({ since: '2026-01-01T00:00:00Z' }))],
  ],
};

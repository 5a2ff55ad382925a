import { defineRoute, defineUpdates } from './define.js';

const tag = 'Webhooks';
const webhooks = '/api/management/v1/webhooks';
const webhook = `${webhooks}/{id}`;
const errors = ['CONFLICT'] as const;

const ownRoutes = [
  defineRoute(['GET', webhooks], {
    operationId: 'listWebhooks',
    summary: 'List the webhooks of the organization',
    tag,
    procedure: 'audit.webhooks.list',
  }),
  defineRoute(
    ['POST', webhooks],
    {
      operationId: 'createWebhook',
      summary: 'Create a webhook; its secret is shown this once',
      tag,
      procedure: 'audit.webhooks.create',
    },
    { success: 201, record: 'webhook', errors },
  ),
  defineRoute(
    ['GET', webhook],
    { operationId: 'getWebhook', summary: 'Read a webhook', tag, procedure: 'audit.webhooks.get' },
    { record: 'webhook' },
  ),
  ...defineUpdates(
    webhook,
    {
      operationId: 'updateWebhook',
      summary: 'Change a webhook; isEnabled ends and resumes its deliveries',
      tag,
      procedure: 'audit.webhooks.update',
    },
    { record: 'webhook' },
  ),
  defineRoute(
    ['DELETE', webhook],
    {
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook with its deliveries',
      tag,
      procedure: 'audit.webhooks.delete',
    },
    { record: 'deletedWebhook' },
  ),
  defineRoute(
    ['POST', `${webhook}/rotate-secret`],
    {
      operationId: 'rotateWebhookSecret',
      summary: 'Give a webhook a new secret, shown this once; the former one signs along for 24 hours',
      tag,
      procedure: 'audit.webhooks.rotateSecret',
    },
    { record: 'webhook' },
  ),
  defineRoute(
    ['POST', `${webhook}/test`],
    {
      operationId: 'testWebhook',
      summary: 'Send a test event immediately and return the result',
      tag,
      procedure: 'audit.webhooks.test',
    },
    { lane: 'long' },
  ),
];

const deliveries = `${webhook}/deliveries`;
const deliveryRoutes = [
  defineRoute(['GET', deliveries], {
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook, the latest first; those that failed are the dead letters',
    tag,
    procedure: 'audit.webhooks.listDeliveries',
  }),
  defineRoute(['GET', `${deliveries}/{deliveryId}`], {
    operationId: 'getWebhookDelivery',
    summary: 'Read a delivery with its event and its latest attempts',
    tag,
    procedure: 'audit.webhooks.getDelivery',
  }),
  defineRoute(['POST', `${deliveries}/{deliveryId}/replay`], {
    operationId: 'replayWebhookDelivery',
    summary: 'Send an event again that was delivered or failed',
    tag,
    procedure: 'audit.webhooks.replayDelivery',
  }),
  defineRoute(
    ['POST', `${webhook}/replay`],
    {
      operationId: 'replayFailedWebhookDeliveries',
      summary: 'Send again all that failed since a moment',
      tag,
      procedure: 'audit.webhooks.replayFailed',
    },
    { lane: 'long' },
  ),
];

export const webhooksRoutes = [...ownRoutes, ...deliveryRoutes];

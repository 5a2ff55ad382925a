import type { Example } from './example.js';

const webhook = { id: '<webhookId>' };
const delivery = { ...webhook, deliveryId: '<deliveryId>' };
const change: Example = {
  parameters: webhook,
  body: { eventTypes: ['management.webhook_secret.rotated.v1'] },
};

export const auditExamples = {
  listAuditEvents: { parameters: { resourceType: 'dashboard', limit: '20' } },
  exportAuditEvents: { parameters: { outcome: 'refused' } },

  listWebhooks: {},
  createWebhook: {
    step: 'make',
    body: {
      url: 'http://127.0.0.1:9/hook',
      description: 'Example webhook',
      eventTypes: ['management.webhook_secret.rotated.v1'],
    },
    note: 'The operator must allow the host: WEBHOOK_HOSTS=127.0.0.1.',
  },
  getWebhook: { parameters: webhook },
  updateWebhook: change,
  updateWebhookByPut: change,
  rotateWebhookSecret: { parameters: webhook },
  testWebhook: { parameters: webhook },
  listWebhookDeliveries: { parameters: webhook },
  getWebhookDelivery: { parameters: delivery },
  replayWebhookDelivery: { parameters: delivery },
  replayFailedWebhookDeliveries: { parameters: webhook, body: { since: '2026-01-01T00:00:00Z' } },
  deleteWebhook: { step: 'end', parameters: webhook },
} as const satisfies Readonly<Record<string, Example>>;

import { restricted, screen } from '../../shell/screen.js';

export const webhookScreens = [
  screen('/webhooks', async () => ({ Screen: (await import('./WebhookList.js')).WebhookList })),
  restricted('/webhooks/new', 'ADMIN', async () => ({
    Screen: (await import('./NewWebhook.js')).NewWebhook,
  })),
  screen('/webhooks/$id', async () => ({ Screen: (await import('./WebhookDetail.js')).WebhookDetail })),
];

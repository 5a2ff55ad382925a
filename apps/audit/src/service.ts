import { audit } from '@gatehouse/contract';
import { defineService, joinAreas } from '@gatehouse/service';
import { startEventLog } from './eventLog.js';
import { startHistory } from './history.js';
import { SEALED_FIELDS } from './operations/webhookSecrets.js';
import { startWebhooks } from './webhooks.js';

/** The record of what happened, and the webhooks. It is fed by events alone. */
export const auditService = defineService(
  audit,
  { calls: ['directory'], sealedFields: SEALED_FIELDS },
  async (runtime) => {
    const [events, webhooks, history] = await Promise.all([
      startEventLog(runtime),
      startWebhooks(runtime),
      startHistory(runtime),
    ]);
    return {
      handlers: { events: events.handlers, webhooks: webhooks.handlers, history: history.handlers },
      ...joinAreas([events, webhooks, history]),
    };
  },
);

import type { audit } from '@gatehouse/contract';
import type { Handlers } from '@gatehouse/service';
import { createDeliveryProcedures } from './deliveries/procedures.js';
import type { DeliveryWorker } from './deliveries/worker.js';
import type { Dependencies } from './dependencies.js';
import { createHistoryProcedures } from './history/procedures.js';
import type { HistoryStore } from './history/store.js';
import { createLogProcedures } from './log/procedures.js';
import type { LogStores } from './log/store/openStores.js';
import { createWebhookProcedures } from './webhooks/procedures.js';

interface RouterParts {
  log: LogStores;
  history: HistoryStore;
  webhooks: Dependencies;
  worker: DeliveryWorker;
}

/** The handler of each procedure. */
export function createRouter({
  log,
  history,
  webhooks,
  worker,
}: RouterParts): Handlers<typeof audit.procedures> {
  return {
    events: createLogProcedures(log),
    history: createHistoryProcedures(history),
    webhooks: {
      ...createWebhookProcedures(webhooks, worker.stopping),
      ...createDeliveryProcedures(webhooks, worker),
    },
  };
}

import { setMaxListeners } from 'node:events';
import type { audit } from '@gatehouse/contract';
import { resolveName, type AreaParts, type ServiceRuntime } from '@gatehouse/service';
import { createDeliveryConsumer } from './operations/deliveryIntake.js';
import { DeliveryWorker } from './operations/deliveryWorker.js';
import type { Surroundings, Webhooks } from './operations/webhookContext.js';
import { getDelivery, listDeliveries, replayDelivery, replayFailed } from './operations/webhookDeliveries.js';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhookSecret,
  updateWebhook,
} from './operations/webhooks.js';
import { createWebhookTest } from './operations/webhookTest.js';
import { DeliveryStore } from './store/webhookDeliveries.js';
import { createWebhookIndexes, WEBHOOKS } from './store/webhookIndexes.js';
import { WebhookStore } from './store/webhooks.js';

/** How long deliveries are kept that have ended. */
const KEPT_MS = 30 * 86_400_000;

const REAL: Surroundings = { resolve: resolveName, now: () => new Date(), random: Math.random };

function createSweeps({ webhooks, deliveries }: Webhooks) {
  return [
    {
      name: 'webhook deliveries',
      run: (now: Date) => deliveries.deleteEnded(new Date(now.getTime() - KEPT_MS)),
    },
    { name: 'former webhook secrets', run: (now: Date) => webhooks.dropFormerSecrets(now) },
  ];
}

/** Webhooks: who is told of what, and the deliveries. */
export async function startWebhooks(
  runtime: ServiceRuntime<'directory'>,
  surroundings: Surroundings = REAL,
): Promise<AreaParts<(typeof audit)['procedures']['webhooks']>> {
  const { config, database, log, sealer, services } = runtime;
  await createWebhookIndexes(database);
  const webhooks: Webhooks = {
    ...surroundings,
    webhooks: new WebhookStore(database),
    deliveries: new DeliveryStore(database),
    directory: services.directory,
    sealer,
    config,
  };
  const stopping = new AbortController();
  // Every attempt listens, however many there may be at once.
  setMaxListeners(0, stopping.signal);
  const worker = new DeliveryWorker(webhooks, log, stopping);
  worker.start();
  return {
    handlers: {
      list: (input, context) => listWebhooks(webhooks, input, context),
      create: (input, context) => createWebhook(webhooks, input, context),
      get: (input, context) => getWebhook(webhooks, input, context),
      update: (input, context) => updateWebhook(webhooks, input, context),
      delete: (input, context) => deleteWebhook(webhooks, input, context),
      rotateSecret: (input, context) => rotateWebhookSecret(webhooks, input, context),
      test: createWebhookTest(webhooks, stopping.signal),
      listDeliveries: (input, context) => listDeliveries(webhooks, input, context),
      getDelivery: (input, context) => getDelivery(webhooks, input, context),
      replayDelivery: (input, context) =>
        replayDelivery(webhooks, input, context).finally(() => worker.wake()),
      replayFailed: (input, context) => replayFailed(webhooks, input, context).finally(() => worker.wake()),
    },
    outboxes: [WEBHOOKS],
    consumers: [createDeliveryConsumer(webhooks, (wanting) => worker.serve(wanting))],
    sweeps: createSweeps(webhooks),
    stop: () => worker.stop(),
  };
}

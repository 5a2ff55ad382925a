import { audit, type CalledBy, type ConsumerOf } from '@gatehouse/contract';
import { defineService, type ServiceParts, type ServiceRuntime, type ShardKey } from '@gatehouse/service';
import { createDeliveryConsumer } from './deliveries/consumers.js';
import { createDeliveryIndexes } from './deliveries/store.js';
import { sweepDeliveries } from './deliveries/sweeps.js';
import { DeliveryWorker } from './deliveries/worker.js';
import { createDependencies, SYSTEM_ENVIRONMENT, type Environment } from './dependencies.js';
import { createHistoryConsumer } from './history/consumers.js';
import { HistoryStore } from './history/store.js';
import { createLogConsumer } from './log/consumers.js';
import { createEntryIndexes } from './log/store/entries.js';
import { createLogStores } from './log/store/openStores.js';
import { createRouter } from './router.js';
import { SEALED_FIELDS } from './webhooks/sealSecret.js';
import { createWebhookIndexes, WEBHOOKS } from './webhooks/store.js';

/** Creates the indexes, starts the delivery worker, and returns the parts of the service. */
export async function assembleAudit(
  runtime: ServiceRuntime<CalledBy<'audit'>>,
  environment: Environment = SYSTEM_ENVIRONMENT,
): Promise<ServiceParts<typeof audit.procedures, ConsumerOf<'audit'>>> {
  const { database, sealer, log: logger } = runtime;
  const history = new HistoryStore(database);
  await Promise.all([
    createEntryIndexes(database),
    createWebhookIndexes(database),
    createDeliveryIndexes(database),
    history.createIndexes(),
  ]);
  const log = createLogStores(database);
  const webhooks = createDependencies(runtime, environment);
  const worker = new DeliveryWorker(webhooks, logger);
  worker.start();
  return {
    handlers: createRouter({ log, history, webhooks, worker }),
    outboxes: [WEBHOOKS],
    consumers: [
      createLogConsumer({ stores: log, sealer, log: logger }),
      createDeliveryConsumer(webhooks, (wanting) => worker.serve(wanting)),
      createHistoryConsumer(history),
    ],
    sweeps: [
      { name: 'webhook deliveries', run: (now) => sweepDeliveries(webhooks, now) },
      { name: 'former webhook secrets', run: (now) => webhooks.webhooks.dropFormerSecrets(now) },
    ],
    stop: () => worker.stop(),
  };
}

const byOrganization: ShardKey = { organizationId: 1 };
const byOrganizationAndId: ShardKey = { organizationId: 1, _id: 1 };

const SHARD_KEYS: Readonly<Record<string, ShardKey>> = {
  // Neither a sequence number nor an event is recorded twice: one shard has the whole log.
  auditEvents: byOrganization,
  auditHeads: { _id: 'hashed' },
  historyResources: byOrganizationAndId,
  historyUsers: byOrganizationAndId,
  historyGroups: byOrganizationAndId,
  webhooks: byOrganization,
  webhookDeliveries: { organizationId: 1, webhookId: 1 },
};

/**
 * The audit log, the history of access, and webhooks. Events are the only input of the log and the history.
 */
export const auditService = defineService(
  audit,
  { sealedFields: SEALED_FIELDS, shardKeys: SHARD_KEYS },
  assembleAudit,
);

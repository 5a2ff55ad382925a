import { policy as contract } from '@gatehouse/contract';
import { defineService, readQuotas } from '@gatehouse/service';
import { createTidyConsumer } from './cleanup/consumers.js';
import { createCatalogIndexer } from './sql/logic/catalogIndex.js';
import { createEngines } from './sql/compiler/engines.js';
import { ActorClient } from './actors/findActors.js';
import { ConnectionClient } from './connections/findConnections.js';
import { SEALED_FIELDS } from './secrets/sealing.js';
import type { Dependencies } from './dependencies.js';
import { createHandlers } from './router.js';
import { SampleDatabases } from './policyTests/sampleDatabases.js';
import { COLLECTIONS, createIndexes, createStores, SHARD_KEYS } from './store/stores.js';

/** Security policies: definitions, assignments, previews for an actor, and policy tests. */
export const policyService = defineService(
  contract,
  { sealedFields: SEALED_FIELDS, shardKeys: SHARD_KEYS },
  async ({ config, database, sealer, services }) => {
    await createIndexes(database);
    const engines = createEngines(config.COMPILE_TIMEOUT_MS);
    const samples = new SampleDatabases();
    const stores = createStores(database, readQuotas(config));
    const deps: Dependencies = {
      stores,
      directory: services.directory,
      connections: new ConnectionClient(services.semantics),
      actors: new ActorClient(services.directory),
      sealer,
      engineOf: engines.engineOf,
      indexCatalog: createCatalogIndexer(),
      samples,
      auditsCompilations: config.AUDIT_COMPILATIONS,
    };
    return {
      handlers: createHandlers(deps),
      outboxes: COLLECTIONS,
      consumers: [createTidyConsumer(deps)],
      sweeps: [],
      checkReady: () => engines.checkReady(),
      async stop() {
        await Promise.all([engines.stop(), samples.stop()]);
      },
    };
  },
);

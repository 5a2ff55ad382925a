import { semantics as contract } from '@gatehouse/contract';
import { defineService, readQuotas } from '@gatehouse/service';
import { createCatalogSweep } from './catalogs/sweeps.js';
import { SEALED_FIELDS } from './connections/sealPassword.js';
import { createIndexes, createStores, OUTBOXES, SHARD_KEYS } from './dependencies.js';
import { createRouter } from './router.js';
import { sweepCopyMarks } from './transfer/sweeps.js';

/** Semantic domains, data models, assistant profiles, connections and their catalogs. */
export const semanticsService = defineService(
  contract,
  { sealedFields: SEALED_FIELDS, shardKeys: SHARD_KEYS },
  async ({ config, database, sealer, services }) => {
    await createIndexes(database);
    const stores = createStores(database, readQuotas(config));
    return {
      handlers: createRouter({ stores, services, sealer, config }),
      outboxes: OUTBOXES,
      consumers: [],
      sweeps: [
        { name: 'catalogs', run: createCatalogSweep(stores) },
        { name: 'marks of undone copies', run: (now) => sweepCopyMarks(stores, now) },
      ],
    };
  },
);

import { semantics as contract } from '@gatehouse/contract';
import { defineService } from '@gatehouse/service';
import { createCatalogSweep } from './operations/catalogSweep.js';
import { SEALED_FIELDS } from './operations/connectionConfigs.js';
import { sweepCopyMarks } from './operations/copiesWrites.js';
import { createHandlers } from './router.js';
import { createIndexes, OUTBOXES } from './store/indexes.js';
import { createStores } from './store/stores.js';

/** Semantic domains, data models, assistant profiles, connections and their catalogs. */
export const semanticsService = defineService(
  contract,
  { calls: ['policy'], sealedFields: SEALED_FIELDS },
  async ({ config, database, sealer, services }) => {
    await createIndexes(database);
    const stores = createStores(database);
    return {
      handlers: createHandlers({ stores, services, sealer, config }),
      outboxes: OUTBOXES,
      consumers: [],
      sweeps: [
        { name: 'catalogs', run: createCatalogSweep(stores) },
        { name: 'marks of undone copies', run: (now) => sweepCopyMarks(stores, now) },
      ],
    };
  },
);

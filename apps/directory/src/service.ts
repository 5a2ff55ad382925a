import { directory as contract } from '@gatehouse/contract';
import { defineService } from '@gatehouse/service';
import { createTidyConsumer } from './consumers.js';
import type { Directory } from './directory.js';
import { ActiveKeyCache } from './operations/activeKey.js';
import { createHandlers } from './router.js';
import { createIndexes, OUTBOXES } from './store/indexes.js';
import { createStores } from './store/stores.js';
import { createSweeps } from './sweeps.js';

/** The directory: organizations, projects, tenants, people, groups and tokens. */
export const directoryService = defineService(contract, async ({ config, database, sealer, services }) => {
  await createIndexes(database);
  const activeKey = new ActiveKeyCache();
  const directory: Directory = { stores: createStores(database), services, sealer, config, activeKey };
  return {
    handlers: createHandlers(directory),
    outboxes: OUTBOXES,
    consumers: [createTidyConsumer(directory)],
    sweeps: createSweeps(directory),
  };
});

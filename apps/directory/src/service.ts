import { directory as contract } from '@gatehouse/contract';
import { createRefusals, defineService } from '@gatehouse/service';
import { createTidyConsumer } from './consumers.js';
import type { Directory, DirectoryRuntime } from './directory.js';
import { ActiveKeyCache } from './operations/activeKey.js';
import { SEALED_FIELDS as ANSWER_FIELDS } from './operations/idempotency.js';
import { SEALED_FIELDS as KEY_FIELDS } from './operations/signingKeys.js';
import { createHandlers } from './router.js';
import { createIndexes, OUTBOXES } from './store/indexes.js';
import { createStores } from './store/stores.js';
import { createSweeps } from './sweeps.js';

/** How long a stop waits for refusals to be published. */
const REFUSALS_TIMEOUT_MS = 1000;

/** What the operations work with, on a database that has its indexes. */
export async function openDirectory({
  config,
  database,
  sealer,
  services,
  bus,
  log,
}: DirectoryRuntime): Promise<Directory> {
  await createIndexes(database);
  return {
    stores: createStores(database),
    services,
    sealer,
    config,
    activeKey: new ActiveKeyCache(),
    refusals: createRefusals({ service: contract.name, bus, log }),
  };
}

/** The directory: organizations, projects, tenants, people, groups and tokens. */
export const directoryService = defineService(
  contract,
  { calls: ['access', 'semantics'], sealedFields: [...KEY_FIELDS, ...ANSWER_FIELDS] },
  async (runtime) => {
    const directory = await openDirectory(runtime);
    return {
      handlers: createHandlers(directory),
      outboxes: OUTBOXES,
      consumers: [createTidyConsumer(directory)],
      sweeps: createSweeps(directory),
      stop: () => directory.refusals.stop(REFUSALS_TIMEOUT_MS),
    };
  },
);

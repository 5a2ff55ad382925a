import { policy as contract } from '@gatehouse/contract';
import { defineService } from '@gatehouse/service';
import { createTidyConsumer } from './consumers.js';
import { createEngines } from './engines.js';
import { ActorBook } from './operations/actorBook.js';
import { EarlyCandidates } from './operations/earlyCandidates.js';
import { ConnectionBook } from './operations/connections.js';
import { SEALED_FIELDS } from './operations/sealing.js';
import type { Policy } from './policy.js';
import { createHandlers } from './router.js';
import { createSampleDatabase } from './sampleDatabase.js';
import { COLLECTIONS, createIndexes } from './store/indexes.js';
import { createStores } from './store/stores.js';

/** Security policies: definitions, assignments, what they come to for an actor, and the tests of that. */
export const policyService = defineService(
  contract,
  { calls: ['directory', 'semantics'], sealedFields: SEALED_FIELDS },
  async ({ config, database, sealer, services }) => {
    await createIndexes(database);
    const engines = await createEngines(config.COMPILE_TIMEOUT_MS);
    const samples = createSampleDatabase();
    const stores = createStores(database);
    const policy: Policy = {
      stores,
      directory: services.directory,
      connections: new ConnectionBook(services.semantics),
      actors: new ActorBook(services.directory),
      candidates: new EarlyCandidates(stores),
      sealer,
      engineOf: engines.engineOf,
      samples,
    };
    return {
      handlers: createHandlers(policy),
      outboxes: COLLECTIONS,
      consumers: [createTidyConsumer(policy)],
      sweeps: [],
      checkReady: () => engines.checkReady(),
      async stop() {
        await Promise.all([engines.stop(), samples.stop()]);
      },
    };
  },
);

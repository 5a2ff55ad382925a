import { access } from '@gatehouse/contract';
import { defineService } from '@gatehouse/service';
import { createTidyConsumer } from './consumers.js';
import { createResourceKinds } from './operations/resourceKind.js';
import { sweepExpiredShares } from './operations/tidying.js';
import { createHandlers } from './router.js';
import { COLLECTIONS, openAccessStores } from './store/resourceStore.js';

/** Dashboards, visuals, their shares, and the decision who may do what with them. */
export const accessService = defineService(access, async ({ database, services }) => {
  const kinds = createResourceKinds(await openAccessStores(database));
  return {
    handlers: createHandlers(kinds, services.directory),
    outboxes: Object.values(COLLECTIONS),
    consumers: [createTidyConsumer(kinds)],
    sweeps: [
      { name: 'expired dashboard shares', run: (now) => sweepExpiredShares(kinds.dashboards, now) },
      { name: 'expired visual shares', run: (now) => sweepExpiredShares(kinds.visuals, now) },
    ],
  };
});

import { lifecycle } from '@gatehouse/contract';
import { defineService } from '@gatehouse/service';
import { createCatalogCache } from './operations/catalogCache.js';
import { createHandlers } from './router.js';

/** The validation of dashboards. It keeps nothing of its own but catalogs that it has read before. */
export const lifecycleService = defineService(lifecycle, async ({ services }) => ({
  handlers: createHandlers({
    access: services.access,
    semantics: services.semantics,
    catalogs: createCatalogCache(),
  }),
  outboxes: [],
  consumers: [],
  sweeps: [],
}));

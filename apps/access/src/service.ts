import { access } from '@gatehouse/contract';
import { defineService, readQuotas } from '@gatehouse/service';
import { createCommitSettingsConsumer, watchCommitSettings } from './commits/consumers.js';
import { createCommitSettings } from './commits/settings.js';
import { CommitSettingStore } from './commits/store.js';
import { createResourceKinds } from './resources/kind.js';
import { COLLECTIONS, openAccessStores, SHARD_KEYS } from './resources/store/openStores.js';
import { createHandlers } from './router.js';
import { createCleanupConsumer } from './sharing/consumers.js';
import { sweepExpiredShares } from './sharing/sweeps.js';
import { sweepCopyMarks } from './transfer/sweeps.js';

/** Dashboards, visuals, their shares, and access decisions. */
export const accessService = defineService(
  access,
  { shardKeys: { ...SHARD_KEYS, commitSettings: { _id: 'hashed' } } },
  async ({ config, database, services, bus }) => {
    const kinds = createResourceKinds(await openAccessStores(database, readQuotas(config)));
    const settings = createCommitSettings(new CommitSettingStore(database));
    const watch = await watchCommitSettings(settings, bus);
    return {
      handlers: createHandlers(kinds, { services, settings }),
      outboxes: Object.values(COLLECTIONS),
      consumers: [createCleanupConsumer(kinds), createCommitSettingsConsumer(settings)],
      sweeps: [
        { name: 'expired dashboard shares', run: (now) => sweepExpiredShares(kinds.dashboards, now) },
        { name: 'expired visual shares', run: (now) => sweepExpiredShares(kinds.visuals, now) },
        { name: 'terms of dashboards', run: () => kinds.dashboards.store.platform.addMissingTerms() },
        { name: 'terms of visuals', run: () => kinds.visuals.store.platform.addMissingTerms() },
        {
          name: 'parts of dashboard shares',
          run: (now) => kinds.dashboards.store.platform.settleParts(now),
        },
        { name: 'parts of visual shares', run: (now) => kinds.visuals.store.platform.settleParts(now) },
        { name: 'marks of undone copies', run: (now) => sweepCopyMarks(kinds, now) },
      ],
      stop: () => watch.stop(),
    };
  },
);

import { access } from '@gatehouse/contract';
import { defineService } from '@gatehouse/service';
import { createTidyConsumer } from './consumers.js';
import {
  createCommitSettings,
  createCommitSettingsConsumer,
  watchCommitSettings,
} from './operations/commitSettings.js';
import { sweepCopyMarks } from './operations/copiesWrites.js';
import { createResourceKinds } from './operations/resourceKind.js';
import { sweepExpiredShares } from './operations/tidying.js';
import { createHandlers } from './router.js';
import { CommitSettingStore } from './store/commitSettings.js';
import { COLLECTIONS, openAccessStores } from './store/resourceStore.js';

/** Dashboards, visuals, their shares, and the decision who may do what with them. */
export const accessService = defineService(
  access,
  { calls: ['directory', 'audit', 'lifecycle'] },
  async ({ database, services, bus }) => {
    const kinds = createResourceKinds(await openAccessStores(database));
    const settings = createCommitSettings(new CommitSettingStore(database));
    const watch = await watchCommitSettings(settings, bus);
    return {
      handlers: createHandlers(kinds, { services, settings }),
      outboxes: Object.values(COLLECTIONS),
      consumers: [createTidyConsumer(kinds), createCommitSettingsConsumer(settings)],
      sweeps: [
        { name: 'expired dashboard shares', run: (now) => sweepExpiredShares(kinds.dashboards, now) },
        { name: 'expired visual shares', run: (now) => sweepExpiredShares(kinds.visuals, now) },
        { name: 'marks of undone copies', run: (now) => sweepCopyMarks(kinds, now) },
      ],
      stop: () => watch.stop(),
    };
  },
);

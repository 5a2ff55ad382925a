import { lifecycle } from '@gatehouse/contract';
import { defineService, joinAreas } from '@gatehouse/service';
import { startMigrations } from './migrations.js';
import { SEALED_FIELDS } from './operations/remotes.js';
import { createValidation } from './validation.js';
import { startVersionControl } from './versionControl.js';

/** What happens to dashboards over time: their validation, their migration and their versions. */
export const lifecycleService = defineService(
  lifecycle,
  { calls: ['directory', 'access', 'semantics'], sealedFields: SEALED_FIELDS },
  async (runtime) => {
    const validation = createValidation(runtime);
    const versionControl = await startVersionControl(runtime);
    const migrations = await startMigrations(runtime, versionControl.repositories);
    return {
      handlers: {
        validation: validation.handlers,
        migrations: migrations.handlers,
        versionControl: versionControl.handlers,
      },
      ...joinAreas([validation, versionControl, migrations]),
    };
  },
);

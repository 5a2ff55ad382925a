import { migrations } from './migration.js';
import { validation } from './validation.js';
import { versionControl } from './versionControl.js';

/** What happens to dashboards over time: their validation, their migration and their versions. */
export const lifecycle = {
  name: 'lifecycle' as const,
  procedures: { validation, migrations, versionControl },
};

import type { lifecycle } from '@gatehouse/contract';
import type { AreaParts, ServiceRuntime } from '@gatehouse/service';
import type { Repositories } from './operations/repositories.js';

/** The repositories of projects. */
export async function startVersionControl(
  _runtime: ServiceRuntime,
): Promise<AreaParts<(typeof lifecycle)['procedures']['versionControl']> & { repositories: Repositories }> {
  return {
    handlers: {},
    repositories: {
      settingsOf: async () => ({ commitOnSave: 'off', isConfigured: false }),
      commit: async () => ({ status: 'not_configured', commitSha: null, commitUrl: null }),
    },
  };
}

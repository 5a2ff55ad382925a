import type { lifecycle } from '@gatehouse/contract';
import type { AreaParts, ServiceRuntime } from '@gatehouse/service';
import type { Repositories } from './operations/repositories.js';

/** Dashboards copied into other projects. */
export async function startMigrations(
  _runtime: ServiceRuntime,
  _repositories: Repositories,
): Promise<AreaParts<(typeof lifecycle)['procedures']['migrations']>> {
  return { handlers: {} };
}

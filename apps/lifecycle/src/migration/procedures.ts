import type { lifecycle } from '@gatehouse/contract';
import { FairShares, type CallContext, type Handlers } from '@gatehouse/service';
import type { MigrationDependencies } from './dependencies.js';
import { analyzeMigration } from './logic/analysis.js';
import { migrateDashboard } from './migrateDashboard.js';
import { readAnalysisFacts } from './readFacts.js';
import { getMigration, listMigrations } from './readMigrations.js';
import { rollBackMigration } from './rollBackMigration.js';

/**
 * Limits of concurrent analyses, migrations and rollbacks, per process and per organization. Each holds in
 * memory what it copies. The queue is bounded, because every queued call holds its request.
 */
const SHARES = { capacity: 16, perShare: 6, waitingPerShare: 32, waiting: 256, waitMs: 5000 };

/** Creates the procedures that copy dashboards into other projects. */
export function createMigrationProcedures(
  deps: MigrationDependencies,
): Handlers<(typeof lifecycle)['procedures']>['migrations'] {
  const shares = new FairShares(SHARES);
  const inShare = <T>({ principal }: CallContext, task: () => Promise<T>) =>
    shares.run(principal.organizationId, task);
  return {
    migrate: (input, context) => inShare(context, () => migrateDashboard(deps, input, context)),
    analyze: (input, context) =>
      inShare(context, async () => analyzeMigration(await readAnalysisFacts(deps, input, context))),
    list: (input, context) => listMigrations(deps, input, context),
    get: (input, context) => getMigration(deps, input, context),
    rollback: (input, context) => inShare(context, () => rollBackMigration(deps, input, context)),
  };
}

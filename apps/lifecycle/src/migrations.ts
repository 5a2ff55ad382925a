import type { lifecycle } from '@gatehouse/contract';
import type { AreaParts, ServiceRuntime } from '@gatehouse/service';
import { analyze } from './operations/migration/analyze.js';
import { migrate } from './operations/migration/migrate.js';
import type { Migrations } from './operations/migration/migrations.js';
import { getMigration, listMigrations } from './operations/migration/readMigrations.js';
import { rollBack } from './operations/migration/rollback.js';
import { sweepContents, sweepLapsed } from './operations/migration/sweep.js';
import type { Repositories } from './operations/repositories.js';
import { MIGRATIONS, MigrationStore } from './store/migrations.js';

/** How migrations are carried out. */
export interface MigrationSettings {
  /** How long a process may be silent before another takes over what it was doing. */
  leaseMs: number;
  /** Told after what a step does is done, and again after that is recorded: to see what becomes of a process that ends there. */
  afterStep(name: string): Promise<void>;
}

const DEFAULTS: MigrationSettings = { leaseMs: 15_000, afterStep: async () => {} };

/** Dashboards copied into other projects. */
export async function startMigrations(
  { database, services, signer, log }: ServiceRuntime<'access' | 'directory' | 'semantics'>,
  repositories: Repositories,
  settings: Partial<MigrationSettings> = {},
): Promise<AreaParts<(typeof lifecycle)['procedures']['migrations']>> {
  const store = new MigrationStore(database);
  await store.createIndexes();
  const migrations: Migrations = { store, services, repositories, signer, log, ...DEFAULTS, ...settings };
  return {
    handlers: {
      migrate: (input, context) => migrate(migrations, input, context),
      analyze: (input, context) => analyze(migrations, input, context),
      list: (input, context) => listMigrations(migrations, input, context),
      get: (input, context) => getMigration(migrations, input, context),
      rollback: (input, context) => rollBack(migrations, input, context),
    },
    outboxes: [MIGRATIONS],
    sweeps: [
      { name: 'migrations of processes that died', run: () => sweepLapsed(migrations) },
      { name: 'contents of ended migrations', run: (now) => sweepContents(migrations, now) },
    ],
  };
}

import { lifecycle, type CalledBy } from '@gatehouse/contract';
import {
  defineService,
  FairShares,
  readQuotas,
  type ServiceDefinition,
  type ServiceRuntime,
  type ShardKey,
} from '@gatehouse/service';
import type { MigrationDependencies, MigrationSettings } from './migration/dependencies.js';
import { MIGRATIONS, MigrationStore } from './migration/store.js';
import { createMigrationSweeps } from './migration/sweeps.js';
import { createHandlers } from './router.js';
import { createCatalogCache } from './validation/catalogCache.js';
import { CommitQueue } from './versionControl/commitQueue.js';
import type { DashboardCommit } from './versionControl/git/dashboardCommits.js';
import { GitInstallation } from './versionControl/git/program.js';
import { GIT_VERSION_MIN } from './versionControl/logic/gitVersion.js';
import type { VersionControlDependencies } from './versionControl/openLocalRepository.js';
import { PushQueue } from './versionControl/pushQueue.js';
import { SEALED_FIELDS } from './versionControl/reachRemote.js';
import { RepositorySpace } from './versionControl/repositorySpace.js';
import { REPOSITORIES, RepositoryStore } from './versionControl/store.js';
import { createVersionControlSweeps } from './versionControl/sweeps.js';

export type { MigrationSettings } from './migration/dependencies.js';

type Runtime = ServiceRuntime<CalledBy<'lifecycle'>>;

const MIGRATION_SETTINGS: MigrationSettings = { leaseMs: 15_000, afterStep: async () => {} };

/** The limits of commits in one batch. */
const BATCH = { count: 50, weight: 16 * 1024 * 1024, weightOf: ({ file }: DashboardCommit) => file.length };
/** Limits of concurrent commits, per process and per organization. */
const COMMITS = { capacity: 8, perShare: 3, waitingPerShare: 64, waiting: 256, waitMs: 5000 };
/**
 * Limits of the pages of visuals that migrations hold at once. Each has 4 MiB of bodies, which can take 80 MB
 * when parsed. A migration waits for one page at a time.
 */
const PAGES = { capacity: 4, perShare: 3, waitingPerShare: 32, waiting: 256, waitMs: 30_000 };

async function openVersionControl(runtime: Runtime): Promise<VersionControlDependencies> {
  const { config, log, database, services } = runtime;
  const installation = new GitInstallation(config.GIT_PROGRAM);
  if (config.REPOSITORY_DIR !== undefined && (await installation.find()) === null)
    log.warn(`version control is not available: git ${GIT_VERSION_MIN} or later is not installed`);
  return {
    store: await RepositoryStore.open(database),
    installation,
    config,
    services,
    log,
    get sealer() {
      return runtime.sealer;
    },
    commits: new CommitQueue(BATCH),
    commitShares: new FairShares(COMMITS),
    pushes: new PushQueue(),
    space: new RepositorySpace(config),
  };
}

async function openMigration(
  { config, database, services, signer, log }: Runtime,
  versionControl: VersionControlDependencies,
  settings: Partial<MigrationSettings>,
): Promise<MigrationDependencies> {
  const store = await MigrationStore.open(database, readQuotas(config));
  const pageShares = new FairShares(PAGES);
  return { store, services, versionControl, pageShares, signer, log, ...MIGRATION_SETTINGS, ...settings };
}

const SHARD_KEYS: Readonly<Record<string, ShardKey | null>> = {
  repositories: { organizationId: 1 },
  // Their locks are unique across organizations, and they are few.
  migrations: null,
  migrationContents: { contentsKey: 1 },
};

/** Defines the service that validates dashboards, copies them between projects and versions them with git. */
export function defineLifecycleService(settings: Partial<MigrationSettings> = {}): ServiceDefinition {
  const options = { sealedFields: SEALED_FIELDS, shardKeys: SHARD_KEYS };
  return defineService(lifecycle, options, async (runtime) => {
    const { access, semantics } = runtime.services;
    const validation = { access, semantics, catalogs: createCatalogCache() };
    const versionControl = await openVersionControl(runtime);
    const migration = await openMigration(runtime, versionControl, settings);
    return {
      handlers: createHandlers({ validation, migration, versionControl }),
      outboxes: [REPOSITORIES, MIGRATIONS],
      consumers: [],
      sweeps: [...createVersionControlSweeps(versionControl), ...createMigrationSweeps(migration)],
      stop: () => versionControl.pushes.stop(),
    };
  });
}

export const lifecycleService = defineLifecycleService();

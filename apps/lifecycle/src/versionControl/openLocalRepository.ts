import { join, resolve } from 'node:path';
import { AppError } from '@gatehouse/contract';
import type { Config, FairShares, Logger, Sealer, ServiceClients } from '@gatehouse/service';
import type { CommitQueue } from './commitQueue.js';
import { openRepository, type BareRepository } from './git/bareRepository.js';
import type { CommittedDashboard, DashboardCommit } from './git/dashboardCommits.js';
import type { GitInstallation } from './git/program.js';
import { GIT_VERSION_MIN } from './logic/gitVersion.js';
import type { PushQueue } from './pushQueue.js';
import type { RepositorySpace } from './repositorySpace.js';
import type { Repository, RepositoryStore } from './store.js';

/** The dependencies of the operations of this feature. */
export interface VersionControlDependencies {
  store: RepositoryStore;
  installation: GitInstallation;
  config: Config;
  services: Pick<ServiceClients, 'access' | 'directory'>;
  log: Logger;
  /** Read only where something is sealed: without sealed fields a process needs no keys. */
  readonly sealer: Sealer;
  /** One queue for each repository and branch. */
  commits: CommitQueue<DashboardCommit, CommittedDashboard>;
  pushes: PushQueue;
  /** Limits concurrent commits, fairly between organizations. */
  commitShares: FairShares;
  space: RepositorySpace;
}

/** The fraction of the request timeout for a commit and its push. The rest is for the response to return. */
const COMMIT_FRACTION = 0.6;
/** The fraction of the request timeout for a call to the remote. */
const REMOTE_FRACTION = 0.5;

export function commitTimeoutMs({ config }: Pick<VersionControlDependencies, 'config'>): number {
  return Math.floor(config.REQUEST_TIMEOUT_MS * COMMIT_FRACTION);
}

export function remoteTimeoutMs({ config }: Pick<VersionControlDependencies, 'config'>): number {
  return Math.floor(config.REQUEST_TIMEOUT_MS * REMOTE_FRACTION);
}

/**
 * Locates the local repository of a project. Throws UNAVAILABLE without REPOSITORY_DIR or a supported git.
 */
export async function findBareRepository(
  { installation, config }: Pick<VersionControlDependencies, 'installation' | 'config'>,
  { _id, organizationId }: Pick<Repository, '_id' | 'organizationId'>,
): Promise<BareRepository> {
  const unavailable = (missing: string) =>
    new AppError('UNAVAILABLE', { message: `Version control is not available: ${missing}` });
  const { REPOSITORY_DIR } = config;
  if (REPOSITORY_DIR === undefined) throw unavailable('REPOSITORY_DIR is not set');
  const git = await installation.find();
  if (git === null) throw unavailable(`git ${GIT_VERSION_MIN} or later is not installed`);
  return { git, directory: join(resolve(REPOSITORY_DIR), organizationId, `${_id}.git`) };
}

/**
 * Opens the local repository of a project, and creates it if it is missing. Throws as `findBareRepository`,
 * and GitError.
 */
export async function openBareRepository(
  deps: Pick<VersionControlDependencies, 'installation' | 'config'>,
  repository: Pick<Repository, '_id' | 'organizationId' | 'branch'>,
): Promise<BareRepository> {
  const bare = await findBareRepository(deps, repository);
  await openRepository(bare, repository.branch);
  return bare;
}

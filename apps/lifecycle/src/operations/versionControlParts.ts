import { join, resolve } from 'node:path';
import { AppError } from '@gatehouse/contract';
import type { Config, Logger, Sealer, ServiceClients } from '@gatehouse/service';
import { openRepository, type BareRepository } from '../git/bareRepository.js';
import type { CommittedDashboard, DashboardCommit } from '../git/dashboardCommits.js';
import type { GitInstallation } from '../git/installation.js';
import { GIT_VERSION_MIN } from '../logic/versionControl/gitVersion.js';
import type { Repository, RepositoryStore } from '../store/repositories.js';
import type { CommitQueue } from './commitQueue.js';
import type { Pushes } from './pushQueue.js';

/** What version control works with. */
export interface VersionControlParts {
  store: RepositoryStore;
  installation: GitInstallation;
  config: Config;
  services: Pick<ServiceClients, 'access' | 'directory'>;
  log: Logger;
  /** Only where something is sealed the keys are needed. */
  readonly sealer: Sealer;
  /** Of each repository and branch. */
  commits: CommitQueue<DashboardCommit, CommittedDashboard>;
  pushes: Pushes;
}

/** Of the time that a call may take, the part for a commit and its push: the rest is for the answer to come back. */
const COMMIT_SHARE = 0.6;
/** The part for talking to the remote. */
const REMOTE_SHARE = 0.5;

export function commitTimeoutMs({ config }: Pick<VersionControlParts, 'config'>): number {
  return Math.floor(config.REQUEST_TIMEOUT_MS * COMMIT_SHARE);
}

export function remoteTimeoutMs({ config }: Pick<VersionControlParts, 'config'>): number {
  return Math.floor(config.REQUEST_TIMEOUT_MS * REMOTE_SHARE);
}

/** Throws UNAVAILABLE where the operator has provided no folder or no git that will do. */
export async function findBareRepository(
  { installation, config }: Pick<VersionControlParts, 'installation' | 'config'>,
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

/** The repository of a project on this machine, made where it is missing. Throws as `findBareRepository`, and what git throws. */
export async function openBareRepository(
  parts: Pick<VersionControlParts, 'installation' | 'config'>,
  repository: Pick<Repository, '_id' | 'organizationId' | 'branch'>,
): Promise<BareRepository> {
  const bare = await findBareRepository(parts, repository);
  await openRepository(bare, repository.branch);
  return bare;
}

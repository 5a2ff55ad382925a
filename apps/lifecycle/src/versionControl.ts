import type { lifecycle } from '@gatehouse/contract';
import { originOf, type AreaParts, type ServiceRuntime } from '@gatehouse/service';
import type { DashboardCommit } from './git/dashboardCommits.js';
import { GitInstallation } from './git/installation.js';
import { GIT_VERSION_MIN } from './logic/versionControl/gitVersion.js';
import { findAuthor } from './operations/authors.js';
import { commitDashboard } from './operations/commitDashboard.js';
import { CommitQueue } from './operations/commitQueue.js';
import { sweepPushes } from './operations/pushes.js';
import { Pushes } from './operations/pushQueue.js';
import type { Repositories } from './operations/repositories.js';
import {
  getVersionControl,
  putVersionControl,
  removeVersionControl,
} from './operations/versionControlSettings.js';
import type { VersionControlParts } from './operations/versionControlParts.js';
import { diffVersions, getVersion, listVersions, restoreVersion } from './operations/versions.js';
import { REPOSITORIES, RepositoryStore } from './store/repositories.js';

/** Commits that are made together. */
const BATCH = { count: 50, weight: 16 * 1024 * 1024, weightOf: ({ file }: DashboardCommit) => file.length };

type Procedures = (typeof lifecycle)['procedures']['versionControl'];

function createHandlers(parts: VersionControlParts): AreaParts<Procedures>['handlers'] {
  return {
    get: (_input, context) => getVersionControl(parts, context),
    put: (input, context) => putVersionControl(parts, input, context),
    remove: (_input, context) => removeVersionControl(parts, context),
    async commit({ dashboardVersion: version, ...fields }, context) {
      const author = await findAuthor(parts, context);
      const { organizationId, projectId } = context.principal;
      const origin = originOf('lifecycle', context);
      return commitDashboard(parts, { ...fields, organizationId, projectId, version, author, origin });
    },
    listVersions: (input, context) => listVersions(parts, input, context),
    getVersion: (input, context) => getVersion(parts, input, context),
    diff: (input, context) => diffVersions(parts, input, context),
    restore: (input, context) => restoreVersion(parts, input, context),
  };
}

function createRepositories(parts: VersionControlParts): Repositories {
  return {
    async settingsOf(organizationId, projectId) {
      const found = await parts.store.find(organizationId, projectId);
      if (found === null || found.isRemoved) return { commitOnSave: 'off', isConfigured: false };
      return { commitOnSave: found.commitOnSave, isConfigured: true };
    },
    commit: (request) => commitDashboard(parts, request),
  };
}

/** The repositories of projects. */
export async function startVersionControl(
  runtime: ServiceRuntime<'access' | 'directory'>,
): Promise<AreaParts<Procedures> & { repositories: Repositories }> {
  const { config, log, database, services } = runtime;
  const installation = new GitInstallation(config.GIT_PROGRAM);
  if (config.REPOSITORY_DIR !== undefined && (await installation.find()) === null)
    log.warn(`version control is not available: git ${GIT_VERSION_MIN} or later is not installed`);
  const pushes = new Pushes();
  const parts: VersionControlParts = {
    store: await RepositoryStore.open(database),
    installation,
    config,
    services,
    log,
    get sealer() {
      return runtime.sealer;
    },
    commits: new CommitQueue(BATCH),
    pushes,
  };
  return {
    handlers: createHandlers(parts),
    repositories: createRepositories(parts),
    outboxes: [REPOSITORIES],
    sweeps: [{ name: 'pushes', run: (now) => sweepPushes(parts, now) }],
    stop: () => pushes.stop(),
  };
}

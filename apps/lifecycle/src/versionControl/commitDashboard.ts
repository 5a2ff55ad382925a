import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  DashboardContent,
  isPerson,
  type CommitResult,
  type JsonObject,
} from '@gatehouse/contract';
import { createEvent, retryOnConflict, type CallContext, type EventOrigin } from '@gatehouse/service';
import { commitDashboards, type CommittedDashboard, type DashboardCommit } from './git/dashboardCommits.js';
import { findCommit } from './git/history.js';
import { toIdent, type Ident } from './logic/commitText.js';
import { fileOf, writeDashboardFile } from './logic/dashboardFile.js';
import { findWebUrl, ownCommitUrl } from './logic/remoteUrl.js';
import {
  commitTimeoutMs,
  findBareRepository,
  openBareRepository,
  type VersionControlDependencies,
} from './openLocalRepository.js';
import { requestPush, SETTLED_MS } from './pushCommits.js';
import type { Repository } from './store.js';

/** A saved dashboard to commit to the repository of its project. */
export interface CommitRequest {
  organizationId: string;
  projectId: string;
  dashboardId: string;
  /** The version of the dashboard. A later version in the repository stays the current one. */
  version: number;
  /** The content of `dashboards/<id>.json`, whose keys are written in a stable order. */
  content: JsonObject;
  message: string;
  author: Ident;
  /** An idempotency key: a repeated commit with the same key returns the first commit. */
  key: string;
  /** The origin of the event; absent when the platform acts by itself. */
  origin?: EventOrigin;
}

const NOT_CONFIGURED: CommitResult = { status: 'not_configured', commitSha: null, commitUrl: null };
const FAILED: CommitResult = { status: 'failed', commitSha: null, commitUrl: null };

/**
 * The author of a commit: the caller, with the name from the directory. Throws FORBIDDEN unless the caller is
 * a person.
 */
export async function findAuthor(
  { services, log }: VersionControlDependencies,
  context: CallContext,
): Promise<Ident> {
  const { principal } = context;
  if (!isPerson(principal)) throw new AppError('FORBIDDEN');
  const { userId, email } = principal;
  const ids = principal.kind === 'orgUser' ? { orgUserIds: [userId] } : { tenantUserIds: [userId] };
  try {
    const { orgUsers, tenantUsers } = await services.directory.subjects.lookup.query(ids, { context });
    const [found] = [...orgUsers, ...tenantUsers];
    return { name: found?.name ?? email, email };
  } catch (err) {
    log.warn({ err }, 'the name of an author is not known now');
    return { name: email, email };
  }
}

/** The URL of a commit: that of the remote if it is known, else that of this service. */
export function commitUrlOf(
  { remote, publicUrl }: Pick<Repository, 'remote'> & { publicUrl: string | undefined },
  dashboardId: string,
  sha: string,
): string {
  return (remote && findWebUrl(remote, sha)) ?? ownCommitUrl(publicUrl, dashboardId, sha);
}

/** A hash of an idempotency key. It appears in the commit, which every reader of the repository sees. */
function hashKey({ projectId, dashboardId, key }: CommitRequest): string {
  const text = JSON.stringify([projectId, dashboardId, key]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function toDashboardCommit(request: CommitRequest): DashboardCommit {
  const { dashboardId, version, message, author } = request;
  const file = writeDashboardFile(DashboardContent.parse(request.content));
  if (file === null) throw new Error(`Dashboard ${dashboardId} is too large to be committed`);
  const path = fileOf(dashboardId);
  const key = hashKey(request);
  return { dashboardId, path, file, version, message, author: toIdent(author), key, now: new Date() };
}

/** Commits to the local repository, in one batch with concurrent commits to the same branch. */
async function commitLocally(
  deps: VersionControlDependencies,
  repository: Repository,
  request: CommitRequest,
): Promise<CommittedDashboard> {
  const { _id, organizationId, branch } = repository;
  const commit = async (batch: DashboardCommit[]) => {
    const bare = await openBareRepository(deps, repository);
    return retryOnConflict(() => commitDashboards(bare, branch, batch));
  };
  const added = toDashboardCommit(request);
  return deps.space.whileCommitting(organizationId, Buffer.byteLength(added.file), () =>
    deps.commits.add(`${_id} ${branch}`, added, (batch) =>
      deps.commitShares.run(organizationId, () => commit(batch)),
    ),
  );
}

/**
 * Pushes a commit to the remote, if there is one. Returns its SHA in the remote, which differs after a
 * rebase, or null when it was not pushed.
 */
async function pushCommitted(
  deps: VersionControlDependencies,
  {
    repository,
    request,
    committed,
  }: { repository: Repository; request: CommitRequest; committed: CommittedDashboard },
): Promise<string | null> {
  if (repository.remote === null || committed.sha === null) return committed.sha;
  const outcome = await requestPush(deps, repository);
  if (outcome?.status !== 'pushed' || outcome.commitSha === null) return null;
  if (outcome.recent.has(committed.sha)) return committed.sha;
  const bare = await findBareRepository(deps, repository);
  const path = fileOf(request.dashboardId);
  const key = committed.isNew ? { key: hashKey(request) } : {};
  const rebased = await findCommit(bare, { from: outcome.commitSha, path, ...key });
  return rebased?.sha ?? null;
}

async function commitAndPush(
  deps: VersionControlDependencies,
  repository: Repository,
  request: CommitRequest,
): Promise<CommitResult> {
  const { organizationId, _id, remote } = repository;
  const now = new Date();
  const nextPushAt = new Date(now.getTime() + SETTLED_MS);
  if (remote !== null) await deps.store.markDirty(organizationId, _id, { now, nextPushAt });
  const committed = await commitLocally(deps, repository, request);
  const pushed = await pushCommitted(deps, { repository, request, committed });
  if (pushed === null) return FAILED;
  if (committed.isNew) await publishCommitted(deps, request, pushed);
  const commitUrl = commitUrlOf({ remote, publicUrl: deps.config.PUBLIC_URL }, request.dashboardId, pushed);
  return { status: committed.isNew ? 'committed' : 'unchanged', commitSha: pushed, commitUrl };
}

async function publishCommitted(
  { store }: VersionControlDependencies,
  request: CommitRequest,
  commitSha: string,
): Promise<void> {
  const { organizationId, projectId, dashboardId: id, content } = request;
  const origin = request.origin ?? { service: 'lifecycle', organizationId, projectId, now: new Date() };
  const data = { id, title: String(content['title']), commitSha };
  const event = createEvent('management.dashboard.committed.v1', id, { origin, data });
  await store.addEvent(organizationId, projectId, event);
}

/**
 * Commits a saved dashboard to the repository of its project, and pushes it if there is a remote. A commit
 * that cannot be pushed in time stays in the local repository and is pushed later; its status is `failed`.
 * Never rejects because of git or the remote.
 */
export async function commitDashboard(
  deps: VersionControlDependencies,
  request: CommitRequest,
): Promise<CommitResult> {
  const { organizationId, projectId } = request;
  const repository = await deps.store.find(organizationId, projectId);
  if (repository === null || repository.isRemoved || repository.commitOnSave === 'off') return NOT_CONFIGURED;
  const ending = new AbortController();
  const committed = commitAndPush(deps, repository, request).catch((err: unknown) => {
    deps.log.error({ err, projectId, dashboardId: request.dashboardId }, 'a dashboard was not committed');
    return FAILED;
  });
  try {
    const timeout = sleep(commitTimeoutMs(deps), FAILED, { signal: ending.signal });
    return await Promise.race([committed, timeout]);
  } finally {
    ending.abort();
  }
}

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DashboardContent, type CommitResult } from '@gatehouse/contract';
import { createEvent, untilWritten } from '@gatehouse/service';
import { commitDashboards, type CommittedDashboard, type DashboardCommit } from '../git/dashboardCommits.js';
import { findCommit } from '../git/history.js';
import { identOf } from '../logic/versionControl/commitText.js';
import { fileOf, writeDashboardFile } from '../logic/versionControl/dashboardFile.js';
import { findWebUrl, ownCommitUrl } from '../logic/versionControl/remoteUrl.js';
import type { Repository } from '../store/repositories.js';
import { requestPush, SETTLED_MS } from './pushes.js';
import type { CommitRequest } from './repositories.js';
import {
  commitTimeoutMs,
  findBareRepository,
  openBareRepository,
  type VersionControlParts,
} from './versionControlParts.js';

const NOT_CONFIGURED: CommitResult = { status: 'not_configured', commitSha: null, commitUrl: null };
const FAILED: CommitResult = { status: 'failed', commitSha: null, commitUrl: null };

/** The address of a commit: the remote's, where it is known, else this service's own. */
export function commitUrlOf(
  { remote }: Pick<Repository, 'remote'>,
  dashboardId: string,
  sha: string,
): string {
  return (remote && findWebUrl(remote, sha)) ?? ownCommitUrl(dashboardId, sha);
}

/** A key as it stands in the commit, where everybody may read it. */
function hashKey({ projectId, dashboardId, key }: CommitRequest): string {
  const text = JSON.stringify([projectId, dashboardId, key]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function commitOf(request: CommitRequest): DashboardCommit {
  const { dashboardId, version, message, author } = request;
  const file = writeDashboardFile(DashboardContent.parse(request.content));
  if (file === null) throw new Error(`Dashboard ${dashboardId} is too large to be committed`);
  const path = fileOf(dashboardId);
  const key = hashKey(request);
  return { dashboardId, path, file, version, message, author: identOf(author), key, now: new Date() };
}

/** Commits together with what others commit to the same branch at the same time. */
async function commitLocally(
  parts: VersionControlParts,
  repository: Repository,
  request: CommitRequest,
): Promise<CommittedDashboard> {
  const { _id, branch } = repository;
  return parts.commits.add(`${_id} ${branch}`, commitOf(request), async (batch) => {
    const bare = await openBareRepository(parts, repository);
    return untilWritten(() => commitDashboards(bare, branch, batch));
  });
}

/** The commit as the remote has it, if there is one: it may have been made again there. Null where it was not pushed. */
async function pushCommitted(
  parts: VersionControlParts,
  { repository, request, made }: { repository: Repository; request: CommitRequest; made: CommittedDashboard },
): Promise<string | null> {
  if (repository.remote === null || made.sha === null) return made.sha;
  const outcome = await requestPush(parts, repository);
  if (outcome?.status !== 'pushed' || outcome.commitSha === null) return null;
  if (outcome.recent.has(made.sha)) return made.sha;
  const bare = await findBareRepository(parts, repository);
  const path = fileOf(request.dashboardId);
  const key = made.isNew ? { key: hashKey(request) } : {};
  const again = await findCommit(bare, { from: outcome.commitSha, path, ...key });
  return again?.sha ?? null;
}

async function commitAndPush(
  parts: VersionControlParts,
  repository: Repository,
  request: CommitRequest,
): Promise<CommitResult> {
  const { organizationId, _id, remote } = repository;
  const now = new Date();
  const lookAt = new Date(now.getTime() + SETTLED_MS);
  if (remote !== null) await parts.store.markDirty(organizationId, _id, { now, lookAt });
  const made = await commitLocally(parts, repository, request);
  const pushed = await pushCommitted(parts, { repository, request, made });
  if (pushed === null) return FAILED;
  if (made.isNew) await announce(parts, request, pushed);
  const commitUrl = commitUrlOf(repository, request.dashboardId, pushed);
  return { status: made.isNew ? 'committed' : 'unchanged', commitSha: pushed, commitUrl };
}

async function announce(
  { store }: VersionControlParts,
  request: CommitRequest,
  commitSha: string,
): Promise<void> {
  const { organizationId, projectId, dashboardId: id, content } = request;
  const origin = request.origin ?? { service: 'lifecycle', organizationId, projectId, now: new Date() };
  const data = { id, title: String(content['title']), commitSha };
  const event = createEvent('management.dashboard.committed.v1', id, { origin, data });
  await store.announce(organizationId, projectId, event);
}

/**
 * Commits a saved dashboard to the repository of its project, and pushes it where there is a remote. What cannot be pushed in
 * time stays in the repository and is pushed later, but the answer is `failed`. Never rejects for a fault of git or the remote.
 */
export async function commitDashboard(
  parts: VersionControlParts,
  request: CommitRequest,
): Promise<CommitResult> {
  const { organizationId, projectId } = request;
  const repository = await parts.store.find(organizationId, projectId);
  if (repository === null || repository.isRemoved || repository.commitOnSave === 'off') return NOT_CONFIGURED;
  const ending = new AbortController();
  const committed = commitAndPush(parts, repository, request).catch((err: unknown) => {
    parts.log.error({ err, projectId, dashboardId: request.dashboardId }, 'a dashboard was not committed');
    return FAILED;
  });
  try {
    const timeout = sleep(commitTimeoutMs(parts), FAILED, { signal: ending.signal });
    return await Promise.race([committed, timeout]);
  } finally {
    ending.abort();
  }
}

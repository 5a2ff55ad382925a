import { readNames } from './git/history.js';
import { pushBranch } from './git/remote.js';
import { pushDelayMs } from './logic/remoteFaults.js';
import {
  openBareRepository,
  remoteTimeoutMs,
  type VersionControlDependencies,
} from './openLocalRepository.js';
import type { PushResult, RepositoryKey } from './pushQueue.js';
import { explainFault, reachRemote } from './reachRemote.js';
import type { Repository } from './store.js';

/** After this time, a commit whose process died is either complete or never will be. */
export const SETTLED_MS = 60_000;
/** The number of latest commits that a push returns. */
const RECENT_MAX = 1000;

/** When to check a pushed repository again: a commit that was in progress may have missed the push. */
function nextCheckAt({ dirtyAt }: Repository, now: Date): Date | null {
  if (dirtyAt === null) return null;
  const settledAt = new Date(dirtyAt.getTime() + SETTLED_MS);
  return settledAt < now ? null : settledAt;
}

async function pushOnce(
  deps: VersionControlDependencies,
  repository: Repository,
  timeoutMs: number,
): Promise<PushResult | null> {
  const { remote, branch } = repository;
  if (remote === null) return null;
  const bare = await openBareRepository(deps, repository);
  const reached = await reachRemote(deps, repository._id, remote);
  const { organizationId } = repository;
  const limits = {
    timeoutMs,
    signal: deps.pushes.signal,
    whileFetching: <R>(fetch: () => Promise<R>) => deps.space.whileFetching(organizationId, fetch),
  };
  const pushed = await pushBranch(bare, { remote: reached, branch }, limits);
  if (pushed === null) return null;
  const outcome = { at: new Date(), status: 'pushed', reason: null, commitSha: pushed.tip } as const;
  await deps.store.recordPush(repository.organizationId, repository, {
    outcome: pushed.isNew ? outcome : null,
    nextPushAt: nextCheckAt(repository, outcome.at),
  });
  return { ...outcome, recent: await readNames(bare, pushed.tip, RECENT_MAX) };
}

/**
 * Pushes the repository of a project and records the outcome. Returns null without a remote or without
 * commits.
 */
export async function pushProject(
  deps: VersionControlDependencies,
  { _id, organizationId }: RepositoryKey,
  timeoutMs: number,
): Promise<PushResult | null> {
  const { store, config, log } = deps;
  const repository = await store.find(organizationId, _id);
  if (repository === null || repository.isRemoved) return null;
  try {
    return await pushOnce(deps, repository, timeoutMs);
  } catch (error) {
    const reason = explainFault(error) ?? 'The push failed';
    const at = new Date();
    const outcome = { at, status: 'failed', reason, commitSha: null } as const;
    const delayMs = pushDelayMs(repository.pushFailures, config.SWEEP_INTERVAL_MS);
    await store.recordPush(organizationId, repository, {
      outcome,
      nextPushAt: new Date(at.getTime() + delayMs),
    });
    // The error is not logged: the remote controls its text, which may echo the credentials.
    log.warn({ projectId: _id, reason }, 'commits were not pushed; it is tried again');
    return { ...outcome, recent: new Set() };
  }
}

/** Pushes the repository of a project within the time of a request. */
export function requestPush(
  deps: VersionControlDependencies,
  repository: RepositoryKey,
): Promise<PushResult | null> {
  return deps.pushes.request(repository, () => pushProject(deps, repository, remoteTimeoutMs(deps)));
}

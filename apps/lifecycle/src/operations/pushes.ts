import { readNames } from '../git/history.js';
import { pushBranch } from '../git/remote.js';
import { pushDelayMs } from '../logic/versionControl/pushReason.js';
import type { Repository } from '../store/repositories.js';
import type { PushResult } from './pushQueue.js';
import { explainFault, reachRemote } from './remotes.js';
import { openBareRepository, remoteTimeoutMs, type VersionControlParts } from './versionControlParts.js';

/** Enough for the first push of a long history. */
const SWEEP_TIMEOUT_MS = 60_000;
/** A commit that was begun by somebody who died is done by then, or never. */
export const SETTLED_MS = 60_000;
const SWEPT_AT_ONCE = 4;

const RECENT_MAX = 1000;

/** When to look again at a repository that has no more to push. */
function lookAgainAt({ dirtyAt }: Repository, now: Date): Date | null {
  if (dirtyAt === null) return null;
  const settledAt = new Date(dirtyAt.getTime() + SETTLED_MS);
  return settledAt < now ? null : settledAt;
}

async function pushOnce(
  parts: VersionControlParts,
  repository: Repository,
  timeoutMs: number,
): Promise<PushResult | null> {
  const { remote, branch } = repository;
  if (remote === null) return null;
  const bare = await openBareRepository(parts, repository);
  const reached = await reachRemote(parts, repository._id, remote);
  const limits = { timeoutMs, signal: parts.pushes.signal };
  const pushed = await pushBranch(bare, { remote: reached, branch }, limits);
  if (pushed === null) return null;
  const outcome = { at: new Date(), status: 'pushed', reason: null, commitSha: pushed.tip } as const;
  const noted = pushed.isNew ? outcome : null;
  const nextPushAt = lookAgainAt(repository, outcome.at);
  await parts.store.notePush(repository.organizationId, repository, { outcome: noted, nextPushAt });
  return { ...outcome, recent: await readNames(bare, pushed.tip, RECENT_MAX) };
}

/** Pushes what the repository of a project has, and notes how it went. Null where there is nothing to push, or nowhere. */
async function pushProject(
  parts: VersionControlParts,
  { _id, organizationId }: Pick<Repository, '_id' | 'organizationId'>,
  timeoutMs: number,
): Promise<PushResult | null> {
  const { store, config, log } = parts;
  const repository = await store.find(organizationId, _id);
  if (repository === null || repository.isRemoved) return null;
  try {
    return await pushOnce(parts, repository, timeoutMs);
  } catch (error) {
    const reason = explainFault(error) ?? 'The push failed';
    const at = new Date();
    const outcome = { at, status: 'failed', reason, commitSha: null } as const;
    const delayMs = pushDelayMs(repository.pushFailures, config.SWEEP_INTERVAL_MS);
    await store.notePush(organizationId, repository, {
      outcome,
      nextPushAt: new Date(at.getTime() + delayMs),
    });
    // Not the error: a remote may have it say anything, what it was sent included.
    log.warn({ projectId: _id, reason }, 'commits were not pushed; it is tried again');
    return { ...outcome, recent: new Set() };
  }
}

/** Pushes for somebody who waits. */
export function requestPush(
  parts: VersionControlParts,
  place: Pick<Repository, '_id' | 'organizationId'>,
): Promise<PushResult | null> {
  return parts.pushes.request(place._id, () => pushProject(parts, place, remoteTimeoutMs(parts)));
}

/** Begins to push what was left unpushed. It does not wait: a remote that hangs holds up no other. */
export async function sweepPushes(parts: VersionControlParts, now: Date): Promise<void> {
  const { store, pushes, log } = parts;
  for (const due of await store.listDue(now, SWEPT_AT_ONCE * 10)) {
    if (pushes.count >= SWEPT_AT_ONCE || pushes.signal.aborted) return;
    if (pushes.isRunning(due._id)) continue;
    pushes
      .request(due._id, () => pushProject(parts, due, SWEEP_TIMEOUT_MS))
      .catch((err: unknown) => log.warn({ err }, 'a push could not be noted; it is tried again'));
  }
}

import type { Sweep } from '@gatehouse/service';
import type { VersionControlDependencies } from './openLocalRepository.js';
import { pushProject } from './pushCommits.js';

/** Long enough for the first push of a long history. */
const SWEEP_TIMEOUT_MS = 60_000;
/** The most concurrent pushes of one organization: its remotes may hang. */
const SWEPT_AT_ONCE = 2;

/**
 * Starts the pushes that are due, and does not wait for them: a hanging remote delays no other organization.
 */
async function startDuePushes(deps: VersionControlDependencies, now: Date): Promise<void> {
  const { store, pushes, log } = deps;
  for (const due of await store.listDue(now, SWEPT_AT_ONCE)) {
    if (pushes.signal.aborted) return;
    if (pushes.isRunning(due._id) || pushes.countOf(due.organizationId) >= SWEPT_AT_ONCE) continue;
    pushes
      .request(due, () => pushProject(deps, due, SWEEP_TIMEOUT_MS))
      .catch((err: unknown) => log.warn({ err }, 'a push could not be noted; it is tried again'));
  }
}

export function createVersionControlSweeps(deps: VersionControlDependencies): Sweep[] {
  return [{ name: 'pushes', run: (now) => startDuePushes(deps, now) }];
}

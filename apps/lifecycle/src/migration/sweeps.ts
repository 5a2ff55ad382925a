import type { Sweep } from '@gatehouse/service';
import type { MigrationDependencies } from './dependencies.js';
import { runMigration } from './runMigration.js';
import { newLease } from './store.js';

/** The most migrations that one sweep takes over. The next sweep continues. */
const TAKEN_MAX = 100;
/** Longer than planning can take. */
const CONTENTS_KEPT_MS = 3_600_000;

/** Resumes migrations whose process died or was interrupted. */
async function resumeExpired(deps: MigrationDependencies): Promise<void> {
  const { store, log } = deps;
  for (let taken = 0; taken < TAKEN_MAX; taken += 1) {
    const document = await store.takeExpired(new Date(), newLease(deps));
    if (document === null) return;
    try {
      await runMigration(deps, document);
    } catch (err) {
      log.warn({ err, migration: document._id }, 'a migration was not carried to its end; it is tried again');
      return;
    }
  }
}

export function createMigrationSweeps(deps: MigrationDependencies): Sweep[] {
  return [
    { name: 'migrations of processes that died', run: () => resumeExpired(deps) },
    {
      name: 'contents of ended migrations',
      run: (now) => deps.store.deleteUnneeded(new Date(now.getTime() - CONTENTS_KEPT_MS)),
    },
  ];
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Usage } from '../quotas/usage.js';
import type { WrittenDocuments } from './writtenDocuments.js';

/**
 * A call that changes nothing: `validateOnly`. It passes every check of the real call, because it runs the
 * same code. `PlatformCollection`, through which every store reads and writes, keeps its writes here instead
 * of storing them, and reads them back to the same call.
 */
export class DryRun {
  /** The documents that the call has written, by the full name of their collection. */
  readonly written = new Map<string, WrittenDocuments>();
  /** What the call has added to quotas, by ledger. */
  readonly growth = new Map<object, Usage>();
}

const storage = new AsyncLocalStorage<DryRun | null>();

/** The dry run that the caller is a part of; null in a real call, and in work without a call. */
export function currentDryRun(): DryRun | null {
  return storage.getStore() ?? null;
}

/** Runs the work of one call, all of it either dry or real, whatever the call is a part of. */
export function runCall<T>({ isDry }: { isDry: boolean }, work: () => T): T {
  return isDry || storage.getStore() ? storage.run(isDry ? new DryRun() : null, work) : work();
}

/** Runs work whose result real calls share, such as a count. */
export function outsideDryRun<T>(work: () => T): T {
  return storage.getStore() ? storage.run(null, work) : work();
}

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Collection } from 'mongodb';
import type { Usage } from '../quotas/usage.js';
import type { Stored, WrittenDocuments } from './writtenDocuments.js';

/**
 * A call that changes nothing: `validateOnly`. It passes every check of the real call, because it runs the
 * same code. `PlatformCollection`, through which every store reads and writes, keeps its writes here instead
 * of storing them, and reads them back to the same call.
 */
export class DryRun {
  /** What the call has added to quotas, by ledger. */
  readonly growth = new Map<object, Usage>();
  /** The documents that the call has written, by the full name of their collection. */
  readonly #written = new Map<string, WrittenDocuments>();
  readonly #createWritten: new (collection: Collection<Stored>) => WrittenDocuments;

  constructor(createWritten: new (collection: Collection<Stored>) => WrittenDocuments) {
    this.#createWritten = createWritten;
  }

  /** The documents of a collection as they are after the writes of the call. */
  writtenTo(collection: Collection<Stored>): WrittenDocuments {
    const { namespace } = collection;
    const written = this.#written.get(namespace) ?? new this.#createWritten(collection);
    this.#written.set(namespace, written);
    return written;
  }
}

const storage = new AsyncLocalStorage<DryRun | null>();

/** The dry run that the caller is a part of; null in a real call, and in work without a call. */
export function currentDryRun(): DryRun | null {
  return storage.getStore() ?? null;
}

/** Runs the work of one call, all of it either dry or real, whatever the call is a part of. */
export async function runCall<T>({ isDry }: { isDry: boolean }, work: () => Promise<T>): Promise<T> {
  if (!isDry) return outsideDryRun(work);
  // Its evaluator of queries takes a tenth of the memory and time of a start, so the first dry run loads it.
  const { WrittenDocuments } = await import('./writtenDocuments.js');
  return storage.run(new DryRun(WrittenDocuments), work);
}

/** Runs work as a real call, such as a count that real calls share. */
export function outsideDryRun<T>(work: () => T): T {
  return storage.getStore() ? storage.run(null, work) : work();
}

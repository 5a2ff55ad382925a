import { AppError } from '@gatehouse/contract';
import type { ResourceUpdate } from './store/changes.js';
import type { ResourceHeader } from './store/document.js';
import type { ResourceStore } from './store/openStores.js';
import type { ResourcePlace } from './store/reads.js';
import type { ResourceWrite } from './store/writes.js';

/** Runs tasks with the same key one after the other, in the order of their calls. */
export interface KeyedMutex {
  /** Settles with the outcome of the task. */
  runExclusive<T>(key: string, task: () => Promise<T>): Promise<T>;
}

export function createKeyedMutex(): KeyedMutex {
  const last = new Map<string, Promise<unknown>>();
  return {
    async runExclusive(key, task) {
      const run = (last.get(key) ?? Promise.resolve()).then(task, task);
      last.set(key, run);
      try {
        return await run;
      } finally {
        if (last.get(key) === run) last.delete(key);
      }
    },
  };
}

/** The parts of a kind of resource that a change needs. */
export interface ChangeableKind {
  store: Pick<ResourceStore, 'change'>;
  /** Serializes the changes of one resource in this process. */
  mutex: KeyedMutex;
}

/**
 * Changes a resource of the project and returns its new state. Concurrent changes run one after the other in
 * this process, and start over after a conflict with another process: each is decided on the state that the
 * previous one left. Throws NOT_FOUND, the errors of `decide`, and UNAVAILABLE after repeated conflicts.
 */
export async function changeResource(
  kind: ChangeableKind,
  { projectId }: { projectId: string },
  update: ResourceUpdate,
): Promise<ResourceHeader> {
  return kind.mutex.runExclusive(update.id, () => kind.store.change(projectId, update));
}

/**
 * Changes a resource as {@link changeResource} does, but ignores a resource that was deleted in the meantime.
 */
export async function changeIfPresent(
  kind: ChangeableKind,
  { _id: id, projectId }: ResourcePlace,
  {
    decide,
    ...update
  }: Pick<ResourceUpdate, 'needed'> & {
    decide: (header: ResourceHeader) => ResourceWrite | null;
  },
): Promise<void> {
  try {
    await changeResource(kind, { projectId }, { ...update, id, decide: async (header) => decide(header) });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
  }
}

import { retryOnConflict } from '@gatehouse/service';
import type { ResourceHeader } from './document.js';
import type { createHeaderReads, createResourceWrites, ResourceWrite } from './writes.js';

/** A change of one resource, decided on exactly the state that it overwrites. */
export interface ResourceUpdate {
  id: string;
  /**
   * Returns the write for this state; null for no change. Throws to deny. May be called again on a later
   * state.
   */
  decide: (header: ResourceHeader) => Promise<ResourceWrite | null>;
  /** True if the response needs the body. */
  readsBody?: boolean;
  /** True if the decision needs the body, so that a header is not enough. */
  decidesOnBody?: boolean;
}

/** Reads and writes of headers. */
export type HeaderStore = ReturnType<typeof createHeaderReads> & ReturnType<typeof createResourceWrites>;

type HeaderWrites = Pick<HeaderStore, 'changeResource' | 'changeResourceWithBody'>;

/** Decides on a header and writes it once. Throws WriteConflict if the header is stale. */
export async function changeOnce(
  store: HeaderWrites,
  header: ResourceHeader,
  { decide, readsBody = false }: ResourceUpdate,
): Promise<ResourceHeader> {
  const write = await decide(header);
  if (write === null) return header;
  // A body that was read with the header, or that is written, is not read again.
  const readsAgain = readsBody && header.body === undefined && write.change.body === undefined;
  const change = readsAgain ? store.changeResourceWithBody : store.changeResource;
  return change(header.projectId, header, write);
}

/** Changes resources as stored, and again on the new state after a conflict. */
export function createChanges(store: HeaderStore) {
  return {
    /**
     * Changes a resource and returns its new state. Throws NOT_FOUND, the errors of `decide`, and UNAVAILABLE
     * after repeated conflicts.
     */
    change: (projectId: string, update: ResourceUpdate): Promise<ResourceHeader> =>
      retryOnConflict(async () => {
        const read = update.readsBody || update.decidesOnBody ? store.getHeaderWithBody : store.getHeader;
        return changeOnce(store, await read(projectId, update.id), update);
      }),
  };
}

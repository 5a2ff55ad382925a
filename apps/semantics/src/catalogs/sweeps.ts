import type { Stores } from '../dependencies.js';

/** A stored catalog may be unlisted for this long: its connection lists it right after. */
const GRACE_MS = 10 * 60_000;
const BATCH = 500;

/**
 * Creates the sweep of catalogs that no connection lists: a process died before the listing, or a write had
 * an unknown outcome. Each run reads the next batch, so that its cost does not grow with the number of
 * catalogs.
 */
export function createCatalogSweep({ catalogs, connections }: Pick<Stores, 'catalogs' | 'connections'>) {
  let position = '';
  return async (now: Date): Promise<void> => {
    const batch = await catalogs.listAfter(position, BATCH);
    position = batch.length < BATCH ? '' : (batch.at(-1)?._id ?? '');
    const old = batch.filter(({ readAt }) => now.getTime() - readAt.getTime() > GRACE_MS);
    if (old.length === 0) return;
    const listed = await connections.listCatalogKeys({
      projectIds: [...new Set(old.map(({ projectId }) => projectId))],
      connectionIds: [...new Set(old.map(({ connectionId }) => connectionId))],
    });
    for (const { _id: key, projectId } of old) {
      if (!listed.has(key)) await catalogs.delete(projectId, [key]);
    }
  };
}

import type { Stores } from '../store/stores.js';

/** A catalog may be stored for so long before its connection lists it. */
const GRACE_MS = 10 * 60_000;
const BATCH = 500;

/**
 * Makes the sweep of catalogs that no connection lists: left by a process that died, or by a write of unknown outcome. Each
 * run looks at the next so many, so that its cost does not grow with their number.
 */
export function createCatalogSweep({ catalogs, connections }: Pick<Stores, 'catalogs' | 'connections'>) {
  let position = '';
  return async (now: Date): Promise<void> => {
    const batch = await catalogs.listAfter(position, BATCH);
    position = batch.length < BATCH ? '' : (batch.at(-1)?._id ?? '');
    const old = batch.filter(({ readAt }) => now.getTime() - readAt.getTime() > GRACE_MS);
    if (old.length === 0) return;
    const listed = await connections.listCatalogKeys([
      ...new Set(old.map(({ connectionId }) => connectionId)),
    ]);
    for (const { _id: key, projectId } of old) {
      if (!listed.has(key)) await catalogs.delete(projectId, [key]);
    }
  };
}

import { ScopedCollection } from '@gatehouse/service';
import type { ResourceDocument } from '../resources/store/document.js';
import { COLLECTIONS } from '../resources/store/openStores.js';

type Dashboards = ScopedCollection<ResourceDocument>;
type Database = ConstructorParameters<typeof ScopedCollection>[0];

/** The dashboards of a database, of which `move` changes one after the first read of several. */
export function openMovingDashboards(database: Database, move: () => Promise<unknown>): Dashboards {
  const dashboards: Dashboards = new ScopedCollection(database, {
    collection: COLLECTIONS.dashboard,
    scope: 'projectId',
  });
  const find = dashboards.find.bind(dashboards);
  let isMoved = false;
  async function findAndMove(...read: Parameters<typeof find>) {
    const found = await find(...read);
    if (!isMoved) await move();
    isMoved = true;
    return found;
  }
  dashboards.find = findAndMove as Dashboards['find'];
  return dashboards;
}

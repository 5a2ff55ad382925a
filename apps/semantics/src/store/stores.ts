import type { Db } from 'mongodb';
import { AssistantProfileStore } from './assistantProfiles.js';
import { CatalogStore } from './catalogs.js';
import { CopyStore } from './copies.js';
import { ConnectionStore } from './connections.js';
import { DataModelStore } from './datamodels.js';
import { DomainStore } from './domains.js';

/** Everything that the service keeps. */
export function createStores(database: Db) {
  return {
    domains: new DomainStore(database),
    datamodels: new DataModelStore(database),
    assistantProfiles: new AssistantProfileStore(database),
    connections: new ConnectionStore(database),
    catalogs: new CatalogStore(database),
    copies: {
      connection: new CopyStore(database, 'connections'),
      domain: new CopyStore(database, 'domains'),
      datamodel: new CopyStore(database, 'datamodels'),
      assistantProfile: new CopyStore(database, 'assistantProfiles'),
    },
  };
}
export type Stores = ReturnType<typeof createStores>;

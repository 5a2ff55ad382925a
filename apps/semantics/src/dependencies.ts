import type { InputOf, OutputOf, Procedure, semantics } from '@gatehouse/contract';
import {
  createIndexes as createMissingIndexes,
  OUTBOX_INDEX,
  type Config,
  type LimitsOf,
  type Sealer,
  type ServiceClients,
  type ServiceRuntime,
  type ShardKey,
} from '@gatehouse/service';
import { AssistantProfileStore } from './assistantProfiles/store.js';
import { CatalogStore, CATALOG_INDEXES } from './catalogs/store.js';
import { ConnectionStore } from './connections/store.js';
import { DataModelStore, DATA_MODEL_INDEXES } from './dataModels/store.js';
import { DomainStore, DOMAIN_INDEXES } from './domains/store.js';
import { RECORD_INDEXES } from './records/store.js';
import { CopyStore, UNDONE_COPIES_INDEX } from './transfer/store.js';

// Features may read records of other features.
export type { CatalogPart } from './catalogs/store.js';
export type { ConnectionDocument } from './connections/store.js';
export type { RecordDocument } from './records/store.js';

type Database = ServiceRuntime['database'];

const INDEXES = {
  domains: [...DOMAIN_INDEXES, UNDONE_COPIES_INDEX],
  datamodels: [...DATA_MODEL_INDEXES, UNDONE_COPIES_INDEX],
  assistantProfiles: RECORD_INDEXES,
  connections: RECORD_INDEXES,
  catalogs: CATALOG_INDEXES,
};

/** Names are unique in a project, so that one shard has all of its records. */
const byProject: ShardKey = { projectId: 1 };

export const SHARD_KEYS: Readonly<Record<string, ShardKey>> = {
  domains: byProject,
  datamodels: byProject,
  assistantProfiles: byProject,
  connections: byProject,
  catalogs: { projectId: 1, _id: 1 },
};

/** The collections whose documents carry events. */
export const OUTBOXES = Object.entries(INDEXES).flatMap(([name, indexes]) =>
  indexes.includes(OUTBOX_INDEX) ? [name] : [],
);

/** Creates every missing index. */
export function createIndexes(database: Database): Promise<void> {
  return createMissingIndexes(database, INDEXES);
}

/** The stores of all features. */
export function createStores(database: Database, limitsOf: LimitsOf) {
  return {
    domains: new DomainStore(database, limitsOf),
    datamodels: new DataModelStore(database, limitsOf),
    assistantProfiles: new AssistantProfileStore(database, limitsOf),
    connections: new ConnectionStore(database, limitsOf),
    catalogs: new CatalogStore(database, limitsOf),
    copies: {
      connection: new CopyStore(database, 'connections'),
      domain: new CopyStore(database, 'domains'),
      datamodel: new CopyStore(database, 'datamodels'),
      assistantProfile: new CopyStore(database, 'assistantProfiles'),
    },
  };
}
export type Stores = ReturnType<typeof createStores>;

/** What the operations of the service work with. */
export interface Dependencies {
  stores: Stores;
  services: Pick<ServiceClients, 'policy'>;
  sealer: Sealer;
  config: Pick<Config, 'CONNECTION_HOSTS' | 'SQLITE_DIR' | 'INTROSPECTION_TIMEOUT_MS'>;
}

type Procedures = typeof semantics.procedures;
type ProcedureOf<
  N extends keyof Procedures,
  V extends keyof Procedures[N],
> = Procedures[N][V] extends infer P extends Procedure ? P : never;

/** The input of a procedure, by its noun and verb. */
export type Input<N extends keyof Procedures, V extends keyof Procedures[N]> = InputOf<ProcedureOf<N, V>>;
/** The output of a procedure, by its noun and verb. */
export type Output<N extends keyof Procedures, V extends keyof Procedures[N]> = OutputOf<ProcedureOf<N, V>>;

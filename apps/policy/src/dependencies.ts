import type { InputOf, OutputOf, policy, Procedure } from '@gatehouse/contract';
import type { Sealer, ServiceClients } from '@gatehouse/service';
import type { IndexCatalog } from './sql/logic/catalogIndex.js';
import type { SqlEngine } from './sql/logic/restriction.js';
import type { ActorClient } from './actors/findActors.js';
import type { ConnectionClient } from './connections/findConnections.js';
import type { SampleDatabases } from './policyTests/sampleDatabases.js';
import type { Stores } from './store/stores.js';

/** The dependencies of the operations. */
export interface Dependencies {
  stores: Stores;
  directory: ServiceClients['directory'];
  connections: ConnectionClient;
  actors: ActorClient;
  sealer: Sealer;
  /** The SQL engine for the calls of one organization. */
  engineOf(organizationId: string): SqlEngine;
  /** Indexes catalogs for lint and coverage. */
  indexCatalog: IndexCatalog;
  samples: SampleDatabases;
  /** Whether the audit log records each compilation of SQL. */
  auditsCompilations: boolean;
}

type Procedures = typeof policy.procedures;
type ProcedureOf<
  N extends keyof Procedures,
  V extends keyof Procedures[N],
> = Procedures[N][V] extends infer P extends Procedure ? P : never;

/** The input of a procedure, by its noun and verb. */
export type Input<N extends keyof Procedures, V extends keyof Procedures[N]> = InputOf<ProcedureOf<N, V>>;
/** The result of a procedure, by its noun and verb. */
export type Result<N extends keyof Procedures, V extends keyof Procedures[N]> = Promise<
  OutputOf<ProcedureOf<N, V>>
>;

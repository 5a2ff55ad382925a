import type { InputOf, OutputOf, policy, Procedure, SqlDialect } from '@gatehouse/contract';
import type { Sealer, ServiceClients } from '@gatehouse/service';
import type { SqlEngine } from './logic/model.js';
import type { ActorBook } from './operations/actorBook.js';
import type { EarlyCandidates } from './operations/earlyCandidates.js';
import type { ConnectionBook } from './operations/connections.js';
import type { SampleDatabase } from './sampleDatabase.js';
import type { Stores } from './store/stores.js';

/** What the operations on policies work with. */
export interface Policy {
  stores: Stores;
  directory: ServiceClients['directory'];
  connections: ConnectionBook;
  actors: ActorBook;
  candidates: EarlyCandidates;
  sealer: Sealer;
  engineOf(dialect: SqlDialect): SqlEngine;
  samples: SampleDatabase;
}

type Procedures = typeof policy.procedures;
type ProcedureOf<
  N extends keyof Procedures,
  V extends keyof Procedures[N],
> = Procedures[N][V] extends infer P extends Procedure ? P : never;

/** What a procedure is given, by its noun and verb. */
export type Input<N extends keyof Procedures, V extends keyof Procedures[N]> = InputOf<ProcedureOf<N, V>>;
/** What a procedure answers, by its noun and verb. */
export type Answer<N extends keyof Procedures, V extends keyof Procedures[N]> = Promise<
  OutputOf<ProcedureOf<N, V>>
>;

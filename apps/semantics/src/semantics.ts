import type { InputOf, OutputOf, Procedure, semantics } from '@gatehouse/contract';
import type { Config, Sealer, ServiceClients } from '@gatehouse/service';
import type { Stores } from './store/stores.js';

/** What the operations of the service work with. */
export interface Semantics {
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

/** What a procedure is given, by its noun and verb. */
export type Input<N extends keyof Procedures, V extends keyof Procedures[N]> = InputOf<ProcedureOf<N, V>>;
/** What a procedure answers, by its noun and verb. */
export type Answer<N extends keyof Procedures, V extends keyof Procedures[N]> = Promise<
  OutputOf<ProcedureOf<N, V>>
>;

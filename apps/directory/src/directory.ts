import type { directory, InputOf, OutputOf, Procedure } from '@gatehouse/contract';
import type { Config, Refusals, Sealer, ServiceRuntime } from '@gatehouse/service';
import type { ActiveKeyCache } from './operations/activeKey.js';
import type { Stores } from './store/stores.js';

/** What the directory is given to work with: it asks these services. */
export type DirectoryRuntime = ServiceRuntime<'access' | 'semantics'>;

/** What the operations of the directory work with. */
export interface Directory {
  stores: Stores;
  services: DirectoryRuntime['services'];
  sealer: Sealer;
  config: Pick<Config, 'TOKEN_ISSUER' | 'TOKEN_AUDIENCE' | 'KEY_ROTATION_HOURS'>;
  activeKey: ActiveKeyCache;
  refusals: Refusals;
}

type Procedures = typeof directory.procedures;
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

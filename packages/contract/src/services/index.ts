import { services, type ServiceName, type Services } from '../manifest/lookups.js';
import type { InputOf, OutputOf, Procedure, ServiceContract } from './procedure.js';

type PathsOf<S extends ServiceName> = {
  [
    Noun in keyof Services[S]['procedures'] & string
  ]: `${S}.${Noun}.${keyof Services[S]['procedures'][Noun] & string}`;
}[keyof Services[S]['procedures'] & string];

/** Names one procedure: service, noun and verb, as `access.dashboards.list`. */
export type ProcedurePath = { [S in ServiceName]: PathsOf<S> }[ServiceName];

export type ProcedureAt<P extends ProcedurePath> =
  P extends `${infer S extends ServiceName}.${infer Noun}.${infer Verb}`
    ? Services[S]['procedures'] extends Record<Noun, Record<Verb, infer Found extends Procedure>>
      ? Found
      : never
    : never;

/** The procedures that change something, or may. */
export type MutationPath = {
  [P in ProcedurePath]: ProcedureAt<P> extends { kind: 'mutation' } ? P : never;
}[ProcedurePath];

/**
 * Finds a procedure by its path.
 * @throws for an unknown path, which is a fault of the program, not of a caller
 */
export function findProcedure(path: ProcedurePath): Procedure {
  const [service, noun, verb] = path.split('.') as [ServiceName, string, string];
  const contract: ServiceContract = services[service];
  const procedure = contract.procedures[noun]?.[verb];
  if (!procedure) throw new Error(`No procedure ${path}`);
  return procedure;
}

export type ProcedureInput<P extends ProcedurePath> = InputOf<ProcedureAt<P>>;
export type ProcedureOutput<P extends ProcedurePath> = OutputOf<ProcedureAt<P>>;

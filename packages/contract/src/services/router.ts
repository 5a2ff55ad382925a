import type {
  TRPCBuiltRouter,
  TRPCErrorShape,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
} from '@trpc/server';
import type { z } from 'zod';
import type { WireError } from '../errors.js';
import type { Procedure, ProcedureAudience, ServiceContract, ServiceProcedures } from './procedure.js';

/** The facts of a procedure that its middleware reads. */
export interface ProcedureMeta {
  /** The full path, as in `access.dashboards.list`. */
  name: string;
  audience: ProcedureAudience;
  changes: boolean;
}

/** The error of a call as it travels: the public part of an `AppError`. */
export type CallErrorShape = TRPCErrorShape<{ app: WireError }>;

/** The tRPC root types that all services share. */
export interface CallTypes {
  ctx: object;
  meta: ProcedureMeta;
  errorShape: CallErrorShape;
  transformer: false;
}

interface CallDefinition<P extends Procedure> {
  meta: ProcedureMeta;
  input: z.input<P['input']>;
  output: z.output<P['output']>;
  errorShape: CallErrorShape;
}

type ProcedureOf<P extends Procedure> = {
  query: TRPCQueryProcedure<CallDefinition<P>>;
  mutation: TRPCMutationProcedure<CallDefinition<P>>;
}[P['kind']];

/** The procedures of a router, by noun and verb. */
export type RouterRecordOf<P extends ServiceProcedures> = {
  [Noun in keyof P]: { [Verb in keyof P[Noun]]: ProcedureOf<P[Noun][Verb]> };
};

/**
 * The tRPC router type of a contract. A service's router has this type, and a client is
 * `createTRPCClient<RouterOf<typeof access>>`: it needs no import of the app that implements the contract.
 */
export type RouterOf<C extends ServiceContract> = TRPCBuiltRouter<CallTypes, RouterRecordOf<C['procedures']>>;

/** The router of any service: one whose procedures are not known. */
export type ServiceRouter = RouterOf<ServiceContract<Record<never, never>>>;

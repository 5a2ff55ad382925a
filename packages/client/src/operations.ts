import type { OutputOf, ProcedureAt, RawInputOf, routeTable } from '@gatehouse/contract';

type AnyRoute = (typeof routeTable)[number];

/** The name of an operation of the REST API. */
export type OperationId = AnyRoute['operationId'];

type ProcedureOf<O extends OperationId> = ProcedureAt<Extract<AnyRoute, { operationId: O }>['procedure']>;

/** What an operation takes: the fields of path, query and body side by side. */
export type OperationInput<O extends OperationId> = RawInputOf<ProcedureOf<O>>;

/** What an operation answers. */
export type OperationOutput<O extends OperationId> = OutputOf<ProcedureOf<O>>;

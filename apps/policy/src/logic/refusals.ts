import type { CompiledReason } from '@gatehouse/contract';

/** Why nothing may be read, whatever the statement. Each is a stable word for programs. */
export type RefusalCode =
  /** Policies govern the connection, and no assignment applies to the actor. */
  | 'UNASSIGNED'
  /** Two configs that cannot both hold: of assignments of the same rank, or of one and the token. */
  | 'CLS_CONFLICT'
  | 'SLS_CONFLICT'
  | 'NO_SCHEMA_ALLOWED'
  /** The schema of unqualified tables is none of those that may be read. */
  | 'SCHEMA_NOT_ALLOWED'
  | 'INVALID_TEMPLATE'
  | 'MISSING_VALUE'
  /** A value that may not stand where its placeholder does. */
  | 'UNFIT_VALUE'
  /** A secret where its value would be shown. */
  | 'SECRET_NOT_ALLOWED';

/** A refusal and a sentence about it, in which no value may stand. */
export function refusalOf(code: RefusalCode, message: string): CompiledReason {
  return { code, message };
}

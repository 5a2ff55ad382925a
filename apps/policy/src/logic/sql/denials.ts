import type { CompiledReason, TraceEntry } from '@gatehouse/contract';
import type { Restriction } from '../model.js';

/** Why a statement is not compiled. Each is a stable word for programs. */
export const REASON_CODES = [
  /** The statement does not parse, or is empty. */
  'SYNTAX_ERROR',
  'SEVERAL_STATEMENTS',
  'NOT_A_SELECT',
  /** A construct that reads around a table restriction, is no plain read, or is not known to be safe. */
  'FORBIDDEN_CONSTRUCT',
  'FORBIDDEN_FUNCTION',
  'FORBIDDEN_OPERATOR',
  'FORBIDDEN_TYPE',
  'SYSTEM_CATALOG',
  'PARAMETER_IN_STATEMENT',
  'TOO_DEEP',
  'TOO_LARGE',
  /** A table that the catalog does not list and that a rule might cover. */
  'UNKNOWN_TABLE',
  /** A name with a qualifier that is not a column of what the qualifier stands for. */
  'UNKNOWN_COLUMN',
  'SCHEMA_NOT_ALLOWED',
  'MISSING_VALUE',
  /** A value of a kind that cannot stand where its placeholder does, such as an array for a single value. */
  'UNFIT_VALUE',
  /** A rule that cannot be applied to a table that it covers, such as one that names a column the table lacks. */
  'RULE_NOT_COMPILED',
  /** What was printed is not what was analysed. A defect of this program, answered like any other refusal. */
  'NOT_VERIFIED',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/** What a reason is about, where that is known. `position` counts UTF-16 units from the statement's start. */
export interface ReasonPlace {
  rule?: string;
  position?: number | null;
}

export function reasonOf(code: ReasonCode, message: string, place: ReasonPlace = {}): CompiledReason {
  return { code, message, ...place };
}

/** A statement, a rule or a value that is refused: thrown within an engine, and answered as a reason by `restrict`. */
export class Refusal extends Error {
  readonly reason: CompiledReason;

  constructor(code: ReasonCode, message: string, place: ReasonPlace = {}) {
    super(message);
    this.reason = reasonOf(code, message, place);
  }
}

/** The restriction that lets nothing be read: `invalid_sql` where the statement is none of the dialect, else `denied`. */
export function refused(reasons: CompiledReason[], trace: TraceEntry[] = []): Restriction {
  const isInvalid = reasons.some((reason) => reason.code === 'SYNTAX_ERROR');
  return {
    status: isInvalid ? 'invalid_sql' : 'denied',
    sql: null,
    parameters: [],
    inlineSql: null,
    conditions: [],
    reasons,
    trace,
  };
}

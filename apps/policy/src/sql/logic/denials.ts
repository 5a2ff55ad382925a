import type { CompiledReason, TraceEntry } from '@gatehouse/contract';
import type { Restriction } from './restriction.js';

/** The reason codes of statements that are not compiled. Codes are stable. */
export const REASON_CODES = [
  /** The statement does not parse, or is empty. */
  'SYNTAX_ERROR',
  'SEVERAL_STATEMENTS',
  'NOT_A_SELECT',
  /** A construct that bypasses table restrictions, is not a plain read, or is not known to be safe. */
  'FORBIDDEN_CONSTRUCT',
  'FORBIDDEN_FUNCTION',
  'FORBIDDEN_OPERATOR',
  'FORBIDDEN_TYPE',
  'SYSTEM_CATALOG',
  'PARAMETER_IN_STATEMENT',
  'TOO_DEEP',
  'TOO_LARGE',
  /** A table that is not in the catalog and that a rule might cover. */
  'UNKNOWN_TABLE',
  /** A qualified name that is not a column of its qualifier. */
  'UNKNOWN_COLUMN',
  'SCHEMA_NOT_ALLOWED',
  'MISSING_VALUE',
  /** A value of the wrong kind for its placeholder, such as an array for a single value. */
  'UNFIT_VALUE',
  /**
   * A rule that cannot be applied to a table that it covers, for example because the table lacks a column.
   */
  'RULE_NOT_COMPILED',
  /**
   * The printed statement differs from the analyzed one. This is a defect of this program, and handled like
   * any other refusal.
   */
  'NOT_VERIFIED',
] as const;
export type ReasonCode = (typeof REASON_CODES)[number];

/**
 * The subject of a reason, if it is known. `position` counts UTF-16 units from the start of the statement.
 */
export interface ReasonPlace {
  rule?: string;
  position?: number | null;
}

export function reasonOf(code: ReasonCode, message: string, place: ReasonPlace = {}): CompiledReason {
  return { code, message, ...place };
}

/**
 * Refuses a statement, a rule or a value. It is thrown within an engine, and `restrict` returns it as a
 * reason.
 */
export class Refusal extends Error {
  readonly reason: CompiledReason;

  constructor(code: ReasonCode, message: string, place: ReasonPlace = {}) {
    super(message);
    this.reason = reasonOf(code, message, place);
  }
}

/**
 * The restriction that denies every read: `invalid_sql` if the statement is not valid in the dialect, else
 * `denied`.
 */
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

import type {
  Catalog,
  Compiled,
  EntityReference,
  ParamValue,
  PolicySource,
  RlsMatcher,
  SqlDialect,
  TraceEntry,
  ValueSource,
} from '@gatehouse/contract';

/** The value of a placeholder and its source. */
export interface SourcedValue {
  value: ParamValue;
  source: ValueSource;
}

/** A row-level rule that applies, with the values of its placeholders. */
export interface ResolvedRule {
  /** The name of the rule, or one derived from its definition and its number. */
  name: string;
  definitionId: string | null;
  assignmentId: string | null;
  source: PolicySource;
  matcher: RlsMatcher;
  /** The expression with its placeholders. */
  expression: string;
  /** The values of the placeholders in `expression`. Those without a value are in `missing`. */
  values: Readonly<Record<string, SourcedValue>>;
  missing: readonly string[];
}

/** A statement or tables to restrict by the rules of an actor. */
export interface RestrictionRequest {
  dialect: SqlDialect;
  /** Null if only conditions are requested. */
  sql: string | null;
  /** The tables to return conditions for, if there is no statement. */
  entities: readonly EntityReference[];
  /** Null until it has been read. No table can be resolved then. */
  catalog: Catalog | null;
  /** On a governed connection a table that is not in the catalog is refused. */
  isGoverned: boolean;
  /** The schema of unqualified tables, and the allowed schemas; null if not set. */
  pinnedSchema: string | null;
  allowedSchemas: readonly string[] | null;
  rules: readonly ResolvedRule[];
  rowBarrier: boolean;
}

/** A result of the contract, before its dialect is known. */
type WithTrace<T> = T extends Compiled
  ? Omit<T, 'dialect'> & {
      /** The judgement of each table that the statement reads. */
      trace: TraceEntry[];
    }
  : never;
export type Restriction = WithTrace<Compiled>;
/** One without a statement. */
export type Unrestricted = Exclude<Restriction, { status: 'compiled' }>;

/** The reason why an expression is rejected, and its position in UTF-16 units from the start, if known. */
export interface ExpressionFault {
  message: string;
  position: number | null;
}

/** A value in a condition: a literal, or a placeholder. */
export type ConditionValue = { literal: string | number | boolean } | { placeholder: string };

/** A boolean expression independent of its dialect, as far as it is understood. Lint works on it. */
export type Condition =
  | { kind: 'constant'; value: boolean | null }
  | {
      kind: 'compare';
      column: string;
      operator: '=' | '<>' | '<' | '<=' | '>' | '>=';
      value: ConditionValue;
    }
  | { kind: 'in'; column: string; values: ConditionValue[]; isNegated: boolean }
  | { kind: 'isNull'; column: string; isNegated: boolean }
  | { kind: 'and' | 'or'; parts: Condition[] }
  | { kind: 'not'; part: Condition }
  /** Anything else. Only its columns are known. */
  | { kind: 'other'; columns: string[] };

/**
 * Restricts statements. Every method is free of side effects; it returns a promise because a parser may run
 * in another thread. A promise rejects only if the parser fails or times out. A fault of a statement or a
 * rule is a normal result.
 */
export interface SqlEngine {
  /**
   * Checks the expression of a rule before it is saved: it must be one boolean expression of allowed
   * constructs.
   */
  checkExpression(expression: string, dialect: SqlDialect): Promise<ExpressionFault | null>;
  /** The expression independent of its dialect; null if it does not parse. */
  analyzeExpression(expression: string, dialect: SqlDialect): Promise<Condition | null>;
  restrict(request: RestrictionRequest): Promise<Restriction>;
  /**
   * An expression with its values as literals, printed from its tree; null if a value is missing or unfit, or
   * if the text is larger than a result may be.
   */
  printExpression(
    expression: string,
    values: Readonly<Record<string, ParamValue>>,
    dialect: SqlDialect,
  ): Promise<string | null>;
}

import type {
  AppliedAssignment,
  AssignmentScope,
  Catalog,
  ClsConfig,
  Compiled,
  CompiledReason,
  EntityReference,
  InlinePolicies,
  Params,
  ParamValue,
  PolicySource,
  ResolvedCls,
  ResolvedSls,
  RlsConfig,
  RlsMatcher,
  SlsConfig,
  SqlDialect,
  TraceEntry,
  UserRole,
  ValueSource,
} from '@gatehouse/contract';

/** For whom a policy is resolved, as the directory knows it. Keys are never given again, ids may be. */
export interface ActorFacts {
  kind: AssignmentScope;
  /** Null for all tenants, as are the other fields where they do not apply. */
  id: string | null;
  key: string | null;
  name: string | null;
  email: string | null;
  role: UserRole | null;
  tenantId: string | null;
  tenantKey: string | null;
}

/** A definition with its sealed values opened. */
export interface DefinitionFacts {
  id: string;
  name: string;
  clsConfig: ClsConfig | null;
  slsConfig: SlsConfig | null;
  rlsConfig: RlsConfig | null;
}

/** An assignment of the connection that is asked about, with its sealed values opened. */
export interface AssignmentFacts {
  /** Null for a draft. */
  id: string | null;
  definition: DefinitionFacts;
  scopeType: AssignmentScope;
  /** The key of the tenant or user; null for all tenants. */
  actorKey: string | null;
  params: Params;
  source: Exclude<PolicySource, 'token'>;
}

export interface ResolutionRequest {
  actor: ActorFacts;
  connection: { dialect: SqlDialect; unassignedActors: 'deny' | 'allow' };
  /** Whether any definition governs the connection, assigned or not. */
  isGoverned: boolean;
  /** Those that may apply; which of them do is for the resolution to say. */
  assignments: AssignmentFacts[];
  /** Policies that the token brings, or `tokenPolicyInput` in their place. */
  tokenPolicies: InlinePolicies | null;
  /** The token's `securityParams`. */
  tokenParams: Params;
  runtimeParams: Params;
  /** Leaves out every assignment, drafts included. */
  onlyTokenPolicies: boolean;
}

/** A placeholder's value and the place that it came from. */
export interface SourcedValue {
  value: ParamValue;
  source: ValueSource;
}

/** A row-level rule that applies, with the values of its placeholders. */
export interface ResolvedRule {
  /** The rule's own name, or one made of its definition's and its number. */
  name: string;
  definitionId: string | null;
  assignmentId: string | null;
  source: PolicySource;
  matcher: RlsMatcher;
  /** With its placeholders. */
  expression: string;
  /** The values of the placeholders in `expression`; those that have none are in `missing`. */
  values: Readonly<Record<string, SourcedValue>>;
  missing: readonly string[];
}

/** What holds for an actor on a connection, before any statement is looked at. */
export interface ResolvedPolicies {
  assignments: AppliedAssignment[];
  cls: ResolvedCls | null;
  sls: ResolvedSls | null;
  rules: ResolvedRule[];
  /** Why nothing may be read at all, such as a conflict; empty when reading may go on. */
  refusals: CompiledReason[];
  trace: TraceEntry[];
}

/** One statement, or some tables, to be restricted by the rules of an actor. */
export interface RestrictionRequest {
  dialect: SqlDialect;
  /** Null when only conditions are asked for. */
  sql: string | null;
  /** Tables to give conditions for, when there is no statement. */
  entities: readonly EntityReference[];
  /** Null while none was read: then no table can be resolved. */
  catalog: Catalog | null;
  /** The schema that unqualified tables are in, and those that may be read; null where nothing is said. */
  pinnedSchema: string | null;
  allowedSchemas: readonly string[] | null;
  rules: readonly ResolvedRule[];
  rowBarrier: boolean;
}

export type Restriction = Omit<Compiled, 'dialect'> & {
  /** How each table that the statement reads was judged. */
  trace: TraceEntry[];
};

/** Why an expression may not be saved, and where: UTF-16 units from its start, where that is known. */
export interface ExpressionFault {
  message: string;
  position: number | null;
}

/** A value in a condition: a literal, or a placeholder that stands for one. */
export type ConditionValue = { literal: string | number | boolean } | { placeholder: string };

/** A boolean expression without its dialect, as far as it can be understood: what lint reasons about. */
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
  /** Anything else; only its columns are known. */
  | { kind: 'other'; columns: string[] };

/**
 * Restricts statements of some dialects. Every method is free of effects; the promise is there because a parser may live in
 * another thread. Rejects only when the parser is gone or takes too long; whatever is wrong with a statement or a rule is an
 * answer.
 */
export interface SqlEngine {
  /** Judges a rule's expression when it is saved: one boolean expression, and nothing that a rule may not hold. */
  checkExpression(expression: string, dialect: SqlDialect): Promise<ExpressionFault | null>;
  /** The expression without its dialect; null when it does not parse. */
  analyzeExpression(expression: string, dialect: SqlDialect): Promise<Condition | null>;
  restrict(request: RestrictionRequest): Promise<Restriction>;
  /** An expression with the values of its placeholders as literals, printed anew; null where a value is missing or unfit. */
  printExpression(
    expression: string,
    values: Readonly<Record<string, ParamValue>>,
    dialect: SqlDialect,
  ): Promise<string | null>;
}

import type {
  AppliedAssignment,
  AssignmentScope,
  ClsConfig,
  CompiledReason,
  InlinePolicies,
  Params,
  PolicySource,
  ResolvedCls,
  ResolvedSls,
  RlsConfig,
  SlsConfig,
  SqlDialect,
  TraceEntry,
  UserRole,
} from '@gatehouse/contract';
import type { ResolvedRule } from '../../sql/logic/restriction.js';

/** The actor of a resolution. Keys are never reused; ids may be. */
export interface ActorFacts {
  kind: AssignmentScope;
  /** Null for all tenants. The other fields are null if they do not apply. */
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

/** An assignment on the connection, with its sealed values opened. */
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
  /** The candidates. The resolution decides which of them apply. */
  assignments: AssignmentFacts[];
  /** The policies of the token, or `tokenPolicyInput` in their place. */
  tokenPolicies: InlinePolicies | null;
  /** The token's `securityParams`. */
  tokenParams: Params;
  runtimeParams: Params;
  /** Leaves out every assignment, drafts included. */
  onlyTokenPolicies: boolean;
}

/** The policies of an actor on a connection, independent of any statement. */
export interface ResolvedPolicies {
  assignments: AppliedAssignment[];
  cls: ResolvedCls | null;
  sls: ResolvedSls | null;
  /** Whether any policy governs the connection, including one of the token. */
  isGoverned: boolean;
  rules: ResolvedRule[];
  /** The reasons why nothing may be read, such as a conflict; empty if reading is allowed. */
  refusals: CompiledReason[];
  trace: TraceEntry[];
}

/** The reason code of a refusal that applies to every statement. Codes are stable. */
export type RefusalCode =
  /** Policies govern the connection, and no assignment applies to the actor. */
  | 'UNASSIGNED'
  /** Two conflicting configs: of assignments of the same rank, or of an assignment and the token. */
  | 'CLS_CONFLICT'
  | 'SLS_CONFLICT'
  | 'NO_SCHEMA_ALLOWED'
  /** The schema of unqualified tables is not allowed. */
  | 'SCHEMA_NOT_ALLOWED'
  | 'INVALID_TEMPLATE'
  | 'MISSING_VALUE'
  /** A value that does not fit the place of its placeholder. */
  | 'UNFIT_VALUE'
  /** A secret in a place where its value would be shown. */
  | 'SECRET_NOT_ALLOWED';

/** A refusal with a message, which must not contain values. */
export function refusalOf(code: RefusalCode, message: string): CompiledReason {
  return { code, message };
}

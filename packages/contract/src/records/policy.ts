import { z } from 'zod';
import { ClsConfig, RlsConfig, RlsMatcher, SlsConfig } from '../securityConfig.js';
import { Id, ParamValue, text, Timestamp, UserRole } from '../vocabulary.js';
import { ConnectionType, SqlDialect } from './catalog.js';
import { Compiled } from './compiledStatement.js';

export const ASSIGNMENT_SCOPES = ['ALL_TENANTS', 'TENANT', 'TENANT_USER', 'ORG_USER'] as const;
export const AssignmentScope = z.enum(ASSIGNMENT_SCOPES);
export type AssignmentScope = z.infer<typeof AssignmentScope>;

export const PolicyDefinition = z.object({
  id: Id,
  projectId: Id,
  connectionId: Id,
  name: z.string(),
  clsConfig: ClsConfig.nullable(),
  slsConfig: SlsConfig.nullable(),
  rlsConfig: RlsConfig.nullable(),
  createdBy: Id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: z.number().int(),
});
export type PolicyDefinition = z.infer<typeof PolicyDefinition>;

/** The values that fill placeholders, by name. Those of names that end in `@secret` are shown as `***`. */
export const Params = z.record(text(1, 200), ParamValue);
export type Params = z.infer<typeof Params>;

export const PolicyAssignment = z.object({
  id: Id,
  projectId: Id,
  definitionId: Id,
  scopeType: AssignmentScope,
  orgUserId: Id.nullable(),
  tenantId: Id.nullable(),
  tenantUserId: Id.nullable(),
  params: Params.nullable(),
  createdBy: Id.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: z.number().int(),
});
export type PolicyAssignment = z.infer<typeof PolicyAssignment>;

/** The connection of a policy, by its name; null if it is deleted. */
export const PolicyConnection = z.object({
  id: Id,
  name: z.string(),
  type: ConnectionType,
  dialect: SqlDialect,
});
export type PolicyConnection = z.infer<typeof PolicyConnection>;
const Person = z.object({ id: Id, name: z.string(), email: z.string() });

export const DefinitionItem = z.object({
  definition: PolicyDefinition,
  connection: PolicyConnection.nullable(),
  assignmentCount: z.number().int(),
});
export type DefinitionItem = z.infer<typeof DefinitionItem>;

export const AssignmentItem = z.object({
  assignment: PolicyAssignment,
  definition: PolicyDefinition,
  connection: PolicyConnection.nullable(),
  orgUser: Person.nullable(),
  tenant: z.object({ id: Id, name: z.string() }).nullable(),
  tenantUser: Person.nullable(),
});
export type AssignmentItem = z.infer<typeof AssignmentItem>;

/** An assignment in a list, which names its definition, or embeds it. */
export const ListedAssignment = AssignmentItem.extend({
  definition: z.union([PolicyDefinition, z.object({ id: Id, name: z.string() })]),
});
export type ListedAssignment = z.infer<typeof ListedAssignment>;

/** The actor that a policy is resolved for. */
export const PolicyActor = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('ORG_USER'), orgUserId: Id }),
  z.strictObject({ kind: z.literal('TENANT'), tenantId: Id }),
  z.strictObject({ kind: z.literal('TENANT_USER'), tenantUserId: Id }),
  z.strictObject({ kind: z.literal('ALL_TENANTS') }),
]);
export type PolicyActor = z.infer<typeof PolicyActor>;

export const LINT_CODES = [
  'ALWAYS_TRUE',
  'ALWAYS_FALSE',
  'CONTRADICTION',
  'MATCHES_NO_TABLE',
  'UNKNOWN_COLUMN',
  'INEXACT_COMPARISON',
  'UNFILLED_PLACEHOLDER',
  'SHADOWED_ASSIGNMENT',
  'DEFAULT_SCHEMA_NOT_ALLOWED',
] as const;
export const LintCode = z.enum(LINT_CODES);
export type LintCode = z.infer<typeof LintCode>;

export const LintWarning = z.object({
  code: LintCode,
  /** The location, as `rlsConfig.rules[0].expression`. */
  path: z.string(),
  message: z.string(),
  definitionId: Id.nullable(),
  assignmentId: Id.nullable(),
});
export type LintWarning = z.infer<typeof LintWarning>;

/** The origin of a rule, a config or a value. */
export const POLICY_SOURCES = ['persisted', 'draft', 'token'] as const;
export const PolicySource = z.enum(POLICY_SOURCES);
export type PolicySource = z.infer<typeof PolicySource>;

/** The source of a placeholder's value; later ones take precedence. */
export const VALUE_SOURCES = ['definition', 'rule', 'assignment', 'token', 'runtime', 'actor'] as const;
export const ValueSource = z.enum(VALUE_SOURCES);
export type ValueSource = z.infer<typeof ValueSource>;

export const AppliedAssignment = z.object({
  /** Null for a draft and for the token's own policies. */
  id: Id.nullable(),
  definitionId: Id.nullable(),
  definitionName: z.string().nullable(),
  scopeType: AssignmentScope.nullable(),
  source: PolicySource,
});
export type AppliedAssignment = z.infer<typeof AppliedAssignment>;

export const ResolvedCls = z.object({
  /** The template with its values, secret ones as `***`; null if there is none. */
  connectionString: z.string().nullable(),
  filePaths: z.record(z.string(), z.string()).nullable(),
  params: z.record(z.string(), ParamValue),
  assignmentId: Id.nullable(),
  definitionId: Id.nullable(),
  source: PolicySource,
});
export type ResolvedCls = z.infer<typeof ResolvedCls>;

export const ResolvedSls = z.object({
  /** The schema that unqualified tables are in; null where none is pinned. */
  schema: z.string().nullable(),
  /** The schemas that may be read; null allows every one. */
  allowedSchemas: z.array(z.string()).nullable(),
  assignmentId: Id.nullable(),
  definitionId: Id.nullable(),
  source: PolicySource,
});
export type ResolvedSls = z.infer<typeof ResolvedSls>;

export const ResolvedRuleRecord = z.object({
  name: z.string(),
  definitionId: Id.nullable(),
  assignmentId: Id.nullable(),
  source: PolicySource,
  matcher: RlsMatcher,
  expression: z.string(),
  /** The expression with its values as literals; null if one is missing. */
  resolvedExpression: z.string().nullable(),
  params: Params,
});
export type ResolvedRuleRecord = z.infer<typeof ResolvedRuleRecord>;

/** One step of a resolution, in the order in which it was taken. */
export const TraceEntry = z.object({
  subject: z.enum(['assignment', 'cls', 'sls', 'rule', 'value', 'table']),
  /** What the entry is about: an assignment's id, a rule's name, a placeholder, a table. */
  name: z.string(),
  outcome: z.enum([
    'applies',
    'skipped',
    'wins',
    'loses',
    'conflict',
    'filled',
    'missing',
    'merged',
    'governed',
    'free',
  ]),
  /** A sentence with the reason. */
  why: z.string(),
  assignmentId: Id.nullable().optional(),
  definitionId: Id.nullable().optional(),
  valueSource: ValueSource.optional(),
});
export type TraceEntry = z.infer<typeof TraceEntry>;

export const Preview = z.object({
  actor: z.object({
    kind: AssignmentScope,
    id: Id.nullable(),
    name: z.string().nullable(),
    email: z.string().nullable(),
    tenantId: Id.nullable(),
    role: UserRole.nullable(),
  }),
  connection: PolicyConnection,
  assignments: z.array(AppliedAssignment),
  cls: ResolvedCls.nullable(),
  sls: ResolvedSls.nullable(),
  rls: z.object({ rules: z.array(ResolvedRuleRecord) }),
  compiled: Compiled,
  trace: z.array(TraceEntry),
});
export type Preview = z.infer<typeof Preview>;

/** The difference between two previews for one table. */
export const TableDifference = z.object({
  table: z.string(),
  schema: z.string().nullable(),
  change: z.enum(['added', 'removed', 'changed']),
  before: z.string().nullable(),
  after: z.string().nullable(),
});
export type TableDifference = z.infer<typeof TableDifference>;

export const PreviewDiff = z.object({
  before: Preview,
  after: Preview,
  isSame: z.boolean(),
  cls: z.object({ isSame: z.boolean() }),
  sls: z.object({ isSame: z.boolean() }),
  tables: z.array(TableDifference),
  sql: z.object({ isSame: z.boolean(), before: z.string().nullable(), after: z.string().nullable() }),
});
export type PreviewDiff = z.infer<typeof PreviewDiff>;

const TableReference = z.object({ schema: z.string(), table: z.string() });
/** Which tables of a connection the rules of one actor govern, and which no rule does. */
export const Coverage = z.object({
  actor: PolicyActor,
  isGoverned: z.boolean(),
  totalTables: z.number().int(),
  governed: z.array(TableReference.extend({ rules: z.array(z.string()) })),
  ungoverned: z.array(TableReference),
});
export type Coverage = z.infer<typeof Coverage>;

/** An actor whose coverage is too large for a response, and the limit that it exceeds. */
export const OmittedActor = z.object({ actor: PolicyActor, reason: z.string() });
export type OmittedActor = z.infer<typeof OmittedActor>;

/** The fields of a page of coverage. A page with an omitted actor has no other. */
export const CoveredActors = { actors: z.array(Coverage), omitted: OmittedActor.nullable() };

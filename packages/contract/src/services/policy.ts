import { z } from 'zod';
import { rule } from '../fieldErrors.js';
import {
  AssignmentItem,
  AssignmentScope,
  CoveredActors,
  DefinitionItem,
  LintWarning,
  ListedAssignment,
  Params,
  PolicyActor,
  Preview,
  PreviewDiff,
} from '../records/policy.js';
import { PolicyTest, PolicyTestOutcome, SampleData, TestExpectation } from '../records/policyTest.js';
import { ClsConfig, InlinePolicies, NewSlsConfig, RlsConfig } from '../securityConfig.js';
import { Id, label, text } from '../vocabulary.js';
import { batchInputOf, batchOutputOf } from './batch.js';
import { hasAnyOf } from './update.js';
import { Cursor, ListSlice, NextCursor, Search } from './listSlice.js';
import { Actor, AssignedTo, checkActor, checkOneActor } from './policyActors.js';
import { SqlText, statements } from './policyStatements.js';
import { mutation, query, question } from './procedure.js';

/** Every answer of the security area is in this envelope. */
const answer = <T extends z.ZodType>(data: T) => z.object({ ok: z.literal(true), data });
const Deleted = answer(z.object({ id: Id }));

const Project = { projectId: Id };
const Configs = { clsConfig: ClsConfig, slsConfig: NewSlsConfig, rlsConfig: RlsConfig };
const ByDefinition = z.strictObject({ ...Project, definitionId: Id });
const Warnings = { warnings: z.array(LintWarning) };

const definitions = {
  /** By name. With an actor, those that are assigned to this very actor. */
  list: query(
    z
      .strictObject({ ...Project, connectionId: Id.optional(), search: Search, ...AssignedTo, ...ListSlice })
      .superRefine(checkOneActor),
    answer(z.array(DefinitionItem)).extend(NextCursor),
  ),
  create: mutation(
    z
      .strictObject({
        ...Project,
        connectionId: Id,
        name: label(200),
        clsConfig: Configs.clsConfig.optional(),
        slsConfig: Configs.slsConfig.optional(),
        rlsConfig: Configs.rlsConfig.optional(),
      })
      .refine(
        ({ clsConfig, slsConfig, rlsConfig }) => Boolean(clsConfig ?? slsConfig ?? rlsConfig),
        rule('at least one of clsConfig, slsConfig and rlsConfig is required', 'required'),
      ),
    answer(DefinitionItem.extend(Warnings)),
  ),
  get: query(ByDefinition, answer(DefinitionItem)),
  update: mutation(
    z
      .strictObject({
        ...Project,
        definitionId: Id,
        name: label(200).optional(),
        clsConfig: Configs.clsConfig.nullish(),
        slsConfig: Configs.slsConfig.nullish(),
        rlsConfig: Configs.rlsConfig.nullish(),
        /** Runs the definition's tests against the change first; a failure rejects it. */
        runTests: z.boolean().optional(),
      })
      .refine(
        ({ name, clsConfig, slsConfig, rlsConfig }) =>
          [name, clsConfig, slsConfig, rlsConfig].some((field) => field !== undefined),
        rule('at least one of name, clsConfig, slsConfig and rlsConfig is required', 'required'),
      ),
    answer(DefinitionItem.extend(Warnings)),
  ),
  delete: mutation(ByDefinition, Deleted),
};

const NewAssignment = {
  definitionId: Id,
  scopeType: AssignmentScope,
  orgUserId: Actor.orgUserId.optional(),
  tenantId: Actor.tenantId.optional(),
  tenantUserId: Actor.tenantUserId.optional(),
  params: Params.optional(),
};
/** An assignment that is not saved, in the shape of one to create. */
export const DraftAssignment = z.strictObject(NewAssignment).superRefine(checkActor);
export type DraftAssignment = z.infer<typeof DraftAssignment>;
const AssignmentChange = {
  scopeType: AssignmentScope.nullish(),
  orgUserId: Actor.orgUserId.nullish(),
  tenantId: Actor.tenantId.nullish(),
  tenantUserId: Actor.tenantUserId.nullish(),
  params: Params.nullish(),
};
const ANY_ASSIGNMENT_CHANGE = [
  (value: object) => hasAnyOf(AssignmentChange, value),
  rule('at least one of scopeType, orgUserId, tenantId, tenantUserId and params is required', 'required'),
] as const;
const ByAssignment = z.strictObject({ ...Project, assignmentId: Id });

const assignments = {
  /** The oldest first. A definition is named, or with `include` embedded. */
  list: query(
    z
      .strictObject({
        ...Project,
        definitionId: Id.optional(),
        connectionId: Id.optional(),
        ...AssignedTo,
        include: z.literal('definition').optional(),
        ...ListSlice,
      })
      .superRefine(checkOneActor),
    answer(z.array(ListedAssignment)).extend(NextCursor),
  ),
  create: mutation(
    z.strictObject({ ...Project, ...NewAssignment }).superRefine(checkActor),
    answer(AssignmentItem.extend(Warnings)),
  ),
  get: query(ByAssignment, answer(AssignmentItem)),
  /** A new `scopeType` clears the previous actor. The result must meet the rules of its scope. */
  update: mutation(
    z.strictObject({ ...Project, assignmentId: Id, ...AssignmentChange }).refine(...ANY_ASSIGNMENT_CHANGE),
    answer(AssignmentItem.extend(Warnings)),
  ),
  delete: mutation(ByAssignment, Deleted),
  batch: mutation(
    batchInputOf(Project, [
      z.strictObject({ op: z.literal('create'), ...NewAssignment }).superRefine(checkActor),
      z
        .strictObject({ op: z.literal('update'), assignmentId: Id, ...AssignmentChange })
        .refine(...ANY_ASSIGNMENT_CHANGE),
      z.strictObject({ op: z.literal('delete'), assignmentId: Id }),
    ]),
    answer(
      batchOutputOf({
        ...AssignmentItem.extend(Warnings).partial().shape,
        /** Of a deleted assignment. */
        id: Id.optional(),
      }),
    ),
  ),
};

const EntityReference = z.strictObject({
  table: text(1, 200),
  schema: text(1, 200).optional(),
  database: text(1, 200).optional(),
  alias: text(1, 200).optional(),
});
export type EntityReference = z.infer<typeof EntityReference>;

const Resolution = {
  connectionId: Id,
  assignmentId: Id.optional(),
  draftAssignment: DraftAssignment.optional(),
  /** Only `tokenPolicyInput` counts then. */
  ignorePersistedAssignments: z.boolean().default(false),
  runtimeParams: Params.optional(),
  tokenPolicyInput: InlinePolicies.optional(),
  /** Any text: one that is no statement of the dialect is answered as `invalid_sql`. */
  sql: SqlText.optional(),
  referencedEntities: z.array(EntityReference).min(1).max(1000).optional(),
};

function checkResolution(
  value: { assignmentId?: string | undefined; draftAssignment?: unknown },
  context: z.core.$RefinementCtx,
): void {
  if (value.assignmentId === undefined || value.draftAssignment === undefined) return;
  const fault = rule('goes without assignmentId', 'conflict');
  context.addIssue({ code: 'custom', path: ['draftAssignment'], ...fault, input: value });
}
const PreviewFields = z.strictObject({ ...Project, ...Resolution, actor: PolicyActor });
export type PreviewRequest = z.infer<typeof PreviewFields>;

/** The side that is left out is the preview as it is, without drafts and without what the other side adds. */
const DiffSide = z.strictObject({
  actor: PolicyActor.optional(),
  assignmentId: Resolution.assignmentId,
  draftAssignment: Resolution.draftAssignment,
  /** In place of the stored definition with its id, unsaved. */
  draftDefinition: z
    .strictObject({
      definitionId: Id,
      clsConfig: Configs.clsConfig.nullish(),
      slsConfig: Configs.slsConfig.nullish(),
      rlsConfig: Configs.rlsConfig.nullish(),
    })
    .optional(),
  ignorePersistedAssignments: Resolution.ignorePersistedAssignments,
  runtimeParams: Resolution.runtimeParams,
  tokenPolicyInput: Resolution.tokenPolicyInput,
});
export type DiffSide = z.infer<typeof DiffSide>;

const previews = {
  /** Resolves and compiles; writes nothing. */
  preview: question(PreviewFields.superRefine(checkResolution), answer(Preview)),
  /** Two previews side by side: of two actors, or with and without a draft. */
  diff: question(
    z.strictObject({
      ...Project,
      connectionId: Id,
      actor: PolicyActor,
      sql: Resolution.sql,
      referencedEntities: Resolution.referencedEntities,
      before: DiffSide.superRefine(checkResolution).prefault({}),
      after: DiffSide.superRefine(checkResolution),
    }),
    answer(PreviewDiff),
  ),
  /** Warnings about one stored definition, about one that is not saved, or about all of a connection. */
  lint: question(
    z.strictObject({
      ...Project,
      connectionId: Id.optional(),
      definitionId: Id.optional(),
      clsConfig: Configs.clsConfig.optional(),
      slsConfig: Configs.slsConfig.optional(),
      rlsConfig: Configs.rlsConfig.optional(),
    }),
    answer(z.object(Warnings)),
  ),
  /**
   * The tables of a connection that no rule governs, for one actor, or for every actor that has an
   * assignment.
   */
  coverage: query(
    z.strictObject({
      ...Project,
      connectionId: Id,
      orgUserId: Id.optional(),
      tenantId: Id.optional(),
      tenantUserId: Id.optional(),
      /** Each actor adds a list of tables to the response. */
      limit: z.number().int().min(1).max(500).default(500),
      cursor: Cursor,
    }),
    answer(z.object({ connectionId: Id, ...CoveredActors })).extend(NextCursor),
  ),
};

const TestFields = {
  name: label(200),
  actor: PolicyActor,
  sql: text(1, 100_000),
  runtimeParams: Params.nullish(),
  sampleData: SampleData.nullish(),
  expect: TestExpectation,
};
const ByTest = z.strictObject({ ...Project, definitionId: Id, testId: Id });
const tests = {
  list: query(ByDefinition.extend(ListSlice), answer(z.array(PolicyTest)).extend(NextCursor)),
  create: mutation(
    z.strictObject({ ...Project, definitionId: Id, ...TestFields }),
    answer(z.object({ test: PolicyTest })),
  ),
  get: query(ByTest, answer(z.object({ test: PolicyTest }))),
  update: mutation(
    z.strictObject({
      ...ByTest.shape,
      name: TestFields.name.optional(),
      actor: TestFields.actor.optional(),
      sql: TestFields.sql.optional(),
      runtimeParams: TestFields.runtimeParams,
      sampleData: TestFields.sampleData,
      expect: TestFields.expect.optional(),
    }),
    answer(z.object({ test: PolicyTest })),
  ),
  delete: mutation(ByTest, Deleted),
  run: question(
    ByDefinition,
    answer(
      z.object({ passed: z.number().int(), failed: z.number().int(), outcomes: z.array(PolicyTestOutcome) }),
    ),
  ),
};

const usage = {
  /**
   * The definitions of the caller's project that refer to a connection, ten at most: they prevent its
   * deletion.
   */
  ofConnection: query(
    z.strictObject({ connectionId: Id }),
    z.object({ definitions: z.array(z.object({ id: Id, name: z.string() })) }),
  ),
};

/** Security policies: definitions, assignments, their resolution for an actor and the resulting SQL. */
export const policy = {
  name: 'policy' as const,
  procedures: { definitions, assignments, previews, statements, tests, usage },
};

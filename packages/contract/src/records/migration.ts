import { z } from 'zod';
import { Id, JsonObject, Timestamp } from '../vocabulary.js';
import { CommitResult } from './versionControl.js';

/**
 * The state of a migration. `rolling_back` leads to `failed` if it could not be carried out, and to
 * `rolled_back` if a caller requested the rollback.
 */
export const MIGRATION_STATUSES = [
  'planned',
  'running',
  'completed',
  'failed',
  'rolling_back',
  'rolled_back',
] as const;
export const MigrationStatus = z.enum(MIGRATION_STATUSES);
export type MigrationStatus = z.infer<typeof MigrationStatus>;

export const MIGRATION_ACTIONS = [
  'verify',
  'createDomain',
  'createDatamodel',
  'createVisual',
  'createDashboard',
  'replaceDashboard',
  'commit',
] as const;
export const MigrationAction = z.enum(MIGRATION_ACTIONS);
export type MigrationAction = z.infer<typeof MigrationAction>;

/** `kept`: its rollback was skipped, because the created record was changed or used in the meantime. */
export const StepState = z.enum(['pending', 'done', 'undone', 'kept']);
export type StepState = z.infer<typeof StepState>;

const StepFields = {
  /** Unique in its migration, as `createVisual v_1`. */
  name: z.string(),
  action: MigrationAction,
  /** The copied record; null if nothing is copied. */
  sourceId: z.string().nullable(),
  /** The title or name of the created record; null if none is created. */
  title: z.string().nullable(),
};
export const MigrationStep = z.object({ ...StepFields, targetId: Id.nullable(), state: StepState });
export type MigrationStep = z.infer<typeof MigrationStep>;

export const CreatedResource = z.object({ sourceId: Id, newId: Id, name: z.string() });
export type CreatedResource = z.infer<typeof CreatedResource>;
export const CreatedResources = z.object({
  domains: z.array(CreatedResource),
  datamodels: z.array(CreatedResource),
  visuals: z.array(CreatedResource),
});
export type CreatedResources = z.infer<typeof CreatedResources>;

/** The result of a migration. */
export const MigrationResult = z.object({
  success: z.literal(true),
  migrationId: Id,
  dashboard: z.object({
    id: Id,
    title: z.string(),
    projectId: Id,
    /** The secret of the new dashboard, shown only here; null if one was replaced, which keeps its own. */
    secret: z.string().nullable(),
    tags: z.array(z.string()),
  }),
  createdResources: CreatedResources,
  replaced: z.boolean(),
  versionControl: CommitResult,
});
export type MigrationResult = z.infer<typeof MigrationResult>;

/** An existing record of the target project that replaces a source record. */
const Reused = z.object({ noun: z.string(), sourceId: z.string(), targetId: Id });

/** The effect of a migration. Nothing was written. */
export const MigrationPreview = z.object({
  success: z.literal(true),
  dryRun: z.literal(true),
  plan: z.object({
    targetProjectId: Id,
    /** The dashboard that would be replaced; null for a new one. */
    replaces: z.object({ id: Id, title: z.string() }).nullable(),
    steps: z.array(z.object(StepFields)),
    reused: z.array(Reused),
    /** References that the copies would lose. */
    dropped: z.array(z.object({ noun: z.string(), sourceId: z.string() })),
    planHash: z.string(),
  }),
});
export type MigrationPreview = z.infer<typeof MigrationPreview>;

export const Migration = z.object({
  id: Id,
  status: MigrationStatus,
  sourceProjectId: Id,
  sourceDashboardId: Id,
  targetProjectId: Id,
  /** The dashboard that it creates or overwrites. */
  targetDashboardId: Id,
  isReplacing: z.boolean(),
  /** Identifies the states of all records that the plan is based on. */
  planHash: z.string(),
  steps: z.array(MigrationStep),
  createdResources: CreatedResources,
  /** Null until it is known. */
  versionControl: CommitResult.nullable(),
  /** Why it failed, or is being undone; null otherwise. */
  reason: z.string().nullable(),
  createdBy: Id,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  endedAt: Timestamp.nullable(),
});
export type Migration = z.infer<typeof Migration>;

/** Why a record of the target project is suggested for a source record. */
export const CandidateReason = z.enum(['sameName', 'sameDialect']);
export const MigrationCandidate = z.object({ id: Id, name: z.string(), reason: CandidateReason });
export type MigrationCandidate = z.infer<typeof MigrationCandidate>;

const AnalyzedFields = {
  sourceId: z.string(),
  /** Null where the caller finds no such record in the source project. */
  name: z.string().nullable(),
  suggestedTargetId: Id.nullable(),
  candidates: z.array(MigrationCandidate),
};
export const AnalyzedResource = z.object(AnalyzedFields);
export type AnalyzedResource = z.infer<typeof AnalyzedResource>;
export const AnalyzedConnection = z.object({ ...AnalyzedFields, type: z.string().nullable() });
export type AnalyzedConnection = z.infer<typeof AnalyzedConnection>;

export const MigrationAnalysis = z.object({
  dashboard: z.object({ id: Id, title: z.string(), projectId: Id, version: z.number().int() }),
  targetProject: z.object({ id: Id, name: z.string() }),
  connections: z.array(AnalyzedConnection),
  domains: z.array(AnalyzedResource),
  datamodels: z.array(AnalyzedResource),
  visuals: z.array(AnalyzedResource),
  assistantProfiles: z.array(AnalyzedResource),
  /** A body for the migration. It is valid without changes if `problems` is empty. */
  suggestedRequest: JsonObject,
  problems: z.array(z.object({ field: z.string(), message: z.string() })),
});
export type MigrationAnalysis = z.infer<typeof MigrationAnalysis>;

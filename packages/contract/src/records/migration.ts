import { z } from 'zod';
import { Id, JsonObject, Timestamp } from '../vocabulary.js';
import { CommitResult } from './versionControl.js';

/**
 * What becomes of a migration. `rolling_back` is on its way to `failed` when it could not be carried out, and to `rolled_back`
 * when somebody asked for it.
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

/** `kept`: it was to be undone, but somebody has changed or used meanwhile what the step had made. */
export const StepState = z.enum(['pending', 'done', 'undone', 'kept']);
export type StepState = z.infer<typeof StepState>;

const StepFields = {
  /** Unique in its migration, as `createVisual v_1`. */
  name: z.string(),
  action: MigrationAction,
  /** What is copied; null where nothing is. */
  sourceId: z.string().nullable(),
  /** The title or name of what the step makes; null where it makes nothing. */
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

/** What a migration did. */
export const MigrationResult = z.object({
  success: z.literal(true),
  migrationId: Id,
  dashboard: z.object({
    id: Id,
    title: z.string(),
    projectId: Id,
    /** Of the new dashboard, shown this once; null where one was replaced, which keeps its own. */
    secret: z.string().nullable(),
    tags: z.array(z.string()),
  }),
  createdResources: CreatedResources,
  replaced: z.boolean(),
  versionControl: CommitResult,
});
export type MigrationResult = z.infer<typeof MigrationResult>;

/** An existing record of the target project that takes the place of a source record. */
const Reused = z.object({ noun: z.string(), sourceId: z.string(), targetId: Id });

/** What a migration would do. Nothing was written. */
export const MigrationPreview = z.object({
  success: z.literal(true),
  dryRun: z.literal(true),
  plan: z.object({
    targetProjectId: Id,
    /** The dashboard that would be replaced; null for a new one. */
    replaces: z.object({ id: Id, title: z.string() }).nullable(),
    steps: z.array(z.object(StepFields)),
    reused: z.array(Reused),
    /** References that the copies would not have. */
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
  /** The dashboard that it makes or overwrites. */
  targetDashboardId: Id,
  isReplacing: z.boolean(),
  /** Names the states of all records that it was planned on. */
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

/** Why a record of the target project is offered in place of a source record. */
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
  /** A body for the migration. It is accepted as it is when `problems` is empty. */
  suggestedRequest: JsonObject,
  problems: z.array(z.object({ field: z.string(), message: z.string() })),
});
export type MigrationAnalysis = z.infer<typeof MigrationAnalysis>;

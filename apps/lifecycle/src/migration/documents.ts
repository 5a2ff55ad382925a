import type {
  CommitResult,
  CopyActor,
  CreatedResources,
  MigrationAction,
  MigrationStatus,
  StepState,
} from '@gatehouse/contract';
import type { Outboxed, Sized } from '@gatehouse/service';
import type { BoundRecord } from './logic/binding.js';

/** A step as it is stored. Its content is stored apart, because it is large and never changes. */
export interface StoredStep {
  name: string;
  action: MigrationAction;
  sourceId: string | null;
  targetId: string | null;
  title: string | null;
  state: StepState;
  /** The version of the dashboard after this step created or replaced it. */
  version?: number;
}

/** The lease of the process that runs a migration. A takeover changes its key. */
export interface Lease {
  key: string;
  until: Date;
}

export interface MigrationDocument extends Outboxed, Sized {
  _id: string;
  organizationId: string;
  sourceProjectId: string;
  sourceDashboardId: string;
  targetProjectId: string;
  targetDashboardId: string;
  /** Both projects, for lists. */
  projectIds: string[];
  isReplacing: boolean;
  status: MigrationStatus;
  /** A hash of `bound`: a changed record changes it. */
  planHash: string;
  bound: BoundRecord[];
  steps: StoredStep[];
  created: CreatedResources;
  tags: string[];
  /** The key of the contents of the steps. */
  contentsKey: string;
  /** The version of the replaced dashboard that the plan is based on; null for a new dashboard. */
  expectedVersion: number | null;
  secretHash: string | null;
  commit: { message: string; author: { name: string; email: string } } | null;
  versionControl: CommitResult | null;
  actor: CopyActor;
  /** The actor that requested the rollback; absent without a request. */
  undoActor?: CopyActor;
  /** Why the migration failed; null unless it failed. */
  reason: { code: string; message: string } | null;
  /** Keys that no two unfinished migrations share; absent once the migration has ended. */
  locks?: string[];
  /** Absent once the migration has ended. */
  lease?: Lease;
  createdAt: Date;
  updatedAt: Date;
  endedAt: Date | null;
}

import { z } from 'zod';
import { Dashboard } from '../../records/resource.js';
import {
  BranchName,
  CommitMessage,
  CommitOnSave,
  CommitResult,
  DashboardContent,
  DashboardVersion,
  JsonPatchOperation,
  RemoteInput,
  VersionControl,
} from '../../records/versionControl.js';
import { Id, JsonObject, text } from '../../vocabulary.js';
import { mutation, query } from '../procedure.js';

const Nothing = z.strictObject({});
const ByVersion = z.strictObject({ id: Id, sha: Id });
const Settings = z.object({ versionControl: VersionControl });

/** The git repository of a project, and the commits of its dashboards. */
export const versionControl = {
  get: query(Nothing, Settings),
  /** Replaces all settings; an omitted one gets its default. */
  put: mutation(
    z.strictObject({
      commitOnSave: CommitOnSave.default('optional'),
      branch: BranchName.default('main'),
      remote: RemoteInput.nullable().default(null),
      /** Whether to contact the remote first, and reject the settings if it does not respond. */
      verify: z.boolean().default(true),
    }),
    Settings,
  ),
  /** The history stays, and is available again when version control is configured again. */
  remove: mutation(
    Nothing,
    z.object({
      message: z.string(),
      deletedVersionControl: z.object({ projectId: Id }),
    }),
  ),
  /** Commits a dashboard that the access service has just saved for the caller. */
  commit: mutation(
    z.strictObject({
      dashboardId: Id,
      dashboardVersion: z.number().int(),
      content: JsonObject,
      message: CommitMessage,
      /** A commit with the same key is made once. */
      key: text(1, 200),
    }),
    CommitResult,
  ),
  /** The commits of a dashboard, the newest first. */
  listVersions: query(
    z.strictObject({
      id: Id,
      limit: z.number().int().min(1).max(100).default(20),
      cursor: text(1, 200).optional(),
    }),
    z.object({ versions: z.array(DashboardVersion), nextCursor: z.string().nullable() }),
  ),
  getVersion: query(ByVersion, z.object({ version: DashboardVersion.extend({ content: DashboardContent }) })),
  /** What leads from one version to another, or to the dashboard as it is now. */
  diff: query(
    z.strictObject({ id: Id, sha: Id, to: Id.optional() }),
    z.object({ from: z.string(), to: z.string().nullable(), patch: z.array(JsonPatchOperation) }),
  ),
  /** Saves what a version holds as the dashboard's next version. */
  restore: mutation(
    z.strictObject({ id: Id, sha: Id, commitMessage: CommitMessage.optional() }),
    z.object({ dashboard: Dashboard, versionControl: CommitResult.optional() }),
  ),
};

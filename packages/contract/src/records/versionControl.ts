import { z } from 'zod';
import { rule } from '../fieldErrors.js';
import { Id, JsonObject, label, text, Timestamp } from '../vocabulary.js';
import { webAddress } from '../webAddress.js';

/**
 * Whether saving a dashboard commits it: never, if a message is given, or always, so that a message is
 * required.
 */
export const CommitOnSave = z.enum(['off', 'optional', 'required']);
export type CommitOnSave = z.infer<typeof CommitOnSave>;

/**
 * The result of a commit. `unchanged`: the repository already has this content; `not_configured`: the project
 * has no repository, or saving does not commit.
 */
export const CommitStatus = z.enum(['committed', 'unchanged', 'failed', 'not_configured']);
export type CommitStatus = z.infer<typeof CommitStatus>;

export const CommitResult = z.object({
  status: CommitStatus,
  /** The commit of the saved dashboard; null if there is none. */
  commitSha: z.string().nullable(),
  /** A page of the remote, or a path of this API, where the commit can be seen. */
  commitUrl: z.string().nullable(),
});
export type CommitResult = z.infer<typeof CommitResult>;

export const CommitMessage = label(5000);

const BRANCH_PART = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/**
 * Whether git accepts it as the name of a branch; of the valid names, only the plain ones
 * (git-check-ref-format).
 */
function isBranchName(name: string): boolean {
  const isPart = (part: string) => BRANCH_PART.test(part) && !/\.\.|\.$|\.lock$/.test(part);
  return name !== 'HEAD' && name.split('/').every(isPart);
}

export const BranchName = text(1, 100).refine(
  isBranchName,
  rule('must be a branch name of letters, digits and . _ - between slashes', 'format'),
);

/** The remote of a repository, as it is set. */
export const RemoteInput = z.strictObject({
  /** An https address without user information. */
  url: webAddress(2000),
  username: text(1, 200).nullish(),
  /** Sealed at rest and never returned. If it is absent, the stored one stays; null removes it. */
  token: text(1, 4000).nullish(),
  /**
   * The URL of a commit page: `{sha}` stands for the commit. By default, it is derived from `url` for
   * well-known hosts.
   */
  webUrl: webAddress(2000).nullish(),
});
export type RemoteInput = z.infer<typeof RemoteInput>;

const LastPush = z.object({
  at: Timestamp,
  status: z.enum(['pushed', 'failed']),
  /** Why it failed; null when it did not. */
  reason: z.string().nullable(),
  commitSha: z.string().nullable(),
});

/** The version control of a project's dashboards. */
export const VersionControl = z.object({
  projectId: Id,
  commitOnSave: CommitOnSave,
  branch: z.string(),
  remote: z
    .object({
      url: z.string(),
      username: z.string().nullable(),
      hasCredentials: z.boolean(),
      webUrl: z.string().nullable(),
    })
    .nullable(),
  /** The last attempt to push; null while there was none. */
  lastPush: LastPush.nullable(),
  version: z.number().int(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type VersionControl = z.infer<typeof VersionControl>;

/** One commit of a dashboard. */
export const DashboardVersion = z.object({
  sha: z.string(),
  message: z.string(),
  author: z.object({ name: z.string(), email: z.string() }),
  committedAt: Timestamp,
  /** The version of the dashboard that was saved; null for a commit that others made in the remote. */
  dashboardVersion: z.number().int().nullable(),
  commitUrl: z.string(),
});
export type DashboardVersion = z.infer<typeof DashboardVersion>;

/** The content of a dashboard in a repository. */
export const DashboardContent = z.object({
  id: Id,
  title: z.string(),
  description: z.string(),
  tags: z.array(z.string()),
  isDataApp: z.boolean(),
  template: JsonObject.nullable(),
});
export type DashboardContent = z.infer<typeof DashboardContent>;

/** One operation of a JSON Patch (RFC 6902). */
export const JsonPatchOperation = z.discriminatedUnion('op', [
  z.object({ op: z.literal('add'), path: z.string(), value: z.unknown() }),
  z.object({ op: z.literal('replace'), path: z.string(), value: z.unknown() }),
  z.object({ op: z.literal('remove'), path: z.string() }),
]);
export type JsonPatchOperation = z.infer<typeof JsonPatchOperation>;

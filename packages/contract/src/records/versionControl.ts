import { z } from 'zod';

/** Whether saving a dashboard commits it: never, when a message is given, or always, so that a message has to be given. */
export const CommitOnSave = z.enum(['off', 'optional', 'required']);
export type CommitOnSave = z.infer<typeof CommitOnSave>;

/** What became of a commit. `unchanged`: the repository has just this already; `not_configured`: there is no repository. */
export const CommitStatus = z.enum(['committed', 'unchanged', 'failed', 'not_configured']);
export type CommitStatus = z.infer<typeof CommitStatus>;

export const CommitResult = z.object({
  status: CommitStatus,
  /** The commit that holds the dashboard as it was saved; null where there is none. */
  commitSha: z.string().nullable(),
  commitUrl: z.string().nullable(),
});
export type CommitResult = z.infer<typeof CommitResult>;

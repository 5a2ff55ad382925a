/** What a repository holds of a dashboard when its next version is to be committed. */
export interface FileState {
  /** The object of the file at the tip of the branch; null where there is none. */
  blob: string | null;
  /** The highest version of the dashboard that came to the repository; null when none did. */
  version: number | null;
}

export interface NextFile {
  blob: string;
  version: number;
}

/**
 * What to do with a version of a dashboard. Saves of one dashboard may come to the repository in another order than they
 * were made in, and whatever comes, the tip of the branch holds the latest:
 *
 * - `commit`: on top;
 * - `commitBeneath`: it came late. It is committed, and the tip's files once more on top of it;
 * - `note`: nothing differs from the tip, but the version is higher: what is older is late from now on;
 * - `leave`: nothing differs.
 */
export type CommitStep = 'commit' | 'commitBeneath' | 'note' | 'leave';

export function judgeCommit({ blob, version }: FileState, next: NextFile): CommitStep {
  const isSame = blob === next.blob;
  if (version !== null && next.version < version) return isSame ? 'leave' : 'commitBeneath';
  if (!isSame) return 'commit';
  return version === null || next.version > version ? 'note' : 'leave';
}

/** Whether the same commit may have been made before: the repository has this version, or a later one, already. */
export function mayBeRepeated(version: number | null, next: Pick<NextFile, 'version'>): boolean {
  return version !== null && next.version <= version;
}

/** The state of a dashboard in the repository before its next version is committed. */
export interface FileState {
  /** The object of its file at the tip of the branch; null without a file. */
  blob: string | null;
  /** The highest committed version; null when there is none. */
  version: number | null;
}

export interface NextFile {
  blob: string;
  version: number;
}

/**
 * How to commit a version of a dashboard. Versions may arrive in another order than they were saved in. The
 * tip of the branch always holds the latest:
 *
 * - `commit`: commit on top;
 * - `commitBeneath`: the version is late. Commit it, and commit the tip's file again on top;
 * - `record`: the content is unchanged but the version is higher. Record the version, so that older ones are
 *   late;
 * - `skip`: nothing changed.
 */
export type CommitStep = 'commit' | 'commitBeneath' | 'record' | 'skip';

export function chooseStep({ blob, version }: FileState, next: NextFile): CommitStep {
  const isSame = blob === next.blob;
  if (version !== null && next.version < version) return isSame ? 'skip' : 'commitBeneath';
  if (!isSame) return 'commit';
  return version === null || next.version > version ? 'record' : 'skip';
}

/** Whether the same commit may exist already, because the repository has this version or a later one. */
export function mayBeRepeated(version: number | null, next: Pick<NextFile, 'version'>): boolean {
  return version !== null && next.version <= version;
}

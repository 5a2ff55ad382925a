import { randomUUID } from 'node:crypto';
import { access, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type Git } from './program.js';

/** A bare repository on this machine. */
export interface BareRepository {
  git: Git;
  /** Its absolute path. */
  directory: string;
}

/** A new value of a ref, which has to have the old one until then. Null stands for a ref that is not there. */
export interface RefChange {
  ref: string;
  old: string | null;
  new: string | null;
}

/** A branch that cannot be made: its name begins with that of another one, or another's with it. */
export class BranchConflictError extends Error {
  override readonly name = 'BranchConflictError';
}

const NO_OBJECT = '0'.repeat(40);
const OWNER_ONLY = 0o700;
/** No command takes so long: who left a lock file of this age has died. */
const STALE_LOCK_MS = 30_000;

export const branchRef = (branch: string) => `refs/heads/${branch}`;

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Makes the repository where there is none. It appears whole or not at all, whoever else makes it at the same time. */
async function provide({ git, directory }: BareRepository, branch: string): Promise<void> {
  if (await exists(join(directory, 'HEAD'))) return;
  const draft = `${directory}.${randomUUID()}`;
  await mkdir(draft, { recursive: true, mode: OWNER_ONLY });
  try {
    const format = ['--object-format=sha1', `--initial-branch=${branch}`];
    const args = ['init', '--quiet', '--bare', '--template=', ...format, draft];
    await git.run({ args });
    await rename(draft, directory);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    if (!(await exists(join(directory, 'HEAD')))) throw error;
  }
}

/**
 * Opens a repository, making it where it is missing, with `branch` as its branch. A branch that is not there yet begins where
 * the one before it is. Throws BranchConflictError, and GitError.
 */
export async function openRepository(repository: BareRepository, branch: string): Promise<void> {
  await provide(repository, branch);
  const { git, directory } = repository;
  const ref = branchRef(branch);
  const head = await git.run({ directory, args: ['symbolic-ref', 'HEAD'] });
  if (head.trim() === ref) return;
  const [former, own] = await readRefs(repository, ['HEAD', ref]);
  if (former && !own && !(await changeRefs(repository, [{ ref, old: null, new: former }])))
    throw new BranchConflictError(`The branch ${branch} does not go beside another one`);
  await git.run({ directory, args: ['symbolic-ref', 'HEAD', ref] });
}

/** The objects that names stand for, in their order; null for those that stand for none. */
export async function readRefs(
  { git, directory }: BareRepository,
  names: readonly string[],
): Promise<(string | null)[]> {
  const input = names.map((name) => `${name}\n`).join('');
  const output = await git.run({ directory, args: ['cat-file', '--batch-check=%(objectname)'], input });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => (/^[0-9a-f]{40}$/.test(line) ? line : null));
}

/** The texts of files of one line each, by the names of their objects. */
export async function readLines(
  { git, directory }: BareRepository,
  blobs: readonly string[],
): Promise<Map<string, string>> {
  if (blobs.length === 0) return new Map();
  const input = blobs.map((blob) => `${blob}\n`).join('');
  const output = await git.run({ directory, args: ['cat-file', '--batch'], input });
  const found = output.matchAll(/^([0-9a-f]{40}) blob \d+\n(.*)$/gm);
  return new Map([...found].map(([, blob = '', line = '']) => [blob, line]));
}

/** The text of a file. Throws GitError. */
export function readBlob({ git, directory }: BareRepository, blob: string): Promise<string> {
  return git.run({ directory, args: ['cat-file', 'blob', blob] });
}

function writeChange({ ref, old, new: next }: RefChange): string {
  if (old === next) return `verify ${ref} ${old ?? NO_OBJECT}\n`;
  if (next === null) return `delete ${ref} ${old}\n`;
  return `update ${ref} ${next} ${old ?? NO_OBJECT}\n`;
}

/**
 * Changes refs, all or none, where each still has its old value; false, and nothing changed, where one has not or somebody
 * else is at it. A crash may leave those that are named first changed and the others not.
 */
export async function changeRefs(
  repository: BareRepository,
  changes: readonly RefChange[],
): Promise<boolean> {
  const { git, directory } = repository;
  const input = ['start\n', ...changes.map(writeChange), 'prepare\n', 'commit\n'].join('');
  try {
    await git.run({ directory, args: ['update-ref', '--no-deref', '--stdin'], input });
    return true;
  } catch (error) {
    if (!(error instanceof GitError) || !error.said.errors.includes('cannot lock ref')) throw error;
    await removeStaleLocks(
      directory,
      changes.map(({ ref }) => ref),
    );
    return false;
  }
}

/** Removes the lock files that a process left which was killed. */
async function removeStaleLocks(directory: string, refs: readonly string[]): Promise<void> {
  for (const name of [...refs, 'packed-refs']) {
    const lock = join(directory, `${name}.lock`);
    const found = await stat(lock).catch(() => null);
    if (found !== null && Date.now() - found.mtimeMs > STALE_LOCK_MS) await rm(lock, { force: true });
  }
}

/** Whether the one commit is the other, or among those before it. */
export async function isAncestor(
  { git, directory }: BareRepository,
  older: string,
  newer: string,
): Promise<boolean> {
  if (older === newer) return true;
  try {
    await git.run({ directory, args: ['merge-base', '--is-ancestor', older, newer] });
    return true;
  } catch (error) {
    if (error instanceof GitError && error.reason === 'failed' && error.said.errors === '') return false;
    throw error;
  }
}

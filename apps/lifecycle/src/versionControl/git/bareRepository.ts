import { randomUUID } from 'node:crypto';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type Git } from './program.js';

/** A local bare repository. */
export interface BareRepository {
  git: Git;
  /** Its absolute path. */
  directory: string;
}

/** A compare-and-swap of a ref. Null stands for a ref that does not exist. */
export interface RefChange {
  ref: string;
  old: string | null;
  new: string | null;
}

/** A branch cannot be created, because its name is a path prefix of another branch, or the reverse. */
export class BranchConflictError extends Error {
  override readonly name = 'BranchConflictError';
}

const NO_OBJECT = '0'.repeat(40);
const OWNER_ONLY = 0o700;

export const branchRef = (branch: string) => `refs/heads/${branch}`;

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/**
 * Creates the repository if it is missing. A rename makes this atomic, also when processes do it
 * concurrently.
 */
async function createIfMissing({ git, directory }: BareRepository, branch: string): Promise<void> {
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
 * Opens a repository with `branch` as its HEAD, and creates the repository if it is missing. A new branch
 * starts at the former HEAD. Throws BranchConflictError and GitError.
 */
export async function openRepository(repository: BareRepository, branch: string): Promise<void> {
  await createIfMissing(repository, branch);
  const { git, directory } = repository;
  const ref = branchRef(branch);
  const head = await git.run({ directory, args: ['symbolic-ref', 'HEAD'] });
  if (head.trim() === ref) return;
  const [former, own] = await readRefs(repository, ['HEAD', ref]);
  if (former && !own && !(await changeRefs(repository, [{ ref, old: null, new: former }])))
    throw new BranchConflictError(`The branch ${branch} does not go beside another one`);
  await git.run({ directory, args: ['symbolic-ref', 'HEAD', ref] });
}

/** Resolves names to commits and blobs, in order; null for a name without one. */
export async function readRefs(
  { git, directory }: BareRepository,
  names: readonly string[],
): Promise<(string | null)[]> {
  const input = names.map((name) => `${name}\n`).join('');
  const output = await git.run({
    directory,
    args: ['cat-file', '--batch-check=%(objectname) %(objecttype)'],
    input,
  });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => /^([0-9a-f]{40}) (?:commit|blob)$/.exec(line)?.[1] ?? null);
}

/** Reads blobs of one line each, by object name. */
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

/** Reads a blob as text. Throws GitError. */
export function readBlob({ git, directory }: BareRepository, blob: string): Promise<string> {
  return git.run({ directory, args: ['cat-file', 'blob', blob] });
}

function commandOf({ ref, old, new: next }: RefChange): string {
  if (old === next) return `verify ${ref} ${old ?? NO_OBJECT}\n`;
  if (next === null) return `delete ${ref} ${old}\n`;
  return `update ${ref} ${next} ${old ?? NO_OBJECT}\n`;
}

/**
 * Changes refs in one transaction. Returns false, and changes none, when a ref does not have its old value or
 * is locked. A crash may leave only the first refs of the list changed.
 */
export async function changeRefs(
  repository: BareRepository,
  changes: readonly RefChange[],
): Promise<boolean> {
  const { git, directory } = repository;
  const input = ['start\n', ...changes.map(commandOf), 'prepare\n', 'commit\n'].join('');
  try {
    await git.run({ directory, args: ['update-ref', '--no-deref', '--stdin'], input });
    return true;
  } catch (error) {
    if (!(error instanceof GitError) || !/cannot lock ref|\.lock': File exists/.test(error.stderr))
      throw error;
    return false;
  }
}

/** Whether a commit is the same as another, or its ancestor. */
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
    if (error instanceof GitError && error.reason === 'failed' && error.stderr === '') return false;
    throw error;
  }
}

import { readCommitText } from '../logic/commitText.js';
import { changeRefs, isAncestor, readRefs, type BareRepository } from './bareRepository.js';
import { readHistory, type Commit } from './history.js';
import { COMMITTER, importCommits, type FileChange } from './importCommits.js';

const ROUNDS_MAX = 10;

/** Reads the files that each commit changed against its first parent, by commit. */
async function readChanges(
  { git, directory }: BareRepository,
  commits: readonly Commit[],
): Promise<Map<string, FileChange[]>> {
  const flags = ['-r', '-z', '--no-renames', '--root', '--diff-merges=first-parent'];
  const input = commits.map(({ sha }) => `${sha}\n`).join('');
  const output = await git.run({ directory, args: ['diff-tree', '--stdin', '--always', ...flags], input });
  const changes = new Map<string, FileChange[]>();
  let current: FileChange[] = [];
  const parts = output.split('\0').values();
  for (const part of parts) {
    if (/^[0-9a-f]{40}$/.test(part)) changes.set(part, (current = []));
    if (!part.startsWith(':')) continue;
    const [, mode = '', , blob = '', status] = part.split(' ');
    const path = parts.next().value ?? '';
    current.push({ path, mode, content: status === 'D' ? null : { blob } });
  }
  return changes;
}

/** Rebases commits onto another one. Their changes win, and their authors, times and messages stay. */
async function rebase(repository: BareRepository, commits: readonly Commit[], base: string) {
  const changes = await readChanges(repository, commits);
  const rebased = commits.map(({ sha, author, committedAt, text }) => ({
    author,
    committedAt,
    text,
    changes: changes.get(sha) ?? [],
  }));
  return importCommits(repository, { base, commits: rebased });
}

/** Whether this service made a commit. Others who amend one keep its message, and become the committer. */
function isOwn({ committerEmail, text }: Commit): boolean {
  return committerEmail === COMMITTER.email && readCommitText(text).trailers !== null;
}

/**
 * Rebases the commits of a ref that are not ancestors of `base` onto it. Commits that are added meanwhile are
 * rebased too, so that none is lost. Where both sides changed a dashboard, the local commit is on top and the
 * other side's is in the history.
 *
 * Commits of others that the remote had at `former`, its previous tip, and no longer has at `base` are left
 * out: the remote removed them from its history.
 */
export async function rebaseOnto(
  repository: BareRepository,
  { ref, base, former }: { ref: string; base: string; former: string | null },
): Promise<void> {
  const left = former === null ? [] : await readHistory(repository, { from: former, until: base });
  const removed = new Set(left.filter((commit) => !isOwn(commit)).map(({ sha }) => sha));
  let done = { from: base, tip: base };
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const [tip = null] = await readRefs(repository, [ref]);
    if (tip === null || (await isAncestor(repository, base, tip))) return;
    // Another process may have rebased them already, onto another commit.
    if (done.from !== base && !(await isAncestor(repository, done.from, tip)))
      done = { from: base, tip: base };
    const commits = await readHistory(repository, { from: tip, until: done.from });
    const kept = commits.filter(({ sha }) => !removed.has(sha));
    const { names, holder } = await rebase(repository, kept.toReversed(), done.tip);
    const made = names.at(-1) ?? done.tip;
    const changes = [{ ref, old: tip, new: made }, ...(holder === null ? [] : [holder])];
    if (await changeRefs(repository, changes)) return;
    done = { from: tip, tip: made };
  }
  throw new Error('Commits are made faster than they can be made again');
}

import { keyLine } from '../logic/versionControl/commitText.js';
import type { BareRepository } from './bareRepository.js';

/** One commit, as the repository has it. */
export interface Commit {
  sha: string;
  author: { name: string; email: string; at: Date };
  committedAt: Date;
  text: string;
}

export interface HistoryQuery {
  /** The newest commit: a ref or an object. */
  from: string;
  /** Leaves out this one and all before it. */
  until?: string | undefined;
  /** Only commits that changed this file. */
  path?: string;
  /** Only the commit with this key. */
  key?: string;
  skip?: number;
  limit?: number;
}

/** The text comes last: it alone may hold line breaks. */
const FORMAT = '%H%n%an%n%ae%n%at%n%ct%n%B';

function parseCommit(record: string): Commit {
  const [sha = '', name = '', email = '', authoredAt, committedAt, ...text] = record.split('\n');
  const dateOf = (seconds: string | undefined) => new Date(Number(seconds) * 1000);
  return {
    sha,
    author: { name, email, at: dateOf(authoredAt) },
    committedAt: dateOf(committedAt),
    text: text.join('\n'),
  };
}

/**
 * Commits, the newest first. Of a merge, which others may have made in the remote, the first parent is followed: so a
 * branch is one line.
 */
export async function readHistory(
  { git, directory }: BareRepository,
  { from, until, path, key, skip = 0, limit }: HistoryQuery,
): Promise<Commit[]> {
  const args = [
    'log',
    '-z',
    '--first-parent',
    '--no-show-signature',
    '--encoding=UTF-8',
    `--format=${FORMAT}`,
  ];
  if (key !== undefined) args.push(`--grep=^${keyLine(key)}$`);
  if (limit !== undefined) args.push(`--max-count=${limit}`);
  args.push(`--skip=${skip}`, from, ...(until === undefined ? [] : [`^${until}`]), '--');
  const output = await git.run({ directory, args: path === undefined ? args : [...args, path] });
  return output.split('\0').filter(Boolean).map(parseCommit);
}

/** The newest commit that changed a file, or of those the one with a key; null where there is none. */
export async function findCommit(
  repository: BareRepository,
  query: Pick<HistoryQuery, 'from' | 'key'> & { path: string },
): Promise<Commit | null> {
  const [commit = null] = await readHistory(repository, { ...query, limit: 1 });
  return commit;
}

/** The names of the newest commits, up to a number. */
export async function readNames(
  { git, directory }: BareRepository,
  from: string,
  limit: number,
): Promise<ReadonlySet<string>> {
  const args = ['rev-list', '--first-parent', `--max-count=${limit}`, from, '--'];
  return new Set((await git.run({ directory, args })).trim().split('\n'));
}

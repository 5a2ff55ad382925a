import { keyLine } from '../logic/commitText.js';
import type { BareRepository } from './bareRepository.js';

/** A commit of the repository. */
export interface Commit {
  sha: string;
  author: { name: string; email: string; at: Date };
  committerEmail: string;
  committedAt: Date;
  text: string;
}

export interface HistoryQuery {
  /** The newest commit: a ref or an object. */
  from: string;
  /** Excludes this commit and its ancestors. */
  until?: string | undefined;
  /** Only commits that changed this file. */
  path?: string;
  /** Only the commit with this idempotency key. */
  key?: string;
  skip?: number;
  limit?: number;
}

/** The message comes last, because it may contain line breaks. */
const FORMAT = '%H%n%an%n%ae%n%at%n%ce%n%ct%n%B';

/** The last second of the year 9999. A foreign commit may state a time that no timestamp can. */
const LAST_SECOND = 253_402_300_799;

function parseCommit(record: string): Commit {
  const [sha = '', name = '', email = '', authoredAt, committerEmail = '', committedAt, ...text] =
    record.split('\n');
  const dateOf = (seconds: string | undefined) => new Date(Math.min(Number(seconds), LAST_SECOND) * 1000);
  return {
    sha,
    author: { name, email, at: dateOf(authoredAt) },
    committerEmail,
    committedAt: dateOf(committedAt),
    text: text.join('\n'),
  };
}

/**
 * Reads commits, newest first. It follows the first parent of merges, which others may have pushed to the
 * remote, so that the history is linear.
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

/** Finds the newest commit that changed a file, optionally the one with a key. */
export async function findCommit(
  repository: BareRepository,
  query: Pick<HistoryQuery, 'from' | 'key'> & { path: string },
): Promise<Commit | null> {
  const [commit = null] = await readHistory(repository, { ...query, limit: 1 });
  return commit;
}

/** Reads the names of the newest commits, up to `limit`. */
export async function readNames(
  { git, directory }: BareRepository,
  from: string,
  limit: number,
): Promise<ReadonlySet<string>> {
  const args = ['rev-list', '--first-parent', `--max-count=${limit}`, from, '--'];
  return new Set((await git.run({ directory, args })).trim().split('\n'));
}

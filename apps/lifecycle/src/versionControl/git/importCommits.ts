import { createHash, randomUUID } from 'node:crypto';
import type { Ident } from '../logic/commitText.js';
import type { BareRepository, RefChange } from './bareRepository.js';

export const FILE_MODE = '100644';
export const COMMITTER: Ident = { name: 'Gatehouse', email: 'gatehouse@localhost' };

/** A changed file: its content is an existing object or a text; null deletes the file. */
export interface FileChange {
  path: string;
  mode: string;
  content: { blob: string } | { text: string } | null;
}

/** A commit to create on top of the previous one. */
export interface NewCommit {
  author: Ident & { at: Date };
  committedAt: Date;
  text: string;
  changes: readonly FileChange[];
}

/** The object name of a text (gitformat-loose: SHA-1 of type, length and content). */
export function blobNameOf(text: string): string {
  const content = Buffer.from(text);
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

function dataOf(text: string): string {
  return `data ${Buffer.byteLength(text)}\n${text}\n`;
}

function identLine({ name, email }: Ident, at: Date): string {
  return `${name} <${email}> ${Math.floor(at.getTime() / 1000)} +0000`;
}

/** Quotes a path, so that it may contain any character. */
function quote(path: string): string {
  const escapes: Record<string, string> = { '\n': String.raw`\n`, '"': String.raw`\"`, '\\': '\\\\' };
  return `"${path.replaceAll(/["\\\n]/g, (character) => escapes[character] ?? character)}"`;
}

function changeLines({ path, mode, content }: FileChange): string {
  if (content === null) return `D ${quote(path)}\n`;
  if ('blob' in content) return `M ${mode} ${content.blob} ${quote(path)}\n`;
  return `M ${mode} inline ${quote(path)}\n${dataOf(content.text)}`;
}

function commitLines(
  ref: string,
  commit: NewCommit,
  position: { mark: number; from: string | null },
): string {
  const { author, committedAt, text, changes } = commit;
  const { mark, from } = position;
  return [
    `commit ${ref}\nmark :${mark}\n`,
    `author ${identLine(author, author.at)}\ncommitter ${identLine(COMMITTER, committedAt)}\n`,
    dataOf(text),
    mark === 1 && from !== null ? `from ${from}\n` : '',
    ...changes.map(changeLines),
    `\nget-mark :${mark}\n`,
  ].join('');
}

/**
 * Creates a chain of commits on top of `base`, and blobs that no commit contains, with one run of git.
 * Returns the names of the commits, and the deletion of the temporary ref that protects them.
 */
export async function importCommits(
  { git, directory }: BareRepository,
  {
    base,
    commits,
    texts = [],
  }: { base: string | null; commits: readonly NewCommit[]; texts?: readonly string[] },
): Promise<{ names: string[]; holder: RefChange | null }> {
  const ref = `refs/gatehouse/imports/${randomUUID()}`;
  const lines = commits.map((commit, index) => commitLines(ref, commit, { mark: index + 1, from: base }));
  const blobs = texts.map((text) => `blob\n${dataOf(text)}`);
  // Git ignores a stream without `done`, as when this process dies.
  const input = ['feature done\n', ...blobs, ...lines, 'done\n'].join('');
  const output = await git.run({ directory, args: ['fast-import', '--quiet', '--done'], input });
  const names = output.split('\n').filter(Boolean);
  const [last] = names.slice(-1);
  return { names, holder: last === undefined ? null : { ref, old: last, new: null } };
}

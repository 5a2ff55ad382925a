import { createHash, randomUUID } from 'node:crypto';
import type { Ident } from '../logic/versionControl/commitText.js';
import type { BareRepository, RefChange } from './bareRepository.js';

export const FILE_MODE = '100644';
export const COMMITTER: Ident = { name: 'Gatehouse', email: 'gatehouse@localhost' };

/** A file that a commit changes: it gets an object that the repository has, or a text, or with null it goes. */
export interface FileChange {
  path: string;
  mode: string;
  content: { blob: string } | { text: string } | null;
}

/** A commit to be made on top of the one before it. */
export interface NewCommit {
  author: Ident & { at: Date };
  committedAt: Date;
  text: string;
  changes: readonly FileChange[];
}

/** The name that git gives to a text (gitformat-loose: SHA-1 over type, length and content). */
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

/** A path as the stream has it: in quotes, so that it may hold anything. */
function quote(path: string): string {
  const escapes: Record<string, string> = { '\n': String.raw`\n`, '"': String.raw`\"`, '\\': '\\\\' };
  return `"${path.replaceAll(/["\\\n]/g, (character) => escapes[character] ?? character)}"`;
}

function changeLines({ path, mode, content }: FileChange): string {
  if (content === null) return `D ${quote(path)}\n`;
  if ('blob' in content) return `M ${mode} ${content.blob} ${quote(path)}\n`;
  return `M ${mode} inline ${quote(path)}\n${dataOf(content.text)}`;
}

function commitLines(ref: string, commit: NewCommit, place: { mark: number; from: string | null }): string {
  const { author, committedAt, text, changes } = commit;
  const { mark, from } = place;
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
 * Makes commits, one on top of the other, the first on top of `base`, and files that belong to none, in one go. Gives the names
 * of the commits, and the ref that holds them until a change of refs takes it away.
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
  // A stream that breaks off, as when this process dies, does nothing.
  const input = ['feature done\n', ...blobs, ...lines, 'done\n'].join('');
  const output = await git.run({ directory, args: ['fast-import', '--quiet', '--done'], input });
  const names = output.split('\n').filter(Boolean);
  const [last] = names.slice(-1);
  return { names, holder: last === undefined ? null : { ref, old: last, new: null } };
}

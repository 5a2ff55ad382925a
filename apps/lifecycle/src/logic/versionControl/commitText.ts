/** What a commit of this service says of itself, in the last paragraph of its message. */
export interface CommitMarks {
  dashboardVersion: number;
  /** A hash of the key that the commit was asked for with. */
  key: string;
}

const VERSION = 'Dashboard-Version';
const KEY = 'Gatehouse-Key';
const MARKS = new RegExp(String.raw`(?:^|\n\n)${VERSION}: (\d{1,15})\n${KEY}: ([\w-]+)\s*$`);

/** The line that tells a commit with this key from all others. */
export function keyLine(key: string): string {
  return `${KEY}: ${key}`;
}

/** The text of a commit: the message, and the marks as trailers (git-interpret-trailers). */
export function writeCommitText(message: string, { dashboardVersion, key }: CommitMarks): string {
  const text = message.replaceAll(/\r\n?/g, '\n').replace(/^\s*\n/, '');
  return `${text.trimEnd()}\n\n${VERSION}: ${dashboardVersion}\n${keyLine(key)}\n`;
}

/** The message and the marks of a commit's text; null marks where this service did not make the commit. */
export function readCommitText(text: string): { message: string; marks: CommitMarks | null } {
  const found = MARKS.exec(text);
  if (found === null) return { message: text.trimEnd(), marks: null };
  const [, version = '', key = ''] = found;
  return { message: text.slice(0, found.index), marks: { dashboardVersion: Number(version), key } };
}

/** A person as git writes authors: without line breaks and angle brackets, and not of punctuation alone. */
export interface Ident {
  name: string;
  email: string;
}

// What git strips from both ends of a name and an address (ident.c).
const CRUD = String.raw`[\s.,:;<>"\\']+`;
const CRUD_AT_ENDS = new RegExp(`^${CRUD}|${CRUD}$`, 'g');
const IDENT_MAX = 200;

function clean(text: string): string {
  const printable = text.replaceAll(/[\s\p{Cc}<>]+/gu, ' ');
  return printable.slice(0, IDENT_MAX).toWellFormed().replaceAll(CRUD_AT_ENDS, '');
}

/** The author of a commit. Whatever somebody is called, git takes it. */
export function identOf({ name, email }: Ident): Ident {
  const address = clean(email).replaceAll(/\s/g, '');
  return { name: clean(name) || address || 'unknown', email: address || 'unknown' };
}

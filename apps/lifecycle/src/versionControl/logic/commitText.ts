/** The trailers of a commit of this service. */
export interface CommitTrailers {
  dashboardVersion: number;
  /** A hash of the idempotency key of the commit. */
  key: string;
}

const VERSION = 'Dashboard-Version';
const KEY = 'Gatehouse-Key';
const TRAILERS = new RegExp(String.raw`(?:^|\n\n)${VERSION}: (\d{1,15})\n${KEY}: ([\w-]+)\s*$`);

/** The trailer that identifies the commit with this key. */
export function keyLine(key: string): string {
  return `${KEY}: ${key}`;
}

/** Writes the text of a commit: the message and the trailers (git-interpret-trailers). */
export function writeCommitText(message: string, { dashboardVersion, key }: CommitTrailers): string {
  const text = message.replaceAll(/\r\n?/g, '\n').replace(/^\s*\n/, '');
  return `${text.trimEnd()}\n\n${VERSION}: ${dashboardVersion}\n${keyLine(key)}\n`;
}

/**
 * Reads the message and the trailers of a commit's text; null trailers when another program made the commit.
 */
export function readCommitText(text: string): { message: string; trailers: CommitTrailers | null } {
  const found = TRAILERS.exec(text);
  if (found === null) return { message: text.trimEnd(), trailers: null };
  const [, version = '', key = ''] = found;
  return { message: text.slice(0, found.index), trailers: { dashboardVersion: Number(version), key } };
}

/** An author or committer. Git rejects line breaks, angle brackets, and names of punctuation only. */
export interface Ident {
  name: string;
  email: string;
}

// Git strips these characters from both ends of a name and an address (ident.c).
const CRUD = String.raw`[\s.,:;<>"\\']+`;
const CRUD_AT_ENDS = new RegExp(`^${CRUD}|${CRUD}$`, 'g');
const IDENT_MAX = 200;

function clean(text: string): string {
  const printable = text.replaceAll(/[\s\p{Cc}<>]+/gu, ' ');
  return printable.slice(0, IDENT_MAX).toWellFormed().replaceAll(CRUD_AT_ENDS, '');
}

/** Converts any name and address to an author that git accepts. */
export function toIdent({ name, email }: Ident): Ident {
  const address = clean(email).replaceAll(/\s/g, '');
  return { name: clean(name) || address || 'unknown', email: address || 'unknown' };
}

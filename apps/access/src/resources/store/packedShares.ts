import type { AccessLevel, ShareScope } from '@gatehouse/contract';
import type { ShareFacts } from '../../decisions/logic/access.js';

/**
 * The largest number of shares in the document of a resource. A list decides a hundred resources, so the
 * shares are also packed: one line of text for each costs less than a document for each, or than a filter in
 * the engine. See bench/README.md.
 */
export const PACKED_MAX = 200;
const SEPARATOR = ' ';
const NEVER = '-';

/** Returns a share as a line of text. */
function shareLine({ subject, scope, role, expiresAt, id }: ShareFacts): string {
  return [subject, scope, role, expiresAt === null ? NEVER : expiresAt.getTime(), id].join(SEPARATOR);
}

/**
 * Returns the shares as lines of text, in their order; undefined if there are too many to read with a list.
 */
export function packShares(shares: readonly ShareFacts[]): string | undefined {
  if (shares.length > PACKED_MAX) return undefined;
  return shares.map(shareLine).join('\n');
}

const subjectOf = (line: string) => line.slice(0, line.indexOf(SEPARATOR));

/** Returns true if a packed share reaches one of the subjects. */
export function hasPacked(packed: string, subjects: Pick<ReadonlySet<string>, 'has'>): boolean {
  return packed.split('\n').some((line) => subjects.has(subjectOf(line)));
}

/** Returns the packed shares that reach one of the subjects. */
export function unpackShares(packed: string, subjects: Pick<ReadonlySet<string>, 'has'>): ShareFacts[] {
  const shares: ShareFacts[] = [];
  if (packed === '') return shares;
  for (const line of packed.split('\n')) {
    if (!subjects.has(subjectOf(line))) continue;
    const [subject = '', scope, role, expiry, id = ''] = line.split(SEPARATOR);
    const expiresAt = expiry === NEVER ? null : new Date(Number(expiry));
    shares.push({ id, scope: scope as ShareScope, role: role as AccessLevel, subject, expiresAt });
  }
  return shares;
}

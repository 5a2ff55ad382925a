import type { AccessLevel, ShareScope } from '@gatehouse/contract';
import type { ShareFacts } from '../logic/facts.js';

/**
 * A list decides a hundred resources. Reading their shares as documents, or having the engine filter them, costs as much
 * as all the rest of the list; one line of text a share costs next to nothing.
 */
const PACKED_MAX = 200;
const SEPARATOR = ' ';
const NEVER = '-';

/** The shares as lines of text, in their order; undefined when there are too many to read along with a list. */
export function packShares(shares: readonly ShareFacts[]): string | undefined {
  if (shares.length > PACKED_MAX) return undefined;
  const lines = shares.map(({ subject, scope, role, expiresAt, id }) =>
    [subject, scope, role, expiresAt === null ? NEVER : expiresAt.getTime(), id].join(SEPARATOR),
  );
  return lines.join('\n');
}

/** Those of the packed shares that reach one of the subjects. */
export function unpackShares(packed: string, subjects: ReadonlySet<string>): ShareFacts[] {
  const shares: ShareFacts[] = [];
  if (packed === '') return shares;
  for (const line of packed.split('\n')) {
    if (!subjects.has(line.slice(0, line.indexOf(SEPARATOR)))) continue;
    const [subject = '', scope, role, expiry, id = ''] = line.split(SEPARATOR);
    const expiresAt = expiry === NEVER ? null : new Date(Number(expiry));
    shares.push({ id, scope: scope as ShareScope, role: role as AccessLevel, subject, expiresAt });
  }
  return shares;
}

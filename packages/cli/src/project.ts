import type { Account } from './credentials.js';
import { usageError } from './failures.js';

interface Subject {
  projectId: string;
  /** Null for the project itself. */
  userId: string | null;
}

/**
 * The subject of an account. The claims of a token are only read, to name it: Gatehouse alone verifies them.
 *
 * @throws CommandError for an invalid token
 */
export function subjectOf({ access }: Account): Subject {
  if (!('accessToken' in access)) {
    const { projectId, orgUserId, endUserId } = access;
    return { projectId, userId: orgUserId ?? endUserId ?? null };
  }
  const { projectId, orgUserId, tenantUserId } = readClaims(access.accessToken);
  if (typeof projectId !== 'string') throw usageError('GATEHOUSE_TOKEN is no access token');
  const userId = orgUserId ?? tenantUserId;
  return { projectId, userId: typeof userId === 'string' ? userId : null };
}

/** The claims of a token, unverified; none for an invalid token. */
export function readClaims(token: string): Record<string, unknown> {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** The project of an account. */
export function projectOf(account: Account): string {
  return subjectOf(account).projectId;
}

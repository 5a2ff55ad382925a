/** A claim to an idempotency key, as far as the next request depends on it. */
export interface ClaimFacts {
  requestHash: string;
  leaseUntil: Date;
  expiresAt: Date;
  isAnswered: boolean;
  /** Given up without an answer. */
  isReleased: boolean;
}

/**
 * What becomes of a request whose key was claimed before. An answer is kept until it expires; an attempt that neither
 * answered nor gave up within its lease has died, and the key is free for the same request. One that gave up leaves it free
 * for any.
 */
export function judgeClaim(
  claim: ClaimFacts,
  requestHash: string,
  now: Date,
): 'free' | 'mismatch' | 'answered' | 'running' {
  if (claim.expiresAt <= now || claim.isReleased) return 'free';
  if (claim.requestHash !== requestHash) return 'mismatch';
  if (claim.isAnswered) return 'answered';
  return claim.leaseUntil <= now ? 'free' : 'running';
}

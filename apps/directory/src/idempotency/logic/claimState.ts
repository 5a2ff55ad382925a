/** The facts about a claim to an idempotency key that decide the outcome of the next request. */
export interface ClaimFacts {
  /** Whether the claim is for the same body. */
  isSameRequest: boolean;
  /** Whether the caller had the same rights as now. */
  isSameCaller: boolean;
  leaseUntil: Date;
  expiresAt: Date;
  isAnswered: boolean;
  /** Whether the attempt released the claim without a response. */
  isReleased: boolean;
}

/**
 * Decides the outcome of a request whose key was claimed before.
 *
 * - A response is kept until it expires. It is valid only for the rights that the caller had: with other
 *   rights, the request is decided again.
 * - An attempt that neither responded nor released its claim within its lease has crashed. The key is free
 *   for the same request.
 * - An attempt that released its claim leaves the key free for any request.
 */
export function claimStateOf(
  claim: ClaimFacts,
  now: Date,
): 'free' | 'mismatch' | 'answered' | 'changed' | 'running' {
  if (claim.expiresAt <= now || claim.isReleased) return 'free';
  if (!claim.isSameRequest) return 'mismatch';
  if (claim.isAnswered) return claim.isSameCaller ? 'answered' : 'changed';
  return claim.leaseUntil <= now ? 'free' : 'running';
}

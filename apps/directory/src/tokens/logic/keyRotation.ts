const HOUR_MS = 3_600_000;
/** The longest lifetime of a token, in seconds. */
const TOKEN_LIFETIME_MAX_SECONDS = 86_400;
/** Covers processes that still sign with a key that they read shortly before, and clocks that differ. */
const RETIREMENT_MARGIN_MS = HOUR_MS;

/** Whether a signing key is old enough to be replaced. With 0 hours, keys are never rotated. */
export function isDueForRotation(createdAt: Date, now: Date, rotationHours: number): boolean {
  return rotationHours > 0 && now.getTime() - createdAt.getTime() >= rotationHours * HOUR_MS;
}

/** The moment such that all tokens of a key that stopped signing earlier have expired. */
export function retiredBefore(now: Date): Date {
  return new Date(now.getTime() - TOKEN_LIFETIME_MAX_SECONDS * 1000 - RETIREMENT_MARGIN_MS);
}

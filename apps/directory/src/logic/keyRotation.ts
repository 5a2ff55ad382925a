const HOUR_MS = 3_600_000;
/** The longest life of a token, in seconds. */
const TOKEN_LIFETIME_MAX_SECONDS = 86_400;
/** For processes that still sign with the key, having read it shortly before, and for clocks that differ. */
const RETIREMENT_MARGIN_MS = HOUR_MS;

/** Whether a signing key is old enough to be replaced. 0 hours say never. */
export function isDueForRotation(createdAt: Date, now: Date, rotationHours: number): boolean {
  return rotationHours > 0 && now.getTime() - createdAt.getTime() >= rotationHours * HOUR_MS;
}

/** A key that stopped signing before this moment has no living token left. */
export function retiredBefore(now: Date): Date {
  return new Date(now.getTime() - TOKEN_LIFETIME_MAX_SECONDS * 1000 - RETIREMENT_MARGIN_MS);
}

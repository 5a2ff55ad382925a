/** The expected seconds until the end by the speed so far; null while that is not known. */
export function remainingSeconds(done: number, total: number | null, elapsedMs: number): number | null {
  if (total === null || done <= 0 || elapsedMs < 1000) return null;
  return Math.round(((elapsedMs / done) * Math.max(0, total - done)) / 1000);
}

/** A duration as "about 2 minutes". */
export function describeDuration(seconds: number): string {
  if (seconds < 1) return 'less than a second';
  if (seconds === 1) return 'about a second';
  if (seconds < 90) return `about ${seconds} seconds`;
  if (seconds < 5400) return `about ${Math.round(seconds / 60)} minutes`;
  return `about ${Math.round(seconds / 3600)} hours`;
}

/**
 * How far something is that took `lastMs` the last time: a share in percent, and the expected seconds until
 * the end; null if that is not known, or if it takes longer this time.
 */
export function progressByLast(
  elapsedMs: number,
  lastMs: number | undefined,
): { percent: number; remaining: number | null } | null {
  if (lastMs === undefined || elapsedMs >= lastMs) return null;
  return {
    percent: Math.floor((elapsedMs / lastMs) * 100),
    remaining: remainingSeconds(elapsedMs, lastMs, elapsedMs),
  };
}

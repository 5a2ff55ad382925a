const INTERVAL_MS = 15_000;

/** Tells on standard error, now and then, how far a long comparison is. Of one that is soon over it tells nothing. */
export function tellProgress(what: string, total: number): (done: number) => void {
  let toldAtMs = performance.now();
  return (done) => {
    if (performance.now() - toldAtMs < INTERVAL_MS) return;
    toldAtMs = performance.now();
    process.stderr.write(`${what}: ${done} of ${total} queries compared\n`);
  };
}

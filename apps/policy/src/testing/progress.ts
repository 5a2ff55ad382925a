const INTERVAL_MS = 15_000;

/** Reports the progress of a long comparison on standard error; nothing for a short one. */
export function reportProgress(what: string, total: number): (done: number) => void {
  let reportedAtMs = performance.now();
  return (done) => {
    if (performance.now() - reportedAtMs < INTERVAL_MS) return;
    reportedAtMs = performance.now();
    process.stderr.write(`${what}: ${done} of ${total} queries compared\n`);
  };
}

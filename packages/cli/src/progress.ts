import type { Terminal } from './terminal.js';

/** One line that shows progress on a terminal. */
export interface Progress {
  show(done: number, total: number): void;
  /** Removes the line. */
  end(): void;
}

/** Before that, the speed so far is no measure of the rest. */
const FIRST_ESTIMATE_MS = 1000;

/** The remaining time at the speed so far, in words; empty while it is unknown. */
export function remainingTime(elapsedMs: number, done: number, total: number): string {
  if (elapsedMs < FIRST_ESTIMATE_MS || done === 0 || done >= total) return '';
  const seconds = Math.ceil(((elapsedMs / done) * (total - done)) / 1000);
  return seconds < 120 ? `, about ${seconds} s left` : `, about ${Math.ceil(seconds / 60)} min left`;
}

export function startProgress({ isErrorWatched, writeError }: Terminal, what: string): Progress {
  const startMs = performance.now();
  let isShown = false;
  return {
    show(done, total) {
      if (!isErrorWatched) return;
      const rest = remainingTime(performance.now() - startMs, done, total);
      // The line may become shorter: its end is cleared (ECMA-48, EL).
      writeError(`\r${what}: ${done} of ${total}${rest}\u001b[K`);
      isShown = true;
    },
    end() {
      // Returns to the beginning of the line and clears it.
      if (isShown) writeError('\r\u001b[K');
      isShown = false;
    },
  };
}

import type { Terminal } from './terminal.js';

/** One line that shows progress on a terminal. */
export interface Progress {
  show(done: number, total: number): void;
  /** Removes the line. */
  end(): void;
}

export function startProgress({ isErrorWatched, writeError }: Terminal, what: string): Progress {
  let isShown = false;
  return {
    show(done, total) {
      if (!isErrorWatched) return;
      writeError(`\r${what}: ${done} of ${total}`);
      isShown = true;
    },
    end() {
      // Returns to the beginning of the line and clears it (ECMA-48, EL).
      if (isShown) writeError('\r\u001b[K');
      isShown = false;
    },
  };
}

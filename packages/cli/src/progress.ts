import type { Terminal } from './terminal.js';

/** One line that tells how far something is, where a person watches. */
export interface Progress {
  show(done: number, total: number): void;
  /** Takes the line away. */
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
      // Back to the beginning, and the line is cleared (ECMA-48, EL).
      if (isShown) writeError('\r\u001b[K');
      isShown = false;
    },
  };
}

/** Counts the calls in flight, so that a shutdown can wait for them. */
export interface Activity {
  /** Counts a call as in flight. Returns false once `close` was called. */
  enter(): boolean;
  leave(): void;
  /** Rejects all further calls. */
  close(): void;
  readonly inFlight: number;
  /** Resolves when no call is in flight, or after `timeoutMs`. */
  idle(timeoutMs: number): Promise<void>;
}

export function createActivity(): Activity {
  let inFlight = 0;
  let isClosed = false;
  let onIdle: (() => void)[] = [];
  return {
    get inFlight() {
      return inFlight;
    },
    enter() {
      if (!isClosed) inFlight += 1;
      return !isClosed;
    },
    leave() {
      inFlight -= 1;
      if (inFlight > 0) return;
      for (const resolve of onIdle) resolve();
      onIdle = [];
    },
    close() {
      isClosed = true;
    },
    async idle(timeoutMs) {
      if (inFlight === 0) return;
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, timeoutMs);
      });
      await Promise.race([timeout, new Promise<void>((resolve) => onIdle.push(resolve))]);
      clearTimeout(timer);
    },
  };
}

/** Counts the calls in progress, so that a stop can wait for them. */
export interface Activity {
  /** Counts a call in. False once no more may begin. */
  enter(): boolean;
  leave(): void;
  /** From now on no call begins. */
  close(): void;
  readonly inFlight: number;
  /** Resolves once nothing is in progress, or after `timeoutMs`. */
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

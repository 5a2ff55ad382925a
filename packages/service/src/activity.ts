/** Counts the calls in progress, so that a stop can wait for them. */
export interface Activity {
  enter(): void;
  leave(): void;
  readonly inFlight: number;
  /** Resolves once nothing is in progress, or after `timeoutMs`. */
  idle(timeoutMs: number): Promise<void>;
}

export function createActivity(): Activity {
  let inFlight = 0;
  let onIdle: (() => void)[] = [];
  return {
    get inFlight() {
      return inFlight;
    },
    enter() {
      inFlight += 1;
    },
    leave() {
      inFlight -= 1;
      if (inFlight > 0) return;
      for (const resolve of onIdle) resolve();
      onIdle = [];
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

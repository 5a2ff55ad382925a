/** Aborts a request that takes too long, or that its caller cancels. */
export interface Deadline {
  /** For the request. */
  signal: AbortSignal;
  /** Whether it took too long. */
  hasPassed(): boolean;
  /** Restarts the time limit after progress. */
  renew(): void;
  /** The request has ended. */
  end(): void;
}

/** @param given the caller's own signal */
export function startDeadline(timeoutMs: number, given: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let hasPassed = false;
  const pass = () => {
    hasPassed = true;
    controller.abort();
  };
  const giveUp = () => controller.abort(given?.reason);
  let timer = setTimeout(pass, timeoutMs);
  if (given?.aborted) giveUp();
  given?.addEventListener('abort', giveUp);
  return {
    signal: controller.signal,
    hasPassed: () => hasPassed,
    renew() {
      clearTimeout(timer);
      timer = setTimeout(pass, timeoutMs);
    },
    end() {
      clearTimeout(timer);
      given?.removeEventListener('abort', giveUp);
    },
  };
}

/** Resolves like the promise, unless the caller's signal aborts first: then rejects with its reason. */
export async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  signal.throwIfAborted();
  let stopListening = () => {};
  const aborted = new Promise<never>((_, reject) => {
    const giveUp = () => reject(signal.reason);
    signal.addEventListener('abort', giveUp);
    stopListening = () => signal.removeEventListener('abort', giveUp);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    stopListening();
  }
}

/** Rejects with the signal's reason if it aborts first. */
export async function wait(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await untilAborted(new Promise<void>((resolve) => (timer = setTimeout(resolve, delayMs))), signal);
  } finally {
    clearTimeout(timer);
  }
}

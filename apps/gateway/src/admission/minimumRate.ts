/** The minimum rates at which a body must arrive and a response must be read after the grace period. */
const BODY_BYTES_PER_SECOND = 1024;
const RESPONSE_BYTES_PER_SECOND = 16 * 1024;
const BODY_GRACE_MS = 5000;
const RESPONSE_GRACE_MS = 30_000;
const CHECK_MS = 500;

interface WatchedBody {
  startedMs: number;
  bytes: number;
  onSlow: () => void;
}

/** A body that is being read. */
export interface BodyWatch {
  /** Counts received bytes. */
  count(bytes: number): void;
  /** Ends the watch. */
  end(): void;
}

/** Watches, with one timer, the bodies that are being read and reports each below the minimum rate. */
export class BodyRates {
  readonly #watched = new Set<WatchedBody>();
  #timer: NodeJS.Timeout | null = null;

  /** Starts to watch a body. `onSlow` is called at most once. */
  watch(onSlow: () => void): BodyWatch {
    const body = { startedMs: performance.now(), bytes: 0, onSlow };
    this.#watched.add(body);
    this.#timer ??= setInterval(() => this.#check(), CHECK_MS).unref();
    return {
      count(bytes) {
        body.bytes += bytes;
      },
      end: () => this.#end(body),
    };
  }

  #check(): void {
    const now = performance.now();
    for (const body of this.#watched) {
      const seconds = (now - body.startedMs - BODY_GRACE_MS) / 1000;
      if (seconds < 0 || body.bytes >= seconds * BODY_BYTES_PER_SECOND) continue;
      this.#end(body);
      body.onSlow();
    }
  }

  #end(body: WatchedBody): void {
    this.#watched.delete(body);
    if (this.#watched.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}

/** Returns the longest time that a caller may take to read `bytes` of a response, in milliseconds. */
export function readingTimeMs(bytes: number): number {
  return RESPONSE_GRACE_MS + (bytes / RESPONSE_BYTES_PER_SECOND) * 1000;
}

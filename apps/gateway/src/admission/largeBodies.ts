import { FairShares } from '@gatehouse/service';

/** Larger bodies are rate-limited, because parsing one occupies the process for a noticeable time. */
export const LARGE_BODY_BYTES = 256 * 1024;
/** The rate at which large bodies of one organization are parsed. */
const BYTES_PER_SECOND = 2 * 1024 * 1024;
const ORGANIZATIONS = 64;
const WAITING = 64;

/**
 * Rate-limits large bodies. One body of an organization is parsed at a time, and the next one starts after
 * the time that the bytes take at the permitted rate. Parsing runs on the main thread, which all
 * organizations share.
 */
export class LargeBodies {
  readonly #shares: FairShares;

  /** `waitMs` is the longest time that a body waits. */
  constructor(waitMs: number) {
    const limits = { capacity: ORGANIZATIONS, perShare: 1, waitingPerShare: WAITING, waiting: Infinity };
    this.#shares = new FairShares({ ...limits, waitMs });
  }

  /**
   * Waits until a large body may be parsed; a small body never waits. Resolves to the function to call
   * afterwards.
   *
   * @throws RATE_LIMITED when too many bodies of the share wait, or this one has waited too long
   */
  async enter(share: string, bytes: number): Promise<() => void> {
    if (bytes <= LARGE_BODY_BYTES) return () => {};
    const leave = await this.#shares.acquire(share);
    return () => void setTimeout(leave, (bytes / BYTES_PER_SECOND) * 1000).unref();
  }
}

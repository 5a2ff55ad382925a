import { FairShares } from '@gatehouse/service';
import type { Caller } from './caller.js';

/** Larger bodies are rate-limited, because parsing one occupies the process for a noticeable time. */
export const LARGE_BODY_BYTES = 256 * 1024;
/** For a caller without a token: several times the values of a token. */
const UNAUTHENTICATED_BODY_BYTES = 32 * 1024;
/** The rate at which the large bodies of one of them are parsed. */
const BYTES_PER_SECOND = 2 * 1024 * 1024;
const ORGANIZATIONS = 64;
const WAITING = 64;

/**
 * Rate-limits large bodies. One body of an organization, or of an address without a token, is parsed at a
 * time, and the next one starts after the time that the bytes take at the permitted rate. Parsing runs on the
 * main thread, which all organizations share.
 */
export class LargeBodies {
  readonly #shares: FairShares;
  /** Separate, so that callers at many addresses never occupy the places of organizations. */
  readonly #unauthenticated: FairShares;

  /** `waitMs` is the longest time that a body waits. */
  constructor(waitMs: number) {
    const limits = { capacity: ORGANIZATIONS, perShare: 1, waitingPerShare: WAITING, waiting: Infinity };
    this.#shares = new FairShares({ ...limits, waitMs });
    this.#unauthenticated = new FairShares({ ...limits, waitMs });
  }

  /** Waits as `enter`: for the organization of a caller, or for its address. */
  async enterOf({ share, address }: Caller, bytes: number): Promise<() => void> {
    if (address === null) return this.enter(share, bytes);
    return bytes <= UNAUTHENTICATED_BODY_BYTES
      ? () => {}
      : this.#enter(this.#unauthenticated, address, bytes);
  }

  /**
   * Waits until a large body may be parsed; a small body never waits. Resolves to the function to call
   * afterwards.
   *
   * @throws RATE_LIMITED when too many bodies of the share wait, or this one has waited too long
   */
  async enter(share: string, bytes: number): Promise<() => void> {
    return bytes <= LARGE_BODY_BYTES ? () => {} : this.#enter(this.#shares, share, bytes);
  }

  async #enter(shares: FairShares, share: string, bytes: number): Promise<() => void> {
    const leave = await shares.acquire(share);
    return () => void setTimeout(leave, (bytes / BYTES_PER_SECOND) * 1000).unref();
  }
}

import { AppError } from '@gatehouse/contract';
import type { Caller } from './caller.js';

export interface ByteLimits {
  /** Bytes held for all callers together. */
  total: number;
  /** Bytes held for one organization, or for all callers without one. */
  perShare: number;
  /** Bytes held for the callers without an organization at one address. */
  perAddress: number;
}

/** Up to an eighth of its limit, a share is never rejected because of the bytes that others hold. */
const RESERVED_PARTS = 8;

/** Bounds, for each caller, the memory of waiting request bodies or of unread responses. */
export class ByteBudget {
  readonly #limits: ByteLimits;
  readonly #held = new Map<string, number>();
  #total = 0;

  constructor(limits: ByteLimits) {
    this.#limits = limits;
  }

  /** The number of bytes held. */
  get held(): number {
    return this.#total;
  }

  /**
   * Returns the error for a caller that may hold no further bytes, otherwise null. The error is
   * RATE_LIMITED if the limit of the caller is reached, and UNAVAILABLE if the total is.
   */
  refusalOf({ share, address }: Caller): AppError | null {
    const { total, perShare, perAddress } = this.#limits;
    const isOver = (key: string, limit: number) => (this.#held.get(key) ?? 0) >= limit;
    const retry = { retryAfterSeconds: 1 };
    if (isOver(share, perShare) || (address !== null && isOver(address, perAddress)))
      return new AppError('RATE_LIMITED', retry);
    const isWithinReserve = !isOver(share, perShare / RESERVED_PARTS);
    return this.#total >= total && !isWithinReserve ? new AppError('UNAVAILABLE', retry) : null;
  }

  /** Adds to the bytes that a caller holds. */
  take({ share, address }: Caller, bytes: number): void {
    this.#total += bytes;
    this.#add(share, bytes);
    if (address !== null) this.#add(address, bytes);
  }

  /** Subtracts from the bytes that a caller holds. */
  give(caller: Caller, bytes: number): void {
    this.take(caller, -bytes);
  }

  #add(key: string, bytes: number): void {
    const held = (this.#held.get(key) ?? 0) + bytes;
    if (held === 0) this.#held.delete(key);
    else this.#held.set(key, held);
  }
}

/**
 * Tells which deliveries their senders have left behind. Whoever sends one holds a lease, which has no time in it: it is the same
 * until the attempt has ended, and an attempt cannot take as long as a lease may stand. So who has seen one for that long, by
 * a clock that nobody sets, knows that its sender is no more, and no clock that was moved makes two send at once.
 */
export class LeaseWatch {
  readonly #standsMs: number;
  #seenAt = new Map<string, number>();

  constructor(standsMs: number) {
    this.#standsMs = standsMs;
  }

  /**
   * Takes the leases that there are, and gives those that have stood too long.
   *
   * @param nowMs of a clock that only goes forward
   */
  findAbandoned<L extends { leaseId: string }>(leases: readonly L[], nowMs: number): L[] {
    this.#seenAt = new Map(leases.map(({ leaseId }) => [leaseId, this.#seenAt.get(leaseId) ?? nowMs]));
    return leases.filter(({ leaseId }) => nowMs - (this.#seenAt.get(leaseId) ?? nowMs) >= this.#standsMs);
  }
}

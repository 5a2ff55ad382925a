/**
 * Finds the deliveries of processes that died. The sender of a delivery holds a lease, which contains no
 * time: its id stays the same until the attempt ends, and an attempt ends well before a lease may stand. A
 * process that has seen the same lease for that long, by a monotonic clock, knows that the sender died. So a
 * changed system clock never makes two processes send the same delivery.
 */
export class LeaseWatch {
  readonly #standsMs: number;
  #seenAt = new Map<string, number>();

  constructor(standsMs: number) {
    this.#standsMs = standsMs;
  }

  /**
   * Takes the current leases and returns those that have stood too long.
   *
   * @param nowMs the time of a monotonic clock
   */
  findAbandoned<L extends { leaseId: string }>(leases: readonly L[], nowMs: number): L[] {
    this.#seenAt = new Map(leases.map(({ leaseId }) => [leaseId, this.#seenAt.get(leaseId) ?? nowMs]));
    return leases.filter(({ leaseId }) => nowMs - (this.#seenAt.get(leaseId) ?? nowMs) >= this.#standsMs);
  }
}

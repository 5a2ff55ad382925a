import type { WebhookDocument } from '../store/webhookDocuments.js';

/** What a webhook's attempts share with those of others. */
export interface LanePlace {
  organizationId: string;
  webhookId: string;
  host: string;
}

/** Attempts at once that go to one host, from one process. */
const HOST_SHARE = 4;

export function lanePlaceOf({ _id: webhookId, organizationId, url }: WebhookDocument): LanePlace {
  return { organizationId, webhookId, host: new URL(url).host };
}

function namesOf({ organizationId, host, webhookId }: LanePlace) {
  return { organization: organizationId, host: `host ${host}`, webhook: webhookId };
}

/** Counts the attempts that are being made: in all, of each organization, and to each host. */
export class DeliveryLanes {
  readonly #total: number;
  readonly #organizationShare: number;
  readonly #counts = new Map<string, number>();
  #taken = 0;

  /** Of `total`, one organization has half at most: however slow its receivers are, the others go on. */
  constructor(total: number) {
    this.#total = total;
    this.#organizationShare = Math.ceil(total / 2);
  }

  get isFull(): boolean {
    return this.#taken >= this.#total;
  }

  /** Takes a place; false when there is none. */
  enter(place: LanePlace): boolean {
    const { organization, host, webhook } = namesOf(place);
    const isAllowed =
      !this.isFull &&
      this.#countOf(organization) < this.#organizationShare &&
      this.#countOf(host) < HOST_SHARE;
    if (isAllowed) this.#add([organization, host, webhook], 1);
    return isAllowed;
  }

  leave(place: LanePlace): void {
    this.#add(Object.values(namesOf(place)), -1);
  }

  /** Whether something is being sent to the webhook. */
  isServing(webhookId: string): boolean {
    return this.#countOf(webhookId) > 0;
  }

  #countOf(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #add(names: readonly string[], change: 1 | -1): void {
    this.#taken += change;
    for (const name of names) {
      const count = this.#countOf(name) + change;
      if (count === 0) this.#counts.delete(name);
      else this.#counts.set(name, count);
    }
  }
}

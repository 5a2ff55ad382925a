/** The keys by which attempts of a webhook are counted. */
export interface LanePlace {
  organizationId: string;
  webhookId: string;
  host: string;
}

/**
 * The most concurrent attempts of one organization to one host, in one process. Other organizations have
 * their own share of the same host: many receivers may be behind one name.
 */
const HOST_SHARE = 4;

interface Webhook {
  _id: string;
  organizationId: string;
  url: string;
}

export function lanePlaceOf({ _id: webhookId, organizationId, url }: Webhook): LanePlace {
  return { organizationId, webhookId, host: new URL(url).host };
}

function namesOf({ organizationId, host, webhookId }: LanePlace) {
  return { organization: organizationId, host: `host ${organizationId} ${host}`, webhook: webhookId };
}

/** Counts the attempts in progress: in total, by organization, and by organization and host. */
export class DeliveryLanes {
  readonly #total: number;
  readonly #organizationShare: number;
  readonly #counts = new Map<string, number>();
  #taken = 0;

  /** One organization gets at most half of `total`, so that its slow receivers do not block the others. */
  constructor(total: number) {
    this.#total = total;
    this.#organizationShare = Math.ceil(total / 2);
  }

  get isFull(): boolean {
    return this.#taken >= this.#total;
  }

  /** Takes a lane; false when none is free. */
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

  /** Whether the webhook has an attempt in progress. */
  isServing(webhookId: string): boolean {
    return this.#countOf(webhookId) > 0;
  }

  /** Whether the organization has an attempt in progress. */
  isServingOrganization(organizationId: string): boolean {
    return this.#countOf(organizationId) > 0;
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

import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectCount, newKey, type Logger } from '@gatehouse/service';
import type { Dependencies, WebhookDocument } from '../dependencies.js';
import { DeliveryLanes, lanePlaceOf, type LanePlace } from './logic/lanes.js';
import { LeaseWatch } from './logic/leases.js';
import { isDue, waitingAt } from './logic/schedule.js';
import { recoverDelivery, retryDelaysOf, sendDelivery } from './sendDelivery.js';
import type { FirstWaiting } from './store.js';

/** The pause between two rounds, so that wakes in quick succession share one round. */
const GAP_MS = 20;
/** The time that an attempt needs beside its timeout: for the lease and for recording the result. */
const LEASE_SLACK_MS = 2000;
/** The time that a stop waits for attempts in progress. */
const STOP_WAIT_MS = 3000;

/**
 * Sends due deliveries. Any number of processes may share a database: each delivery is leased by one of them,
 * and the others recover the deliveries of a process that died. The queue is only in the database.
 */
export class DeliveryWorker {
  readonly #dependencies: Dependencies;
  readonly #log: Logger;
  /** Aborts attempts in progress. */
  readonly #stopping = new AbortController();
  readonly #lanes: DeliveryLanes;
  readonly #leases: LeaseWatch;
  readonly #delaysMs: readonly number[];
  readonly #running = new Set<Promise<void>>();
  #wake = new AbortController();
  /**
   * The webhook before the first one without a free lane: the next round starts there. Null when all have a
   * lane.
   */
  #crowdedAfter: string | null = null;
  #isEnding = false;
  #failures = 0;
  #recoveredAtMs = 0;
  #loop: Promise<void> = Promise.resolve();

  constructor(dependencies: Dependencies, log: Logger) {
    const { config } = dependencies;
    this.#dependencies = dependencies;
    this.#log = log;
    // Every attempt adds a listener, without a limit.
    setMaxListeners(0, this.#stopping.signal);
    this.#lanes = new DeliveryLanes(config.WEBHOOK_CONCURRENCY);
    this.#leases = new LeaseWatch(2 * config.WEBHOOK_TIMEOUT_MS + LEASE_SLACK_MS);
    this.#delaysMs = retryDelaysOf(config);
    for (const outcome of ['delivered', 'pending', 'failed']) expectCount('webhookAttempts', { outcome });
  }

  /** Aborts when attempts in progress must end. */
  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Starts the next round early. */
  wake(): void {
    this.#wake.abort();
  }

  /**
   * Starts due deliveries of these webhooks. Without a free lane, they wait for the next round. An
   * organization without attempts in progress does not wait behind organizations that have used up their
   * share.
   */
  serve(webhooks: readonly WebhookDocument[]): void {
    for (const webhook of webhooks) {
      const place = lanePlaceOf(webhook);
      if (this.#crowdedAfter === null || !this.#lanes.isServingOrganization(place.organizationId))
        this.#openLane(place);
    }
  }

  /** Leases no more deliveries, waits a while for attempts in progress, then aborts them. */
  async stop(): Promise<void> {
    this.#isEnding = true;
    this.wake();
    await this.#loop;
    const timer = setTimeout(() => this.#stopping.abort(), STOP_WAIT_MS);
    await Promise.all(this.#running);
    clearTimeout(timer);
    this.#stopping.abort();
  }

  async #run(): Promise<void> {
    while (!this.#isEnding) {
      this.#wake = new AbortController();
      await this.#round();
      const { signal } = this.#wake;
      await sleep(this.#dependencies.config.WEBHOOK_POLL_MS, undefined, { signal }).catch(() => {});
      await sleep(GAP_MS);
    }
  }

  async #round(): Promise<void> {
    try {
      await this.#recoverAbandoned();
      await this.#serveWaiting();
      this.#failures = 0;
    } catch (err) {
      this.#failures += 1;
      if (this.#failures === 1) this.#log.warn({ err }, 'deliveries cannot be looked for; tried again');
    }
  }

  async #recoverAbandoned(): Promise<void> {
    const nowMs = performance.now();
    if (nowMs - this.#recoveredAtMs < this.#dependencies.config.WEBHOOK_POLL_MS) return;
    this.#recoveredAtMs = nowMs;
    const leases = await this.#dependencies.deliveries.listLeased();
    for (const abandoned of this.#leases.findAbandoned(leases, nowMs))
      await recoverDelivery(this.#dependencies, abandoned);
  }

  async #serveWaiting(): Promise<void> {
    const start = this.#crowdedAfter ?? '';
    this.#crowdedAfter = null;
    await this.#serveRange(start);
    if (start !== '') await this.#serveRange('', start);
  }

  /** Opens a lane for each webhook with a due delivery, in the order of ids, while lanes are free. */
  async #serveRange(after: string, last?: string): Promise<void> {
    const { deliveries, now } = this.#dependencies;
    for (let before = after; !this.#isEnding;) {
      const first = await deliveries.findFirstWaiting(before);
      if (first === null || (last !== undefined && first.webhookId > last)) return;
      const needsLane = isDue(first.nextAttemptAt, waitingAt(this.#delaysMs, now()));
      const isServed =
        !needsLane || (await this.#serveFirst(first)) || this.#lanes.isServing(first.webhookId);
      if (!isServed) this.#crowdedAfter ??= before;
      before = first.webhookId;
      if (!this.#lanes.isFull) continue;
      this.#crowdedAfter ??= before;
      return;
    }
  }

  /** False when no lane is free. */
  async #serveFirst({ organizationId, webhookId }: FirstWaiting): Promise<boolean> {
    const { webhooks, deliveries, now } = this.#dependencies;
    const webhook = await webhooks.find(organizationId, webhookId);
    if (webhook?.isEnabled) return this.#openLane(lanePlaceOf(webhook));
    if (webhook === null) await deliveries.deleteOf(organizationId, webhookId);
    else await deliveries.failWaiting(organizationId, webhookId, now());
    return true;
  }

  #openLane(place: LanePlace): boolean {
    if (this.#isEnding || !this.#lanes.enter(place)) return false;
    const lane = this.#runLane(place)
      .catch((err: unknown) => this.#log.error({ err, webhookId: place.webhookId }, 'delivery broke off'))
      .finally(() => {
        this.#lanes.leave(place);
        this.#running.delete(lane);
        if (this.#crowdedAfter !== null) this.wake();
      });
    this.#running.add(lane);
    return true;
  }

  async #runLane(place: LanePlace): Promise<void> {
    const { organizationId, webhookId } = place;
    const { deliveries, now } = this.#dependencies;
    // Webhooks without a lane come first: then a lane ends after its attempt and opens no second one for its
    // webhook.
    const hasTurn = () => !this.#isEnding && this.#crowdedAfter === null;
    do {
      const leaseId = newKey();
      const due = { ...waitingAt(this.#delaysMs, now()), leaseId };
      const delivery = await deliveries.claimNext(organizationId, webhookId, due);
      if (delivery === null) return;
      // More deliveries may be due.
      if (hasTurn()) this.#openLane(place);
      const wasSent = await sendDelivery(this.#dependencies, { ...delivery, leaseId }, this.#stopping.signal);
      if (!wasSent) return;
    } while (hasTurn());
  }
}

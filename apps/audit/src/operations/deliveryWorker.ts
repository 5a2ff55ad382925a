import { setTimeout as sleep } from 'node:timers/promises';
import { expectCount, newKey, type Logger } from '@gatehouse/service';
import { isDue, waitingAt } from '../logic/deliverySchedule.js';
import type { FirstWaiting } from '../store/webhookDeliveries.js';
import type { WebhookDocument } from '../store/webhookDocuments.js';
import { DeliveryLanes, lanePlaceOf, type LanePlace } from './deliveryLanes.js';
import { LeaseWatch } from './deliveryLeases.js';
import { recoverDelivery, retryDelaysOf, sendDelivery } from './deliverySending.js';
import type { Webhooks } from './webhookContext.js';

/** Between two rounds, so that wakes in quick succession share one. */
const GAP_MS = 20;
/** What an attempt needs beside its time: to be taken and to be noted. */
const LEASE_SLACK_MS = 2000;
/** How long a stop waits for the attempts that are being made. */
const STOP_WAIT_MS = 3000;

/**
 * Sends what is due. Any number of processes may do so on one database: each delivery is taken by one of them, and what a
 * process leaves behind that dies is found by the others. Whatever waits does so in the database alone.
 */
export class DeliveryWorker {
  readonly #webhooks: Webhooks;
  readonly #log: Logger;
  readonly #stopping: AbortController;
  readonly #lanes: DeliveryLanes;
  readonly #leases: LeaseWatch;
  readonly #delaysMs: readonly number[];
  readonly #running = new Set<Promise<void>>();
  #wake = new AbortController();
  /** Behind which webhook the first one comes that found no room; the next round begins there. Null when all found some. */
  #crowdedAfter: string | null = null;
  #isEnding = false;
  #failures = 0;
  #recoveredAtMs = 0;
  #loop: Promise<void> = Promise.resolve();

  /** `stopping` is aborted when attempts that are being made have to end. */
  constructor(webhooks: Webhooks, log: Logger, stopping: AbortController) {
    const { config } = webhooks;
    this.#webhooks = webhooks;
    this.#log = log;
    this.#stopping = stopping;
    this.#lanes = new DeliveryLanes(config.WEBHOOK_CONCURRENCY);
    this.#leases = new LeaseWatch(2 * config.WEBHOOK_TIMEOUT_MS + LEASE_SLACK_MS);
    this.#delaysMs = retryDelaysOf(config);
    for (const outcome of ['delivered', 'pending', 'failed']) expectCount('webhookAttempts', { outcome });
  }

  start(): void {
    this.#loop = this.#run();
  }

  /** Says that something may be due. */
  wake(): void {
    this.#wake.abort();
  }

  /** Says that something is due for these webhooks. Where there is no room it waits for the next round. */
  serve(webhooks: readonly WebhookDocument[]): void {
    if (this.#crowdedAfter === null) for (const webhook of webhooks) this.#openLane(lanePlaceOf(webhook));
  }

  /** Takes nothing more, waits a while for the attempts that are being made, and then ends them. */
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
      await sleep(this.#webhooks.config.WEBHOOK_POLL_MS, undefined, { signal }).catch(() => {});
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
    if (nowMs - this.#recoveredAtMs < this.#webhooks.config.WEBHOOK_POLL_MS) return;
    this.#recoveredAtMs = nowMs;
    const leases = await this.#webhooks.deliveries.listLeased();
    for (const abandoned of this.#leases.findAbandoned(leases, nowMs))
      await recoverDelivery(this.#webhooks, abandoned);
  }

  async #serveWaiting(): Promise<void> {
    const start = this.#crowdedAfter ?? '';
    this.#crowdedAfter = null;
    await this.#serveRange(start);
    if (start !== '') await this.#serveRange('', start);
  }

  /** Gives each webhook for which something is due a lane, in the order of ids, as long as there is room. */
  async #serveRange(after: string, last?: string): Promise<void> {
    const { deliveries, now } = this.#webhooks;
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

  /** False when there was no room. */
  async #serveFirst({ organizationId, webhookId }: FirstWaiting): Promise<boolean> {
    const { webhooks, deliveries, now } = this.#webhooks;
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
    const { deliveries, now } = this.#webhooks;
    // Who waits for room comes first: then a lane ends with its attempt, and no other is opened for the same webhook.
    const hasTurn = () => !this.#isEnding && this.#crowdedAfter === null;
    do {
      const leaseId = newKey();
      const due = { ...waitingAt(this.#delaysMs, now()), leaseId };
      const delivery = await deliveries.claimNext(organizationId, webhookId, due);
      if (delivery === null) return;
      // Where there is one there may be more.
      if (hasTurn()) this.#openLane(place);
      const wasSent = await sendDelivery(this.#webhooks, { ...delivery, leaseId }, this.#stopping.signal);
      if (!wasSent) return;
    } while (hasTurn());
  }
}

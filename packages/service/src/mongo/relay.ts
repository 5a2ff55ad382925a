import { setTimeout as sleep } from 'node:timers/promises';
import type { Collection } from 'mongodb';
import type { EventBus } from '../events/bus.js';
import { settleWithin } from '../events/delivery.js';
import type { Logger } from '../log.js';
import type { OutboxDocument } from './outbox.js';
import { clear, countPending, eventsOf, findPending, PENDING, type Pending } from './pendingEvents.js';

export interface RelayOptions {
  collections: Collection<OutboxDocument>[];
  bus: EventBus;
  log: Logger;
}

export interface Relay {
  /**
   * Reports that a collection may have events to publish, so that they do not wait for the next full round.
   */
  wake(collection: string): void;
  /** How long the oldest unpublished event has waited, in milliseconds. 0 if there is none. */
  ageMs(): Promise<number>;
  /** The number of unpublished events. Counts at most the first 10,000 documents of each collection. */
  countEvents(): Promise<number>;
  /** Publishes pending events, for at most `timeoutMs`, and stops. */
  stop(timeoutMs: number): Promise<void>;
}

/** Between two rounds, so that writes in quick succession share one. */
const GAP_MS = 40;
/** The interval of full rounds, which read every collection and so find the events of a process that died. */
const IDLE_MS = 3000;
const RETRY_MAX_MS = 2000;
/**
 * In process a round waits for consumers, and those for their dependencies. It may overlap the next round,
 * because events are deduplicated by id.
 */
const ROUND_TIMEOUT_MS = 20_000;

/** The most documents that are left out of a round. */
const STUCK_MAX = 10_000;

/**
 * The documents of a collection with an event that the bus rejects. Later rounds leave them out: otherwise a
 * thousand of them would be all that a round reads. The next start of the process tries them again.
 */
type Stuck = Set<string>;

/** Publishes the events of each document separately. Returns the documents whose events the bus accepted. */
async function publishApart(
  documents: Pending[],
  { bus, log }: RelayOptions,
  stuck: Stuck,
): Promise<Pending[]> {
  const published: Pending[] = [];
  for (const document of documents) {
    try {
      await bus.publish(eventsOf([document]));
      published.push(document);
    } catch (err) {
      if (!(err instanceof TypeError)) throw err;
      if (stuck.size < STUCK_MAX) stuck.add(document._id);
      log.error({ err, document: document._id }, 'an event cannot be published and stays in its document');
    }
  }
  return published;
}

/** What a round has published: nothing, all events, or as much as fits into one round. */
type Round = 'nothing' | 'all' | 'full';

async function relayBatch(
  collection: Collection<OutboxDocument>,
  options: RelayOptions,
  stuck: Stuck,
): Promise<Round> {
  const { documents, isFull } = await findPending(collection, stuck);
  if (documents.length === 0) return 'nothing';
  let published = documents;
  try {
    await options.bus.publish(eventsOf(documents));
  } catch (err) {
    // The bus rejects a batch that contains a malformed or too large event. The other events must not wait
    // for it.
    if (!(err instanceof TypeError)) throw err;
    published = await publishApart(documents, options, stuck);
  }
  if (published.length === 0) return 'nothing';
  await clear(collection, published);
  return isFull ? 'full' : 'all';
}

/** An interruptible pause. */
class Pause {
  #end: () => void = () => {};

  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#end = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  end(): void {
    this.#end();
  }
}

class OutboxRelay implements Relay {
  readonly #options: RelayOptions;
  readonly #names: ReadonlySet<string>;
  readonly #pause = new Pause();
  /** The collections that were written to since their last round. */
  readonly #written = new Set<string>();
  readonly #stuck: Record<string, Stuck>;
  readonly #running: Promise<void>;
  #isStopping = false;
  #failures = 0;
  /** The time of the last full round. */
  #lookedAtAllMs = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
    this.#names = new Set(options.collections.map(({ collectionName }) => collectionName));
    this.#stuck = Object.fromEntries([...this.#names].map((name) => [name, new Set()]));
    this.#running = this.#run();
  }

  wake(collection: string): void {
    if (!this.#names.has(collection)) return;
    this.#written.add(collection);
    // While the bus is down, the pause grows. An early round for each write would only fail again.
    if (this.#failures === 0) this.#pause.end();
  }

  async ageMs(): Promise<number> {
    const options = { sort: { 'outbox.time': 1 }, projection: { 'outbox.time': 1 } } as const;
    const find = (collection: Collection<OutboxDocument>) => collection.findOne(PENDING, options);
    const oldest = await Promise.all(this.#options.collections.map(find));
    const times = oldest.flatMap((document) => document?.outbox.map((event) => Date.parse(event.time)) ?? []);
    return times.length === 0 ? 0 : Date.now() - Math.min(...times);
  }

  async countEvents(): Promise<number> {
    const counts = await Promise.all(this.#options.collections.map(countPending));
    return counts.reduce((sum, number) => sum + number, 0);
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    this.#pause.end();
    await this.#running;
    const deadline = Date.now() + timeoutMs;
    try {
      const { bus, collections } = this.#options;
      while (Date.now() < deadline && bus.isUp() && (await this.#relay(collections)) !== 'nothing') continue;
    } catch (err) {
      this.#options.log.warn({ err }, 'stopped with unpublished events; the next start publishes them');
    }
  }

  /** Publishes one batch of each of these collections. */
  async #relay(collections: readonly Collection<OutboxDocument>[]): Promise<Round> {
    const rounds = await Promise.all(
      collections.map((collection) =>
        relayBatch(collection, this.#options, this.#stuck[collection.collectionName] ?? new Set()),
      ),
    );
    if (rounds.includes('full')) return 'full';
    return rounds.includes('all') ? 'all' : 'nothing';
  }

  async #run(): Promise<void> {
    while (!this.#isStopping) {
      const due = this.#takeDue();
      const round = await this.#relayOnce(due);
      if (this.#isStopping) return;
      // If a round is full, the next one follows immediately.
      if (round === 'full') for (const { collectionName } of due) this.#written.add(collectionName);
      else await this.#rest();
    }
  }

  async #rest(): Promise<void> {
    if (this.#failures > 0) await this.#pause.wait(Math.min(100 * 2 ** this.#failures, RETRY_MAX_MS));
    else if (this.#written.size === 0) await this.#pause.wait(IDLE_MS);
    if (!this.#isStopping) await sleep(GAP_MS);
  }

  /**
   * The collections that were written to. All of them if there was no write, after a failure, or when a full
   * round is due.
   */
  #takeDue(): readonly Collection<OutboxDocument>[] {
    const { collections } = this.#options;
    const written = collections.filter(({ collectionName }) => this.#written.has(collectionName));
    this.#written.clear();
    const nowMs = performance.now();
    const isTimeForAll = this.#lookedAtAllMs === 0 || nowMs - this.#lookedAtAllMs >= IDLE_MS;
    if (written.length > 0 && this.#failures === 0 && !isTimeForAll) return written;
    this.#lookedAtAllMs = nowMs;
    return collections;
  }

  async #relayOnce(due: readonly Collection<OutboxDocument>[]): Promise<Round> {
    const { log } = this.#options;
    try {
      let round: Round = 'nothing';
      const ending = this.#relay(due).then((found) => (round = found));
      if (!(await settleWithin(ending, ROUND_TIMEOUT_MS)))
        throw new Error('the round of the outbox relay timed out');
      if (this.#failures > 0) log.info('publishing events again');
      this.#failures = 0;
      return round;
    } catch (err) {
      this.#failures += 1;
      if (this.#failures === 1) log.warn({ err }, 'cannot publish events; retrying');
      return 'nothing';
    }
  }
}

/**
 * Starts to publish the events of documents, oldest first and those of one document in order, and removes
 * them once the bus has stored them. A process that dies in between publishes events again: delivery is at
 * least once.
 */
export function startRelay(options: RelayOptions): Relay {
  return new OutboxRelay(options);
}

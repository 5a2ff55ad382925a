import type { Collection, Db } from 'mongodb';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DeadLetter } from './events/bus.js';
import type { InProcessBus } from './events/inProcessBus.js';
import type { Logger } from './log.js';
import { offerGauge } from './observability/metrics.js';
import type { Stoppable } from './process.js';

/** A stored dead letter. */
export interface KeptLetter extends DeadLetter {
  /** The consumer and the event. */
  id: string;
}

/**
 * The result of a replay: the consumer handled the event, and the letter is deleted; it failed again; or no
 * process has taken the event yet.
 */
export type ReplayOutcome = 'handled' | 'failed' | 'waiting';

/** The dead letters of one bus, for an operator. */
export interface DeadLetterBox {
  /** Oldest first. */
  list(): Promise<KeptLetter[]>;
  /** Delivers the event to the consumer that gave it up, and to no other, at least once. */
  replay(letter: KeptLetter): Promise<ReplayOutcome>;
  /** Deletes a letter. */
  drop(letter: KeptLetter): Promise<void>;
  close(): Promise<void>;
}

interface StoredLetter extends DeadLetter {
  /** Equals `KeptLetter.id`. */
  _id: string;
  /** Set by an operator. The process that replays the letter removes it. */
  replayRequestedAt?: Date;
}

const POLL_MS = 1_000;
const OUTCOME_POLL_MS = 100;
/** Longer than the time limit of a handler plus one poll. */
const REPLAY_TIMEOUT_MS = 35_000;

function lettersOf(database: Db): Collection<StoredLetter> {
  return database.collection<StoredLetter>('deadLetters');
}

/** Stores the dead letters of the in-process bus. A repeated letter replaces the former one. */
export function storeDeadLetters(database: Db): (letter: DeadLetter) => Promise<void> {
  return async (letter) => {
    const _id = `${letter.consumer}:${letter.event.id}`;
    await lettersOf(database).replaceOne({ _id }, letter, { upsert: true });
  };
}

/**
 * Opens the dead letters of the in-process bus. Only the process that runs the bus can deliver its events. A
 * replay therefore marks the letter, and that process, or the next one that starts, finds the mark.
 */
export function openStoredLetters(database: Db, timeoutMs = REPLAY_TIMEOUT_MS): DeadLetterBox {
  const letters = lettersOf(database);
  return {
    async list() {
      const found = await letters.find({}, { sort: { time: 1, _id: 1 } }).toArray();
      return found.map(({ _id: id, event, consumer, reason, deliveries, time }) => ({
        id,
        event,
        consumer,
        reason,
        deliveries,
        time,
      }));
    },
    async replay({ id }) {
      await letters.updateOne({ _id: id }, { $set: { replayRequestedAt: new Date() } });
      const deadline = performance.now() + timeoutMs;
      while (performance.now() < deadline) {
        const letter = await letters.findOne({ _id: id }, { projection: { replayRequestedAt: 1 } });
        if (letter === null) return 'handled';
        if (letter.replayRequestedAt === undefined) return 'failed';
        await sleep(OUTCOME_POLL_MS);
      }
      return 'waiting';
    },
    async drop({ id }) {
      await letters.deleteOne({ _id: id });
    },
    async close() {},
  };
}

async function replayRequested(letters: Collection<StoredLetter>, bus: InProcessBus): Promise<void> {
  const requested = await letters.find({ replayRequestedAt: { $exists: true } }).toArray();
  for (const { _id, consumer, event } of requested) {
    const outcome = await bus.redeliver(consumer, event);
    // The mark stays, and the next poll tries again.
    if (outcome === 'not_consuming' || outcome === 'unavailable') continue;
    if (outcome === 'handled') {
      // A crash before this line delivers the event again, which at-least-once delivery permits.
      await letters.deleteOne({ _id });
      continue;
    }
    const again = { $set: { reason: outcome, time: new Date().toISOString() }, $inc: { deliveries: 1 } };
    await letters.updateOne({ _id }, { ...again, $unset: { replayRequestedAt: '' } });
  }
}

async function countLetters(letters: Collection<StoredLetter>) {
  const pipeline = [{ $group: { _id: '$consumer', value: { $sum: 1 } } }];
  const counts = await letters.aggregate<{ _id: string; value: number }>(pipeline).toArray();
  return counts.map(({ _id: consumer, value }) => ({ labels: { consumer }, value }));
}

/** Replays the marked letters until it is stopped. */
export function startReplays({
  database,
  bus,
  log,
}: {
  database: Db;
  bus: InProcessBus;
  log: Logger;
}): Stoppable {
  const letters = lettersOf(database);
  const stopping = new AbortController();
  let hasFailed = false;
  const run = async () => {
    while (!stopping.signal.aborted) {
      try {
        await replayRequested(letters, bus);
        hasFailed = false;
      } catch (err) {
        if (!hasFailed) log.warn({ err }, 'cannot replay dead letters; retrying');
        hasFailed = true;
      }
      await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  const withdrawGauge = offerGauge('deadLettersKept', () => countLetters(letters));
  return {
    async stop() {
      withdrawGauge();
      stopping.abort();
      await running;
    },
  };
}

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { CHAIN_START, headText, type AuditHead, type ChainTip, type CloudEvent } from '@gatehouse/contract';
import { retryOnConflict, toAppError, WriteConflict, type Logger, type Sealer } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';
import { chainEvents } from './logic/chain.js';
import type { LogStores } from './store/openStores.js';

export const ENTRY_CONTEXT = 'audit entry';
export const HEAD_CONTEXT = 'audit head';

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The end of a log. */
interface LogEnd {
  /** The last entry. */
  tip: ChainTip;
  /** The head as stored; null if it is missing or not the platform's, and may not be advanced. */
  head: AuditHead | null;
}

export interface AppenderParts {
  stores: LogStores;
  sealer: Pick<Sealer, 'sign' | 'judgeSignature'>;
  log: Pick<Logger, 'error'>;
}

interface Waiting {
  event: CloudEvent;
  resolve(): void;
  reject(reason: unknown): void;
}

/** A log while this process appends to it. */
interface OpenLog {
  organizationId: string;
  waiting: Waiting[];
}

/** The most events in one batch. */
const BATCH_MAX = 250;
/** How many ends of logs are remembered, and for how many milliseconds. */
const ENDS = { max: 10_000, ttl: 10_000 } as const;
/** For how many milliseconds the end is read again for each batch, after another process appended. */
const SHARED = { max: 10_000, ttl: 60_000 } as const;

/**
 * Appends events to the logs of their organizations. Concurrent events of a log share one write. An event is
 * recorded once, even if it is delivered several times. Any number of processes may append to the same log.
 *
 * The order of writes: the head of a new log, then entries, then the head again. Each entry has its own seal,
 * so entries of a process that died before it advanced the head are still recognized as the platform's. The
 * next append, or the redelivery of the unacknowledged event, advances the head past them. A head that is
 * missing or not the platform's stays unchanged: a new one would hide the tampering. So a head is only
 * replaced while it is exactly the one that was read, or was written last, and its entry is in the log.
 */
export class EntryAppender {
  readonly #parts: AppenderParts;
  readonly #open = new Map<string, OpenLog>();
  readonly #ends = new LRUCache<string, LogEnd>(ENDS);
  readonly #shared = new LRUCache<string, true>(SHARED);

  constructor(parts: AppenderParts) {
    this.#parts = parts;
  }

  /** Resolves when the event is in the log and the head of the log covers it. */
  append(event: CloudEvent): Promise<void> {
    const organizationId = event.organizationid;
    return new Promise((resolve, reject) => {
      const open = this.#open.get(organizationId);
      open?.waiting.push({ event, resolve, reject });
      if (open) return;
      const opened = { organizationId, waiting: [{ event, resolve, reject }] };
      this.#open.set(organizationId, opened);
      void this.#drain(opened);
    });
  }

  /** Appends the waiting events of a log, and those that arrive meanwhile, until none is left. */
  async #drain(open: OpenLog): Promise<void> {
    // Lets more events arrive: the bus delivers them one by one.
    await setImmediate();
    while (open.waiting.length > 0) await this.#appendBatch(open, open.waiting.splice(0, BATCH_MAX));
    this.#open.delete(open.organizationId);
  }

  /**
   * Appends a batch, and settles its events. If an event cannot be stored, it alone fails: the halves of the
   * batch are appended separately, down to that event. Otherwise the others would be given up with it.
   */
  async #appendBatch(open: OpenLog, batch: readonly Waiting[]): Promise<void> {
    const events = batch.map(({ event }) => event);
    try {
      await this.#appendAll(open, events);
      for (const { resolve } of batch) resolve();
    } catch (error) {
      if (batch.length === 1 || toAppError(error).code === 'UNAVAILABLE') {
        for (const { reject } of batch) reject(error);
        return;
      }
      const half = Math.ceil(batch.length / 2);
      for (const part of [batch.slice(0, half), batch.slice(half)]) await this.#appendBatch(open, part);
    }
  }

  async #appendAll(open: OpenLog, events: CloudEvent[]): Promise<void> {
    const { organizationId } = open;
    const { entries } = this.#parts.stores;
    let left = [...new Map(events.map((event) => [event.id, event])).values()];
    await retryOnConflict(async () => {
      const end = this.#ends.get(organizationId) ?? (await this.#readEnd(organizationId));
      // Until the batch is written, the end is not known.
      this.#ends.delete(organizationId);
      const added = this.#seal(end.tip, left);
      const count = added.length === 0 ? 0 : await entries.insert(organizationId, added);
      if (count < added.length) {
        // Another process appended first, or some events are already recorded.
        this.#shared.set(organizationId, true);
        const ids = left.map(({ id }) => id);
        const recorded = await entries.findRecorded(organizationId, ids);
        left = left.filter(({ id }) => !recorded.has(id));
        throw new WriteConflict();
      }
      const tip = added.at(-1)?.entry ?? end.tip;
      const entriesAdded = added.map(({ entry }) => entry);
      const head = await this.#advanceHead(organizationId, { ...end, tip }, entriesAdded);
      if (head?.sequence === tip.sequence) this.#remember(organizationId, { tip, head });
    });
  }

  /** If several processes append to the log, to read its end costs less than to insert in a wrong place. */
  #remember(organizationId: string, end: LogEnd): void {
    if (!this.#shared.has(organizationId)) this.#ends.set(organizationId, end);
  }

  #seal(tip: ChainTip, events: readonly CloudEvent[]) {
    const settings = { recordedAt: new Date().toISOString(), digest: sha256 };
    const { sealer } = this.#parts;
    return chainEvents(tip, events, settings).map((entry) => ({
      entry,
      seal: sealer.sign(entry.hash, ENTRY_CONTEXT),
    }));
  }

  #headAt(organizationId: string, { sequence, hash }: ChainTip) {
    const seal = this.#parts.sealer.sign(headText(organizationId, { sequence, hash }), HEAD_CONTEXT);
    return { sequence, hash, seal };
  }

  /**
   * Advances the head to the last entry. Returns the head; null if it may not be advanced. That is also so if
   * it is of another entry in the place of an added one: that entry was removed.
   */
  async #advanceHead(
    organizationId: string,
    { tip, head }: LogEnd,
    added: readonly ChainTip[],
  ): Promise<AuditHead | null> {
    const { stores, log } = this.#parts;
    for (let known = head; known !== null; known = await this.#readHead(organizationId)) {
      const { sequence, hash } = known;
      if (added.some((entry) => entry.sequence === sequence && entry.hash !== hash)) break;
      // Another process may have advanced it further.
      if (sequence >= tip.sequence) return known;
      const next = this.#headAt(organizationId, tip);
      if (await stores.heads.advance(organizationId, known, next)) return next;
    }
    log.error(
      { organizationId },
      'the head of an audit log is missing, was changed or covers removed entries; it is not overwritten',
    );
    return null;
  }

  /** Returns the head; null if it is missing or not the platform's. */
  async #readHead(organizationId: string): Promise<AuditHead | null> {
    const { stores, sealer } = this.#parts;
    const head = await stores.heads.find(organizationId);
    if (head === null) return null;
    const text = headText(organizationId, head);
    return sealer.judgeSignature(head.seal, text, HEAD_CONTEXT) === 'right' ? head : null;
  }

  /** Returns whether the log has the entry of a head. Otherwise it was removed. */
  async #isCovered(organizationId: string, { sequence, hash }: AuditHead): Promise<boolean> {
    if (sequence === CHAIN_START.sequence) return true;
    return (await this.#parts.stores.entries.findHash(organizationId, sequence)) === hash;
  }

  async #readEnd(organizationId: string): Promise<LogEnd> {
    const { stores } = this.#parts;
    // The head first: entries are written before the head that covers them.
    const early = await this.#readHead(organizationId);
    const tip = await stores.entries.findTip(organizationId);
    // The log may have been created between the two reads.
    const head = early ?? (await this.#readHead(organizationId));
    if (head !== null) {
      // Where entries were removed, the log continues after the last one of the head, so that the gap stays
      // visible.
      if (tip === null || tip.sequence <= head.sequence) return { tip: head, head };
      return { tip, head: (await this.#isCovered(organizationId, head)) ? head : null };
    }
    const isNew = tip === null && (await stores.heads.find(organizationId)) === null;
    if (!isNew) return { tip: tip ?? CHAIN_START, head };
    const first = this.#headAt(organizationId, CHAIN_START);
    await stores.heads.insert(organizationId, first);
    return { tip: CHAIN_START, head: first };
  }
}

import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { CHAIN_START, headText, type ChainTip, type CloudEvent } from '@gatehouse/contract';
import { countLookup, RecentMap, untilWritten, type Logger, type Sealer } from '@gatehouse/service';
import { chainEvents } from '../logic/hashChain.js';
import type { LogStores } from '../store/entriesStores.js';

export const ENTRY_CONTEXT = 'audit entry';
export const HEAD_CONTEXT = 'audit head';

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export interface AppenderParts {
  stores: LogStores;
  sealer: Pick<Sealer, 'sign' | 'judgeSignature'>;
  log: Pick<Logger, 'error'>;
}

/** The end of a log, and whether its head may be moved on. */
interface KnownEnd {
  tip: ChainTip;
  hasGoodHead: boolean;
}

interface Waiting {
  event: CloudEvent;
  resolve(): void;
  reject(reason: unknown): void;
}

/** As many go into one batch. */
const BATCH_MAX = 250;
/** Characters of the ids of the organizations whose ends are remembered. */
const REMEMBERED_CHARACTERS = 256 * 1024;

/**
 * Appends events to the logs of their organizations, those that come together in one write. An event is recorded once,
 * however often it comes. Any number of processes may append to the same log.
 *
 * The order of the writes: the head of a new log, then entries, then the head again. Entries are sealed one by one, so a
 * process that dies before it has moved the head on leaves entries behind that are known to be the platform's; whoever appends
 * next, or is given the same event again because nobody said that it was handled, moves the head on past them. A head that is
 * gone or is not the platform's is left as it is: a new one in its place would hide what was done to the log.
 */
export class EntryAppender {
  readonly #parts: AppenderParts;
  readonly #ends = new RecentMap<KnownEnd>(REMEMBERED_CHARACTERS);
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(parts: AppenderParts) {
    this.#parts = parts;
  }

  /** Resolves once the event is in the log and the head of the log is past it. */
  append(event: CloudEvent): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(event.organizationid);
      waiting?.push({ event, resolve, reject });
      if (waiting) return;
      this.#waiting.set(event.organizationid, [{ event, resolve, reject }]);
      void this.#drain(event.organizationid);
    });
  }

  /** Appends what waits for a log, and what comes meanwhile, until nothing does. */
  async #drain(organizationId: string): Promise<void> {
    // Others are about to come: events are handed out one by one.
    await setImmediate();
    for (;;) {
      const waiting = this.#waiting.get(organizationId) ?? [];
      if (waiting.length === 0) break;
      const batch = waiting.splice(0, BATCH_MAX);
      try {
        await this.#appendAll(
          organizationId,
          batch.map(({ event }) => event),
        );
        for (const { resolve } of batch) resolve();
      } catch (error) {
        this.#ends.delete(organizationId);
        for (const { reject } of batch) reject(error);
      }
    }
    this.#waiting.delete(organizationId);
  }

  async #appendAll(organizationId: string, events: CloudEvent[]): Promise<void> {
    const { entries } = this.#parts.stores;
    let left = [...new Map(events.map((event) => [event.id, event])).values()];
    await untilWritten(async () => {
      const known = this.#ends.get(organizationId);
      countLookup('log_ends', known !== undefined);
      const end = known ?? (await this.#readEnd(organizationId));
      const added = this.#seal(end.tip, left);
      const count = added.length === 0 ? 0 : await entries.insert(organizationId, added);
      if (count < added.length) {
        // Another process was faster, or has recorded some of them before.
        this.#ends.delete(organizationId);
        const ids = left.map(({ id }) => id);
        const recorded = await entries.findRecorded(organizationId, ids);
        left = left.filter(({ id }) => !recorded.has(id));
        return null;
      }
      const tip = added.at(-1)?.entry ?? end.tip;
      await this.#advanceHead(organizationId, { ...end, tip });
      if (end.hasGoodHead) this.#ends.set(organizationId, { ...end, tip });
      return true;
    });
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

  async #advanceHead(organizationId: string, { tip, hasGoodHead }: KnownEnd): Promise<void> {
    const { stores, log } = this.#parts;
    if (hasGoodHead) return stores.heads.advance(organizationId, this.#headAt(organizationId, tip));
    log.error({ organizationId }, 'the head of an audit log is gone or was changed; it is left as it is');
  }

  async #readEnd(organizationId: string): Promise<KnownEnd> {
    const { stores, sealer } = this.#parts;
    // The head first: entries come before the head that covers them.
    const early = await stores.heads.find(organizationId);
    const tip = await stores.entries.findTip(organizationId);
    if (early === null && tip === null) {
      await stores.heads.insert(organizationId, this.#headAt(organizationId, CHAIN_START));
      return { tip: CHAIN_START, hasGoodHead: true };
    }
    // The log may have begun between the two.
    const head = early ?? (await stores.heads.find(organizationId));
    const hasGoodHead =
      head !== null &&
      sealer.judgeSignature(head.seal, headText(organizationId, head), HEAD_CONTEXT) === 'right';
    if (!hasGoodHead) return { tip: tip ?? CHAIN_START, hasGoodHead };
    // Where entries are gone, the log goes on after the last that there was, and the gap stays to be seen.
    return { tip: tip === null || tip.sequence <= head.sequence ? head : tip, hasGoodHead };
  }
}

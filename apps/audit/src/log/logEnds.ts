import type { ChainTip } from '@gatehouse/contract';
import { countLookup } from '@gatehouse/service';
import { LRUCache } from 'lru-cache';

/** The end of a log, and whether its head may be advanced. */
export interface LogEnd {
  tip: ChainTip;
  hasGoodHead: boolean;
}

const ORGANIZATIONS_MAX = 10_000;

/** Caches the ends of logs. An append sets the new end, or deletes an end that may be stale. */
export class LogEnds {
  readonly #read: (organizationId: string) => Promise<LogEnd>;
  // Limited by the number of entries. An LRUCache with `max` would allocate all of them at once.
  readonly #cached = new LRUCache<string, LogEnd>({ maxSize: ORGANIZATIONS_MAX, sizeCalculation: () => 1 });

  constructor(read: (organizationId: string) => Promise<LogEnd>) {
    this.#read = read;
  }

  async get(organizationId: string): Promise<LogEnd> {
    const known = this.#cached.get(organizationId);
    countLookup('log_ends', known !== undefined);
    return known ?? this.#read(organizationId);
  }

  set(organizationId: string, end: LogEnd): void {
    this.#cached.set(organizationId, end);
  }

  delete(organizationId: string): void {
    this.#cached.delete(organizationId);
  }
}

import type { KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** The key that signs access tokens. */
export interface ActiveKey {
  kid: string;
  privateKey: KeyObject;
}

/**
 * How long a process may sign with a key that another process has retired. Verifiers accept such tokens: a
 * retired key verifies until its last token expires.
 */
const TTL_MS = 5000;

/** Caches the active key. */
export class ActiveKeyCache {
  readonly #keys = new LRUCache<'active', ActiveKey>({ max: 1, ttl: TTL_MS });

  /** Returns the cached key, or reads and caches it. */
  async get(read: () => Promise<ActiveKey>): Promise<ActiveKey> {
    const known = this.#keys.get('active');
    if (known) return known;
    const key = await read();
    this.#keys.set('active', key);
    return key;
  }

  clear(): void {
    this.#keys.clear();
  }
}

import type { KeyObject } from 'node:crypto';

/** The key that signs. */
export interface ActiveKey {
  kid: string;
  privateKey: KeyObject;
}

/** How long a process signs on with a key that another process has retired: such tokens verify as well. */
const REMEMBERED_MS = 5000;

/** The active key as this process last read it. */
export class ActiveKeyCache {
  #key: ActiveKey | undefined;
  #until = 0;

  find(now: Date): ActiveKey | undefined {
    return now.getTime() < this.#until ? this.#key : undefined;
  }

  remember(key: ActiveKey, now: Date): void {
    this.#key = key;
    this.#until = now.getTime() + REMEMBERED_MS;
  }

  forget(): void {
    this.#until = 0;
  }
}

interface Entry {
  sequence: number;
  hash: string;
  previousHash: string;
}

/** The result of following the hashes of an export from entry to entry. */
export interface LinkReport {
  count: number;
  /** The sequence of the first entry that does not follow the one before it; null if all do. */
  brokenAt: number | null;
  /** Whether the last entry is the one that the head names; null if there is no head. */
  hasHead: boolean | null;
}

/** Follows the hashes of a whole export, entry by entry. It does not verify seals, which need a key. */
export class LinkCheck {
  #count = 0;
  #brokenAt: number | null = null;
  #last: Entry | null = null;

  add(entry: Entry): void {
    const former = this.#last;
    const follows =
      former === null || (entry.sequence === former.sequence + 1 && entry.previousHash === former.hash);
    if (!follows) this.#brokenAt ??= entry.sequence;
    this.#count += 1;
    this.#last = entry;
  }

  end(head: { sequence: number; hash: string } | null): LinkReport {
    const last = this.#last;
    const hasHead = head === null ? null : last?.sequence === head.sequence && last.hash === head.hash;
    return { count: this.#count, brokenAt: this.#brokenAt, hasHead };
  }
}

import type { AuditEvent, AuditHead } from '../records/audit.js';
import { CHAIN_START, hashOf, type ChainTip, type Digest } from './entryHash.js';

/** The possible faults of a log. */
export type ChainFaultKind =
  /** It is not an entry: a field is missing or has another type. */
  | 'entryUnreadable'
  /** Its content was changed: it does not match its hash. */
  | 'hashWrong'
  /** It does not follow the entry before it. */
  | 'linkBroken'
  /** It was written without the key. */
  | 'sealWrong'
  /** Its key is unknown, so its author cannot be verified. */
  | 'sealKeyUnknown'
  /** It is not stored under the key of its event. */
  | 'keyWrong'
  | 'organizationWrong'
  /** Entries are missing, from this one on. */
  | 'entriesMissing'
  /** It occurs twice. */
  | 'sequenceRepeated'
  | 'headMissing'
  /** The head was written without the key. */
  | 'headSealWrong'
  | 'headSealKeyUnknown'
  /** The entry that the head names is a different one. */
  | 'headHashWrong'
  /** The log ends before its head. */
  | 'tailMissing'
  /** The number of entries differs from the number in the summary of an export. */
  | 'countWrong'
  /** The log is not the one that was verified earlier. */
  | 'earlierStateMissing';

export interface ChainFault {
  sequence: number;
  kind: ChainFaultKind;
}

/** An entry as it was found; what was not checked is absent. */
export interface FoundEntry {
  entry: AuditEvent | null;
  sequence: number;
  seal?: SealState;
  hasOwnKey?: boolean;
}

export type SealState = 'right' | 'wrong' | 'unknownKey';

/** The end of a log, with the result for its seal if that was checked. */
export interface FoundHead {
  head: AuditHead | null;
  seal?: SealState;
}

export interface ChainReport {
  organizationId: string;
  /** `unverifiable`: no fault was found, but keys are missing to verify all entries. */
  outcome: 'intact' | 'damaged' | 'unverifiable';
  entryCount: number;
  /** The last entry, to pass to a later verification; null in an empty log. */
  last: ChainTip | null;
  headSequence: number | null;
  faultCount: number;
  /** The first faults, in the order of the log. */
  faults: ChainFault[];
}

export interface ChainCheckOptions {
  digest: Digest;
  /** Whether the log must be complete; not so if entries were filtered out. */
  isWhole: boolean;
  /** The required number of entries, if it is known. */
  total?: number;
  /** An entry that existed at an earlier verification. */
  earlier?: ChainTip | undefined;
}

const FAULTS_MAX = 20;
const UNVERIFIABLE: readonly ChainFaultKind[] = ['sealKeyUnknown', 'headSealKeyUnknown'];

/**
 * Verifies one organization's log: add its entries in the order of their places, then read the report. If the
 * log grows meanwhile, read the head before the entries.
 */
export class ChainCheck {
  readonly #organizationId: string;
  readonly #found: FoundHead;
  readonly #options: ChainCheckOptions;
  readonly #faults: ChainFault[] = [];
  #faultCount = 0;
  #unverifiableCount = 0;
  #entryCount = 0;
  #last: { sequence: number; hash: string | null };
  #hasEarlier: boolean;

  constructor(organizationId: string, found: FoundHead, options: ChainCheckOptions) {
    this.#organizationId = organizationId;
    this.#found = found;
    this.#options = options;
    this.#last = options.isWhole ? CHAIN_START : { sequence: -1, hash: null };
    this.#hasEarlier = options.earlier === undefined || options.earlier.sequence === 0;
  }

  add({ entry, sequence, seal, hasOwnKey = true }: FoundEntry): void {
    this.#entryCount += 1;
    // Without a place of its own, it is reported after the previous entry.
    if (!Number.isSafeInteger(sequence)) return this.#note(this.#last.sequence, 'entryUnreadable');
    this.#checkPlace(sequence);
    if (seal === 'wrong') this.#note(sequence, 'sealWrong');
    if (seal === 'unknownKey') this.#note(sequence, 'sealKeyUnknown');
    if (!hasOwnKey) this.#note(sequence, 'keyWrong');
    if (entry === null) this.#note(sequence, 'entryUnreadable');
    else this.#checkContent(entry);
    this.#last = { sequence, hash: entry?.hash ?? null };
  }

  report(): ChainReport {
    const { earlier, total = this.#entryCount } = this.#options;
    this.#checkHead();
    if (total !== this.#entryCount) this.#note(this.#last.sequence, 'countWrong');
    if (!this.#hasEarlier && earlier) this.#note(earlier.sequence, 'earlierStateMissing');
    const isDamaged = this.#faultCount > this.#unverifiableCount;
    const { sequence, hash } = this.#last;
    return {
      organizationId: this.#organizationId,
      outcome: isDamaged ? 'damaged' : this.#faultCount > 0 ? 'unverifiable' : 'intact',
      entryCount: this.#entryCount,
      last: this.#entryCount === 0 || hash === null ? null : { sequence, hash },
      headSequence: this.#found.head?.sequence ?? null,
      faultCount: this.#faultCount,
      faults: this.#faults,
    };
  }

  #note(sequence: number, kind: ChainFaultKind): void {
    this.#faultCount += 1;
    if (UNVERIFIABLE.includes(kind)) this.#unverifiableCount += 1;
    if (this.#faults.length < FAULTS_MAX) this.#faults.push({ sequence, kind });
  }

  #checkPlace(sequence: number): void {
    const expected = this.#last.sequence + 1;
    if (sequence < expected) this.#note(sequence, 'sequenceRepeated');
    if (sequence > expected && this.#options.isWhole) this.#note(expected, 'entriesMissing');
  }

  #checkContent(entry: AuditEvent): void {
    const { sequence, hash, previousHash } = entry;
    const { head } = this.#found;
    const { digest, earlier } = this.#options;
    const isNext = sequence === this.#last.sequence + 1 && this.#last.hash !== null;
    if (isNext && previousHash !== this.#last.hash) this.#note(sequence, 'linkBroken');
    if (entry.organizationId !== this.#organizationId) this.#note(sequence, 'organizationWrong');
    if (hashOf(entry, digest) !== hash) this.#note(sequence, 'hashWrong');
    if (sequence === head?.sequence && hash !== head.hash) this.#note(sequence, 'headHashWrong');
    if (sequence === earlier?.sequence && hash === earlier.hash) this.#hasEarlier = true;
  }

  #checkHead(): void {
    const { head, seal } = this.#found;
    const { sequence } = this.#last;
    if (head === null || head.sequence < CHAIN_START.sequence) {
      if (this.#entryCount > 0 && this.#options.isWhole) this.#note(sequence, 'headMissing');
      return;
    }
    if (seal === 'wrong') this.#note(head.sequence, 'headSealWrong');
    if (seal === 'unknownKey') this.#note(head.sequence, 'headSealKeyUnknown');
    if (head.sequence === CHAIN_START.sequence && head.hash !== CHAIN_START.hash)
      this.#note(head.sequence, 'headHashWrong');
    if (head.sequence > sequence && this.#options.isWhole) this.#note(sequence + 1, 'tailMissing');
  }
}

import type { Restriction } from './restriction.js';
import { reasonOf, Refusal, refused } from './denials.js';

/**
 * The most columns that `*` expands to in one select list: PostgreSQL's MaxTupleAttributeNumber
 * (htup_details.h).
 */
const COLUMNS_MAX = 1664;
/** The most tables, subqueries and functions in one FROM clause, including those in joins. */
const FROM_ITEMS_MAX = 300;
/** The longest result of one restriction: statement, conditions and trace together, in UTF-16 units. */
const PRINTED_MAX = 4_194_304;
/** The most steps of work on one statement. A step is a column that is copied or a name that is compared. */
const STEPS_MAX = 5_000_000;
/** Hashing or comparing this many characters takes as long as one step. */
const CHARACTERS_PER_STEP = 64;
/** The most reasons that are reported for one statement. */
export const REASONS_MAX = 100;

/** The remaining budget of one statement. It bounds all work that can grow faster than the statement. */
export class Budget {
  #steps = STEPS_MAX;
  #printed = PRINTED_MAX;

  /** @throws {Refusal} TOO_LARGE if the statement exceeds its steps */
  spendSteps(count: number): void {
    this.#steps -= count;
    if (this.#steps < 0) throw new Refusal('TOO_LARGE', `more than ${STEPS_MAX} steps of work`);
  }

  /** As `spendSteps`, for a text that is hashed or compared. */
  spendCharacters(count: number): void {
    this.spendSteps(1 + count / CHARACTERS_PER_STEP);
  }

  /** @throws {Refusal} TOO_LARGE if the result is too long */
  spendPrinted(characters: number): void {
    this.#printed -= characters;
    if (this.#printed < 0) {
      throw new Refusal('TOO_LARGE', `the result has more than ${PRINTED_MAX} characters`);
    }
  }
}

/** @throws {Refusal} TOO_LARGE for a FROM clause with too many items */
export function checkFromItems(count: number): void {
  if (count <= FROM_ITEMS_MAX) return;
  throw new Refusal('TOO_LARGE', `more than ${FROM_ITEMS_MAX} tables in one FROM clause`);
}

/** @throws {Refusal} TOO_LARGE for a select list or a row with too many columns */
export function checkColumnCount(count: number): void {
  if (count <= COLUMNS_MAX) return;
  throw new Refusal('TOO_LARGE', `a select list with more than ${COLUMNS_MAX} columns`);
}

/** The result that replaces one above the size limit. */
export function refusalOfSize(bytesMax: number): Restriction {
  return refused([reasonOf('TOO_LARGE', `the result has more than ${bytesMax} bytes`)]);
}

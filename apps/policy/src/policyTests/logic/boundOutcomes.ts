import type { PolicyTestOutcome } from '@gatehouse/contract';

/** The size of the outcomes of one run as JSON, without the cut outcomes and their failures. */
export const RUN_BYTES_MAX = 8 * 1024 * 1024;
const CUT_FAILURES = 5;
const CUT_FAILURE_CHARACTERS = 500;

/** The outcomes of a run. An outcome that exceeds the limit is kept without its statement and rows. */
export class BoundedOutcomes {
  readonly outcomes: PolicyTestOutcome[] = [];
  #bytes = 0;

  add(outcome: PolicyTestOutcome): void {
    const bytes = Buffer.byteLength(JSON.stringify(outcome));
    const fits = this.#bytes + bytes <= RUN_BYTES_MAX;
    if (fits) this.#bytes += bytes;
    this.outcomes.push(fits ? outcome : cut(outcome));
  }
}

function cut(outcome: PolicyTestOutcome): PolicyTestOutcome {
  const failures = outcome.failures.slice(0, CUT_FAILURES).map(shorten);
  const more = outcome.failures.length - failures.length;
  if (more > 0) failures.push(`There are ${more} more failures.`);
  return { ...outcome, failures, compiled: null, rows: null, isCut: true };
}

function shorten(text: string): string {
  if (text.length <= CUT_FAILURE_CHARACTERS) return text;
  return `${text.slice(0, CUT_FAILURE_CHARACTERS).toWellFormed()}…`;
}

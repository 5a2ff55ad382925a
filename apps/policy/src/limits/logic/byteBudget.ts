import { AppError } from '@gatehouse/contract';

/** The most bytes of JSON that one response has, and that the policies of one actor have. */
export const BYTES_MAX = 16 * 1024 * 1024;

/** What may have `BYTES_MAX` bytes: a plural noun, and how to reduce it. */
interface Limit {
  subject: string;
  fix: string;
}

/** Rejects a request whose response, or what it must read, is too large. */
export class TooLarge extends AppError {
  /** A sentence about the actor of the request. */
  readonly reason: string;

  constructor({ subject, fix }: Limit) {
    const message = `must name a connection on which ${subject} have ${BYTES_MAX} bytes or fewer: ${fix}`;
    super('INVALID_REQUEST', { fieldErrors: [{ field: 'connectionId', message, code: 'reference' }] });
    this.reason = `On this connection ${subject} must have ${BYTES_MAX} bytes or fewer: ${fix}.`;
  }
}

/**
 * The bytes of JSON that are left for one response, or for what is read for it. Rules multiply with their
 * values, and tables with rules, so they are counted while they are collected.
 */
export class ByteBudget {
  #left = BYTES_MAX;
  readonly #limit: Limit;

  constructor(limit: Limit) {
    this.#limit = limit;
  }

  /** @throws {TooLarge} */
  spend(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new TooLarge(this.#limit);
  }

  /** Counts a part and returns it. @throws {TooLarge} */
  count<T>(part: T): T {
    this.spend(Buffer.byteLength(JSON.stringify(part)));
    return part;
  }
}

/** More policies apply to an actor than are read for one request. */
export function tooManyPolicies(): TooLarge {
  return new TooLarge({
    subject: 'the definitions and assignments of the actor',
    fix: 'assign fewer or smaller definitions',
  });
}

/** The budget of one page of coverage. */
export function createCoverageBudget(): ByteBudget {
  return new ByteBudget({
    subject: 'the tables of the actor, with the names of their rules,',
    fix: 'use fewer rules, or shorter names of rules',
  });
}

/** The budget of the policies of an actor with their values, and of the preview that shows them. */
export function createPolicyBudget(): ByteBudget {
  return new ByteBudget({
    subject: 'the policies of the actor, with their values and SQL,',
    fix: 'use fewer rules, or shorter values',
  });
}

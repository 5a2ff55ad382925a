import { AppError } from '@gatehouse/contract';

/** The most bytes of JSON that one response has, and that the policies of one actor have. */
export const BYTES_MAX = 16 * 1024 * 1024;

/** Rejects a request whose response, or what it must read, is too large. */
export class TooLarge extends AppError {
  constructor(message: string) {
    super('INVALID_REQUEST', { fieldErrors: [{ field: 'connectionId', message, code: 'reference' }] });
  }
}

/**
 * The bytes of JSON that are left for one response, or for what is read for it. Rules multiply with their
 * values, and tables with rules, so they are counted while they are collected.
 */
export class ByteBudget {
  #left = BYTES_MAX;
  readonly #message: string;

  /** @param message what is too large, and the fix: the rest of a sentence about `connectionId` */
  constructor(message: string) {
    this.#message = message;
  }

  /** @throws {TooLarge} */
  spend(bytes: number): void {
    this.#left -= bytes;
    if (this.#left < 0) throw new TooLarge(this.#message);
  }

  /** Counts a part and returns it. @throws {TooLarge} */
  count<T>(part: T): T {
    this.spend(Buffer.byteLength(JSON.stringify(part)));
    return part;
  }
}

/** More policies apply to an actor than are read for one request. */
export function tooManyPolicies(): TooLarge {
  return new TooLarge(
    `must name a connection on which the definitions and assignments of the actor have ${BYTES_MAX} bytes ` +
      'or fewer: assign fewer or smaller definitions',
  );
}

/** The budget of one page of coverage. */
export function createCoverageBudget(): ByteBudget {
  return new ByteBudget(
    `must name a connection whose coverage for one actor has ${BYTES_MAX} bytes of JSON or fewer: ` +
      'use fewer rules, or shorter names of rules',
  );
}

/** The budget of the policies of an actor with their values, and of the preview that shows them. */
export function createPolicyBudget(): ByteBudget {
  return new ByteBudget(
    'must name a connection on which the policies of the actor, with their values and SQL, have ' +
      `${BYTES_MAX} bytes of JSON or fewer: use fewer rules, or shorter values`,
  );
}

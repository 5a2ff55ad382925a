/** The meaning of the exit code of the command line, for scripts. */
export const EXIT_CODES = {
  ok: 0,
  /** The command ran and found a problem: an invalid dashboard, a damaged log, a statement that is denied. */
  foundFaults: 1,
  /** The command or its arguments are wrong. */
  usage: 2,
  /** Of `plan` alone: the folder and the project differ. */
  differences: 2,
  /** Not signed in, or not allowed. */
  notAllowed: 3,
  /** Gatehouse is unreachable or too busy, or its response was incomplete. */
  notReachable: 4,
  /** The record does not exist, or the caller may not see it. */
  notFound: 5,
  /** The current state prevents the command: a conflict, or a record that has changed. */
  conflict: 6,
  /** A fault of Gatehouse or of this program. */
  failed: 7,
} as const;
export type ExitCode = (typeof EXIT_CODES)[keyof typeof EXIT_CODES];

/** The meaning of the codes, for `--help`. */
export const EXIT_CODE_MEANINGS: readonly (readonly [ExitCode, string])[] = [
  [EXIT_CODES.ok, 'success, and no problem found'],
  [EXIT_CODES.foundFaults, 'success, and a problem found'],
  [EXIT_CODES.usage, 'invalid command or input, or no confirmation'],
  [EXIT_CODES.notAllowed, 'not signed in, or not allowed'],
  [EXIT_CODES.notReachable, 'Gatehouse is unreachable or overloaded, or its response was incomplete'],
  [EXIT_CODES.notFound, 'not found, or the caller may not see it'],
  [EXIT_CODES.conflict, 'conflict with the current state, or the record has changed'],
  [EXIT_CODES.failed, 'internal error'],
];

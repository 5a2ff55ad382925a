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
  [EXIT_CODES.ok, 'done, and nothing is wrong'],
  [EXIT_CODES.foundFaults, 'done, and something was found to be wrong'],
  [EXIT_CODES.usage, 'the command or its input is wrong'],
  [EXIT_CODES.notAllowed, 'not signed in, or not allowed'],
  [EXIT_CODES.notReachable, 'Gatehouse cannot be reached or is too busy'],
  [EXIT_CODES.notFound, 'there is no such thing, or none that the caller may see'],
  [EXIT_CODES.conflict, 'the present state forbids it'],
  [EXIT_CODES.failed, 'something failed inside'],
];

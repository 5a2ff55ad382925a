import type { Catalog, CONNECTION_CONFIGS } from '@gatehouse/contract';

type Configs = {
  [Type in keyof typeof CONNECTION_CONFIGS]: ReturnType<(typeof CONNECTION_CONFIGS)[Type]['parse']>;
};

/** Which database to read, its password opened. */
export type IntrospectionRequest =
  | { type: 'postgres'; config: Configs['postgres'] }
  | { type: 'mysql'; config: Configs['mysql'] }
  | { type: 'sqlite'; config: Configs['sqlite'] };

/** What the operator allows, and whose share of the readings at once is used. */
export interface IntrospectionLimits {
  organizationId: string;
  /** Longest that the whole may take, from the first look-up of a name to the last row. */
  timeoutMs: number;
  /** CONNECTION_HOSTS as it was set. Empty, no server may be reached. */
  allowedHosts: string;
  /** SQLITE_DIR. Absent, no file may be read. */
  sqliteDir: string | undefined;
}

/**
 * Why no catalog was read.
 *
 * - `notAllowed`: the operator's settings do not let this connection reach that server or file
 * - `unreachable`: nobody answers there, the connection broke, or the server is busy
 * - `untrusted`: the server offers no TLS, or a certificate that could not be verified, where the connection asks for it
 * - `refused`: the database answered and refused: user, password, database or rights
 * - `timeout`: the whole took longer than allowed
 * - `busy`: others were being read for all of the time that was allowed
 * - `tooLarge`: more tables or columns than a catalog holds
 * - `unreadable`: what answered is no such database, or it holds something that a catalog cannot
 */
export type IntrospectionReason =
  | 'notAllowed'
  | 'unreachable'
  | 'untrusted'
  | 'refused'
  | 'timeout'
  | 'busy'
  | 'tooLarge'
  | 'unreadable';

/** `message` may be shown to callers; `cause` holds what the driver said and is for the log alone. */
export type IntrospectionOutcome =
  | { ok: true; catalog: Catalog }
  | { ok: false; reason: IntrospectionReason; message: string; cause?: unknown };

/** Ends an introspection. Its message may be shown to callers. */
export class IntrospectionError extends Error {
  constructor(
    readonly reason: IntrospectionReason,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

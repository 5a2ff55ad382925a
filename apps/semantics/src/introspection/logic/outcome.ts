import type { Catalog, CONNECTION_CONFIGS } from '@gatehouse/contract';

type Configs = {
  [Type in keyof typeof CONNECTION_CONFIGS]: ReturnType<(typeof CONNECTION_CONFIGS)[Type]['parse']>;
};

/** The database to read, with its password in plain text. */
export type IntrospectionRequest =
  | { type: 'postgres'; config: Configs['postgres'] }
  | { type: 'mysql'; config: Configs['mysql'] }
  | { type: 'sqlite'; config: Configs['sqlite'] };

/** What the operator allows, and the organization whose share of concurrent reads is used. */
export interface IntrospectionLimits {
  organizationId: string;
  /** Limit for the whole read, from the name lookup to the last row. */
  timeoutMs: number;
  /** The setting CONNECTION_HOSTS. When it is empty, no server may be reached. */
  allowedHosts: string;
  /**
   * SQLITE_DIR: a folder with a folder for each organization, named by its id. Without it, no file may be
   * read.
   */
  sqliteDir: string | undefined;
}

/**
 * Why a read failed.
 *
 * - `notAllowed`: the operator's settings do not allow this server or file
 * - `unreachable`: the server does not respond, the connection broke, or the server is busy
 * - `untrusted`: the connection requires TLS, and the server offers none or has an unverifiable certificate
 * - `refused`: the database rejected the user, password, database or privileges
 * - `timeout`: the read took longer than allowed
 * - `tooLarge`: the database has more tables or columns than a catalog may have
 * - `unreadable`: the server or file is not such a database, or has content that a catalog cannot represent
 */
export type IntrospectionReason =
  | 'notAllowed'
  | 'unreachable'
  | 'untrusted'
  | 'refused'
  | 'timeout'
  | 'tooLarge'
  | 'unreadable';

/** `message` may be shown to callers; `cause` is the driver's error and is for the log only. */
export type IntrospectionOutcome =
  | { ok: true; catalog: Catalog }
  | { ok: false; reason: IntrospectionReason; message: string; cause?: unknown };

/** A failed read. Its message may be shown to callers. */
export class IntrospectionError extends Error {
  constructor(
    readonly reason: IntrospectionReason,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';

const DUPLICATE_KEY = 11_000;

/** Returns the fields of the unique index that rejected a document. Null for any other error. */
export function duplicateKeysOf(error: unknown): string[] | null {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return null;
  return Object.keys((error['keyPattern'] as Record<string, unknown> | undefined) ?? {});
}

/** Returns true if unique indexes rejected some of several documents, and nothing else failed. */
export function areDuplicateKeys(error: unknown): boolean {
  const faults = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return faults.length > 0 && faults.every(({ code }) => code === DUPLICATE_KEY);
}

/**
 * The codes of the operating system for a connection that fails. The driver passes some of them on unchanged.
 */
const CONNECTION_FAULTS = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'];

/** The server rejects the credentials: Unauthorized, AuthenticationFailed. */
const REJECTED_CREDENTIALS = [13, 18];

/** The driver does not export the class. */
const NO_CONNECTION_IN_TIME = 'MongoWaitQueueTimeoutError';

/**
 * Returns true if the database could not be reached or rejected the credentials. The same call may succeed
 * later.
 */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true;
  if (error instanceof MongoNotConnectedError) return true;
  if (error instanceof MongoServerError && REJECTED_CREDENTIALS.includes(Number(error.code))) return true;
  if (error instanceof MongoError && error.name === NO_CONNECTION_IN_TIME) return true;
  return error instanceof Error && 'code' in error && CONNECTION_FAULTS.includes(String(error.code));
}

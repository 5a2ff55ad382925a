import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoServerError,
  MongoServerSelectionError,
} from 'mongodb';

const DUPLICATE_KEY = 11_000;

/** True of the error by which a unique index refuses a document; then `keys` are the index's fields. */
export function duplicateKeysOf(error: unknown): string[] | null {
  if (!(error instanceof MongoServerError) || error.code !== DUPLICATE_KEY) return null;
  return Object.keys((error['keyPattern'] as Record<string, unknown> | undefined) ?? {});
}

/** True where all that went wrong with several documents at once is that a unique index refused some. */
export function areDuplicateKeys(error: unknown): boolean {
  const faults = error instanceof MongoBulkWriteError ? [error.writeErrors].flat() : [];
  return faults.length > 0 && faults.every(({ code }) => code === DUPLICATE_KEY);
}

/** What the operating system says of a connection that cannot be made or was lost; the driver passes some of it on as it is. */
const CONNECTION_FAULTS = ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'];

/** What the server says to one that it lets in no more: Unauthorized, AuthenticationFailed. */
const SHUT_OUT = [13, 18];

/** The driver does not export the class. */
const NO_CONNECTION_IN_TIME = 'MongoWaitQueueTimeoutError';

/** True of the errors that say that the database could not be reached, or lets this process not in: the same call may succeed later. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (error instanceof MongoNetworkError || error instanceof MongoServerSelectionError) return true;
  if (error instanceof MongoNotConnectedError) return true;
  if (error instanceof MongoServerError && SHUT_OUT.includes(Number(error.code))) return true;
  if (error instanceof MongoError && error.name === NO_CONNECTION_IN_TIME) return true;
  return error instanceof Error && 'code' in error && CONNECTION_FAULTS.includes(String(error.code));
}

/**
 * The one table of errors: every failure that a caller can see has a code here, and the code has one HTTP
 * status. Error bodies differ by area of the API; codes and statuses do not.
 */
export const ERROR_STATUS = {
  INVALID_REQUEST: 400,
  MISSING_MAPPING: 400,
  COMMIT_MESSAGE_REQUIRED: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  CSRF_REJECTED: 403,
  NOT_FOUND: 404,
  PROJECT_NOT_FOUND: 404,
  TARGET_PROJECT_NOT_FOUND: 404,
  TARGET_RESOURCE_NOT_FOUND: 404,
  REPLACE_TARGET_NOT_FOUND: 404,
  MIGRATION_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  CONFLICT: 409,
  QUOTA_EXCEEDED: 409,
  DATA_APP_NOT_SUPPORTED: 409,
  MIGRATION_IN_PROGRESS: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  HEADERS_TOO_LARGE: 431,
  INTERNAL_ERROR: 500,
  COMMIT_FAILED: 502,
  UNAVAILABLE: 503,
} as const;
export type ErrorCode = keyof typeof ERROR_STATUS;

/** The default messages. */
export const ERROR_MESSAGE: Record<ErrorCode, string> = {
  INVALID_REQUEST: 'The request is not valid',
  MISSING_MAPPING: 'A resource that the dashboard needs is neither mapped nor listed to be created',
  COMMIT_MESSAGE_REQUIRED: 'The project commits what is saved: a commitMessage is required',
  UNAUTHENTICATED: 'Missing or invalid access token',
  FORBIDDEN: 'Insufficient permissions',
  CSRF_REJECTED: 'The request uses a session without its CSRF token, or comes from another site',
  NOT_FOUND: 'Not found',
  PROJECT_NOT_FOUND: 'Project not found',
  TARGET_PROJECT_NOT_FOUND: 'Target project not found',
  TARGET_RESOURCE_NOT_FOUND: 'A resource that the mapping names is not in the target project',
  MIGRATION_NOT_FOUND: 'Migration not found',
  REPLACE_TARGET_NOT_FOUND: 'The dashboard to replace was not found in the target project',
  METHOD_NOT_ALLOWED: 'Method not allowed',
  REQUEST_TIMEOUT: 'The request took too long to arrive',
  CONFLICT: 'The request conflicts with the current state',
  QUOTA_EXCEEDED: 'The organization has reached a quota',
  DATA_APP_NOT_SUPPORTED: 'Data Apps cannot be migrated',
  MIGRATION_IN_PROGRESS: 'Another migration of these dashboards is in progress',
  PRECONDITION_FAILED: 'The record has changed since it was read',
  PAYLOAD_TOO_LARGE: 'The request body is too large',
  UNSUPPORTED_MEDIA_TYPE: 'The request body must be application/json',
  IDEMPOTENCY_KEY_REUSED: 'The idempotency key was used with another request',
  RATE_LIMITED: 'Too many requests',
  HEADERS_TOO_LARGE: 'The request headers are too large',
  INTERNAL_ERROR: 'Internal error',
  COMMIT_FAILED: 'The dashboard was saved, but not committed',
  UNAVAILABLE: 'The service is temporarily unavailable',
};

/** The kinds of faults of a field, for callers that act on an error or translate it. */
export const FIELD_ERROR_CODES = [
  /** Missing. */
  'required',
  /** Of another JSON type. */
  'type',
  /** Not one of the allowed values. */
  'enum',
  /** A number or time outside its bounds. */
  'range',
  /** A text, array or object that is too short or too long. */
  'length',
  /** Text that does not have its form. */
  'format',
  /** Not a field of the operation, or not in this part of the request. */
  'unknown',
  /** Given twice, or used by another record. */
  'duplicate',
  /** Names no record that can be used here. */
  'reference',
  /** Does not go with another field. */
  'conflict',
  /** Breaks another rule; see the message. */
  'invalid',
] as const;
export type FieldErrorCode = (typeof FIELD_ERROR_CODES)[number];

/** A fault in one field of a request. `field` is a path such as `shares[1].tenantUserId`. */
export interface FieldError {
  field: string;
  message: string;
  /** `invalid` if absent. */
  code?: FieldErrorCode | undefined;
}

/** A record that prevents an operation, named in a conflict. */
export interface BlockingRecord {
  id: string;
  title: string;
}

export interface AppErrorOptions {
  /** The message for the caller. It leaves the process unchanged, so it must never contain internals. */
  message?: string;
  fieldErrors?: FieldError[];
  blockedBy?: BlockingRecord[];
  retryAfterSeconds?: number;
  /** The completed part, for errors that occur after a change: fields of the error body. */
  done?: Record<string, unknown>;
  /** The internal cause, for the log only. */
  cause?: unknown;
}

/** The only error that reaches a caller. Any other is returned as INTERNAL_ERROR. */
export class AppError extends Error {
  readonly code: ErrorCode;
  readonly fieldErrors: FieldError[] | undefined;
  readonly blockedBy: BlockingRecord[] | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly done: Record<string, unknown> | undefined;

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? ERROR_MESSAGE[code], { cause: options.cause });
    this.name = 'AppError';
    this.code = code;
    this.fieldErrors = options.fieldErrors;
    this.blockedBy = options.blockedBy;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.done = options.done;
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }

  /** The public part, which services exchange and revive. */
  toWire(): WireError {
    const { code, message, fieldErrors, blockedBy, retryAfterSeconds, done } = this;
    return { code, message, fieldErrors, blockedBy, retryAfterSeconds, done };
  }

  static fromWire(wire: WireError): AppError {
    return new AppError(wire.code, wire);
  }
}

export interface WireError {
  code: ErrorCode;
  message: string;
  fieldErrors?: FieldError[] | undefined;
  blockedBy?: BlockingRecord[] | undefined;
  retryAfterSeconds?: number | undefined;
  done?: Record<string, unknown> | undefined;
}

/** A 400 that names one field. */
export function invalidField(field: string, message: string, code: FieldErrorCode = 'invalid'): AppError {
  return new AppError('INVALID_REQUEST', { fieldErrors: [{ field, message, code }] });
}

const NAMED_MAX = 100;

/**
 * An id or name that the caller sent, for a message: at most 100 characters of it, with everything other than
 * plain text replaced, so that it is safe in a terminal and in a log.
 */
export function shownName(given: string): string {
  const plain = given.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, '\uFFFD');
  const characters = Array.from(plain);
  const isCut = characters.length > NAMED_MAX;
  return isCut ? `${characters.slice(0, NAMED_MAX).join('')}…` : plain;
}

/** A message that ends with the id or name of its record. */
export function withName(message: string, given: string): string {
  return `${message}: ${shownName(given)}`;
}

/**
 * A 409 for an organization that has reached a quota. `quota` names the counted records, as in `dashboards`;
 * `limit` is in its units.
 */
export function quotaExceeded(quota: string, limit: number): AppError {
  return new AppError('QUOTA_EXCEEDED', { message: `${quota} must be ${limit} or fewer in an organization` });
}

/** Writes a path of keys and indexes as `shares[1].tenantUserId`. */
export function fieldPath(segments: readonly PropertyKey[]): string {
  let path = '';
  for (const segment of segments) {
    if (typeof segment === 'number') path += `[${segment}]`;
    else path += path === '' ? String(segment) : `.${String(segment)}`;
  }
  return path;
}

/** Longer keys are truncated to this many characters in the field of an error. */
const SHOWN_KEY_LENGTH = 100;

function truncateKey(segment: PropertyKey): PropertyKey {
  if (typeof segment !== 'string' || segment.length <= SHOWN_KEY_LENGTH) return segment;
  return `${segment.slice(0, SHOWN_KEY_LENGTH).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** The same for the field of an error. A key may be as long as the body: each is truncated. */
export function shownPath(segments: readonly PropertyKey[]): string {
  return fieldPath(segments.map(truncateKey));
}

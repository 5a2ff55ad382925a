import type { ErrorCode } from './errors.js';

/** What a caller needs to know about an error. */
export interface ErrorEntry {
  /** Why it occurs. */
  cause: string;
  /** What to do. */
  fix: string;
}

/** The catalogue of errors. `docs/errors.md` and the OpenAPI document are made of it. */
export const ERROR_CATALOGUE: Readonly<Record<ErrorCode, ErrorEntry>> = {
  INVALID_REQUEST: {
    cause: 'A field is missing, unknown, or breaks a rule. `fieldErrors` lists up to 100 of them.',
    fix: 'Correct the fields that the error names, and send the request again.',
  },
  MISSING_MAPPING: {
    cause: 'A migration needs a resource of the dashboard that the request neither maps nor copies.',
    fix: 'Map it, or list it to be created. The analysis of the migration suggests a complete body.',
  },
  COMMIT_MESSAGE_REQUIRED: {
    cause: 'The project commits every saved dashboard, and the request has no message.',
    fix: 'Add `commitMessage`.',
  },
  UNAUTHENTICATED: {
    cause: 'The access token is missing, malformed, expired or revoked, or its user is inactive or deleted.',
    fix: 'Request a new token, and send it in `Authorization: Bearer <token>`.',
  },
  FORBIDDEN: {
    cause: 'The role, the level on the record, or the kind of token does not permit the operation.',
    fix: 'Use a token of a user with the required role and level. Each operation states both.',
  },
  CSRF_REJECTED: {
    cause: 'A request with a session cookie has no valid `X-CSRF-Token`, or another site has sent it.',
    fix: 'Read the token from `GET /console/session`, and send it with every change. Programs use a token.',
  },
  NOT_FOUND: {
    cause: 'There is no such route, or no such record that the caller may see.',
    fix: 'Check the path, the id and the project of the token. Access explains who may see a record.',
  },
  PROJECT_NOT_FOUND: {
    cause: 'The path of a security policy names a project that does not exist.',
    fix: 'Use the id of the project of the token.',
  },
  TARGET_PROJECT_NOT_FOUND: {
    cause: 'A migration names a target project that the organization does not have.',
    fix: 'List the projects, and use the id of one of them.',
  },
  TARGET_RESOURCE_NOT_FOUND: {
    cause: 'A mapping of a migration names a record that the target project does not have.',
    fix: 'Use an id from the analysis of the migration.',
  },
  REPLACE_TARGET_NOT_FOUND: {
    cause: '`replaceExistingId` names no dashboard of the target project that the caller may see.',
    fix: 'Use the id of an existing dashboard, or leave the field out to create one.',
  },
  MIGRATION_NOT_FOUND: {
    cause: 'There is no such migration, or another user started it.',
    fix: 'List the migrations. An ADMIN sees all of them, other users see their own.',
  },
  METHOD_NOT_ALLOWED: {
    cause: 'The path exists, but not with this method.',
    fix: 'Use a method that the `Allow` header lists.',
  },
  REQUEST_TIMEOUT: {
    cause: 'The request took too long to arrive, and the connection was closed.',
    fix: 'Send it again over a faster connection, or in smaller parts.',
  },
  CONFLICT: {
    cause:
      'The current state forbids the change: a name is taken, a record is in use, or another request runs.',
    fix: 'Read the record again. Remove what `blockedBy` names, choose another name, or repeat the request.',
  },
  QUOTA_EXCEEDED: {
    cause: 'The organization has reached the quota that the message names.',
    fix: 'Delete records of that kind, or let the operator raise the quota.',
  },
  DATA_APP_NOT_SUPPORTED: {
    cause: 'The dashboard is a Data App.',
    fix: 'Migrate dashboards that are not Data Apps; recreate a Data App in the target project.',
  },
  MIGRATION_IN_PROGRESS: {
    cause: 'Another migration of the same dashboard, or into the same target, is running.',
    fix: 'Wait until it has ended, and send the request again.',
  },
  PRECONDITION_FAILED: {
    cause: 'The record has changed since the entity tag in `If-Match` was read.',
    fix: 'Read the record again, and repeat the change with its new entity tag.',
  },
  PAYLOAD_TOO_LARGE: {
    cause: 'The body is larger than the operation accepts.',
    fix: 'Send a smaller body. The reference of the API states the limits.',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    cause: 'The body is not JSON, or its encoding is not supported.',
    fix: 'Send `Content-Type: application/json`.',
  },
  IDEMPOTENCY_KEY_REUSED: {
    cause: 'The idempotency key belongs to another request of the last 24 hours.',
    fix: 'Use a new key for each new request, and the same key only to repeat one.',
  },
  RATE_LIMITED: {
    cause: 'The caller has sent more requests than its limit permits.',
    fix: 'Wait for the seconds in `Retry-After`, and send the request again.',
  },
  HEADERS_TOO_LARGE: {
    cause: 'The request has more than 100 headers, or more than 64 KiB of them.',
    fix: 'Request a token with fewer policies, or remove headers.',
  },
  INTERNAL_ERROR: {
    cause: 'Gatehouse has a fault. The log has the details under the id of the request.',
    fix: 'Report the `requestId` to the operator. A repetition with the same idempotency key is safe.',
  },
  COMMIT_FAILED: {
    cause: 'The dashboard was saved, but the commit to its repository failed.',
    fix: 'Check the settings and the remote of version control, and save the dashboard again.',
  },
  UNAVAILABLE: {
    cause: 'A part of Gatehouse is down, starting or overloaded.',
    fix: 'Wait for the seconds in `Retry-After`, and send the request again.',
  },
};

/** Codes that some areas use in place of another one. */
export const CODE_ALIASES = {
  AUTH_FAILED: { code: 'UNAUTHENTICATED', area: 'security policies' },
  PROJECT_ACCESS_DENIED: { code: 'FORBIDDEN', area: 'security policies' },
  DASHBOARD_NOT_FOUND: { code: 'NOT_FOUND', area: 'migrations' },
} as const satisfies Record<string, { code: ErrorCode; area: string }>;

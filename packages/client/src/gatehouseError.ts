import {
  ERROR_STATUS,
  MIGRATION_CODES,
  SECURITY_CODES,
  type BlockingRecord,
  type ErrorCode,
  type FieldError,
  type RouteArea,
} from '@gatehouse/contract';
import { readRetryAfter } from './retries.js';

/** The content of an error response. */
export interface ErrorAnswer {
  status: number;
  /** Null if the response did not come from Gatehouse, such as a proxy's page. */
  code: ErrorCode | null;
  /** The area of the operation that was called. */
  area: RouteArea;
  message: string;
  fieldErrors: FieldError[];
  /** The records that prevent a deletion. */
  blockedBy: BlockingRecord[];
  /** The part that was completed nevertheless, as `dashboard` beside COMMIT_FAILED; otherwise empty. */
  details: Record<string, unknown>;
  requestId: string | null;
  /** Seconds after which a retry makes sense; null if the response has no such value. */
  retryAfterSeconds: number | null;
}

/** The description and each invalid field, so that the text alone shows what to correct. */
function messageOf({ message, fieldErrors }: ErrorAnswer): string {
  const faults = fieldErrors.map((fault) => `${fault.field} ${fault.message}`.trim());
  return faults.length === 0 ? message : `${message}: ${faults.join('; ')}`;
}

/** An error response. */
export class GatehouseError extends Error implements ErrorAnswer {
  override readonly name = 'GatehouseError';
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly area: RouteArea;
  readonly fieldErrors: FieldError[];
  readonly blockedBy: BlockingRecord[];
  readonly details: Record<string, unknown>;
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(answer: ErrorAnswer) {
    super(messageOf(answer));
    this.status = answer.status;
    this.code = answer.code;
    this.area = answer.area;
    this.fieldErrors = answer.fieldErrors;
    this.blockedBy = answer.blockedBy;
    this.details = answer.details;
    this.requestId = answer.requestId;
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }
}

/** The codes by all of their names, including those that only one area uses. */
const CODES = new Map<unknown, ErrorCode>([
  ...(Object.keys(ERROR_STATUS) as ErrorCode[]).map((code) => [code, code] as const),
  ...[SECURITY_CODES, MIGRATION_CODES].flatMap((ownNames) =>
    Object.entries(ownNames).map(([code, name]) => [name, code as ErrorCode] as const),
  ),
]);

/** The members of a problem that describe the part that was completed. */
const DONE = ['dashboardSaved', 'dashboard', 'migration', 'versionControl'] as const;

type Problem = Record<string, unknown>;

function parseProblem(text: string): Problem {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Problem) : {};
  } catch {
    return {};
  }
}

function isFieldError(value: unknown): value is FieldError {
  if (typeof value !== 'object' || value === null) return false;
  const { field, message } = value as Record<string, unknown>;
  return typeof field === 'string' && typeof message === 'string';
}

/** The fields that a response and a line of a stream share. */
function readParts({ code, fieldErrors, blockedBy, ...others }: Problem) {
  return {
    code: CODES.get(code) ?? null,
    fieldErrors: Array.isArray(fieldErrors) ? fieldErrors.filter(isFieldError) : [],
    blockedBy: Array.isArray(blockedBy) ? (blockedBy as BlockingRecord[]) : [],
    details: Object.fromEntries(DONE.filter((name) => name in others).map((name) => [name, others[name]])),
  };
}

/** Reads an error response in the form of RFC 9457, which the client requests in every area. */
export async function readError(response: Response, area: RouteArea): Promise<GatehouseError> {
  const { status, statusText, headers } = response;
  const problem = parseProblem(await response.text());
  const { detail } = problem;
  return new GatehouseError({
    ...readParts(problem),
    status,
    area,
    message: typeof detail === 'string' ? detail : statusText || `The answer was ${status}`,
    requestId: headers.get('X-Request-Id'),
    retryAfterSeconds: readRetryAfter(headers.get('Retry-After'), Date.now()),
  });
}

/** Reads the line of a stream that reports a failure. */
export function readErrorLine(line: object, area: RouteArea): GatehouseError {
  const { error, requestId, ...problem } = line as Problem;
  const parts = readParts(problem);
  return new GatehouseError({
    ...parts,
    status: parts.code === null ? 500 : ERROR_STATUS[parts.code],
    area,
    message: typeof error === 'string' ? error : 'The operation failed',
    requestId: typeof requestId === 'string' ? requestId : null,
    retryAfterSeconds: null,
  });
}

import type { BlockingRecord, ErrorCode, FieldError } from './generated/records.js';
import { CODE_ALIASES, ERROR_STATUS, type RouteArea } from './generated/routes.js';
import { readRetryAfter } from './retries.js';

/** The content of an error response. */
export interface ErrorAnswer {
  /** The HTTP status. */
  status: number;
  /** Null if the response did not come from Gatehouse, such as a proxy's page. */
  code: ErrorCode | null;
  /** The area of the operation that was called. */
  area: RouteArea;
  /** The description of the error. */
  message: string;
  /** The invalid fields of the input, each with the rule that it breaks. */
  fieldErrors: FieldError[];
  /** The records that prevent a deletion. */
  blockedBy: BlockingRecord[];
  /** The part that was completed nevertheless, as `dashboard` beside COMMIT_FAILED; otherwise empty. */
  details: Record<string, unknown>;
  /** Identifies the request in the logs of the server. */
  requestId: string | null;
  /** Seconds after which a retry makes sense; null if the response has no such value. */
  retryAfterSeconds: number | null;
}

/** The description and each invalid field, so that the text alone shows what to correct. */
function messageOf({ message, fieldErrors }: ErrorAnswer): string {
  const faults = fieldErrors.map((fault) => `${fault.field} ${fault.message}`.trim());
  return faults.length === 0 ? message : `${message}: ${faults.join('; ')}`;
}

/** An error response. The message contains each invalid field and its rule. */
export class GatehouseError extends Error implements ErrorAnswer {
  override readonly name = 'GatehouseError';
  /** The HTTP status. */
  readonly status: number;
  /** Null if the response did not come from Gatehouse, such as a proxy's page. */
  readonly code: ErrorCode | null;
  /** The area of the operation that was called. */
  readonly area: RouteArea;
  /** The invalid fields of the input, each with the rule that it breaks. */
  readonly fieldErrors: FieldError[];
  /** The records that prevent a deletion. */
  readonly blockedBy: BlockingRecord[];
  /** The part that was completed nevertheless, as `dashboard` beside COMMIT_FAILED; otherwise empty. */
  readonly details: Record<string, unknown>;
  /** Identifies the request in the logs of the server. */
  readonly requestId: string | null;
  /** Seconds after which a retry makes sense; null if the response has no such value. */
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
  ...Object.entries(CODE_ALIASES),
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

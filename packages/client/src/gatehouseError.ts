import {
  ERROR_STATUS,
  SECURITY_CODES,
  type BlockingRecord,
  type ErrorCode,
  type FieldError,
} from '@gatehouse/contract';

/** What an error answer said. */
export interface ErrorAnswer {
  status: number;
  /** Null where the answer did not come from Gatehouse, such as a proxy's page. */
  code: ErrorCode | null;
  message: string;
  fieldErrors: FieldError[];
  /** What stands in the way of a deletion. */
  blockedBy: BlockingRecord[];
  requestId: string | null;
  /** Seconds after which another try makes sense; null where the answer does not say. */
  retryAfterSeconds: number | null;
}

/** An answer that was no success. */
export class GatehouseError extends Error implements ErrorAnswer {
  override readonly name = 'GatehouseError';
  readonly status: number;
  readonly code: ErrorCode | null;
  readonly fieldErrors: FieldError[];
  readonly blockedBy: BlockingRecord[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(answer: ErrorAnswer) {
    super(answer.message);
    this.status = answer.status;
    this.code = answer.code;
    this.fieldErrors = answer.fieldErrors;
    this.blockedBy = answer.blockedBy;
    this.requestId = answer.requestId;
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }
}

/** The codes by all of their names, those that one area alone uses included. */
const CODES = new Map(
  (Object.keys(ERROR_STATUS) as ErrorCode[]).flatMap((code) => {
    const ownName = (SECURITY_CODES as Partial<Record<ErrorCode, string>>)[code];
    return [code, ownName ?? code].map((name): [unknown, ErrorCode] => [name, code]);
  }),
);

function readProblem(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Reads an error answer in the form of RFC 9457, which the client asks for in every area. */
export async function readError(response: Response): Promise<GatehouseError> {
  const { status, statusText, headers } = response;
  const problem = readProblem(await response.text());
  const { detail, fieldErrors, blockedBy } = problem;
  const retryAfter = headers.get('Retry-After');
  return new GatehouseError({
    status,
    code: CODES.get(problem['code']) ?? null,
    message: typeof detail === 'string' ? detail : statusText || `The answer was ${status}`,
    fieldErrors: Array.isArray(fieldErrors) ? (fieldErrors as FieldError[]) : [],
    blockedBy: Array.isArray(blockedBy) ? (blockedBy as BlockingRecord[]) : [],
    requestId: headers.get('X-Request-Id'),
    retryAfterSeconds: retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null,
  });
}

/** Reads the line by which a stream of lines says that it failed. */
export function readErrorLine(line: object): GatehouseError {
  const { error, code, fieldErrors, requestId } = line as Record<string, unknown>;
  const known = CODES.get(code) ?? null;
  return new GatehouseError({
    status: known === null ? 500 : ERROR_STATUS[known],
    code: known,
    message: typeof error === 'string' ? error : 'The operation failed',
    fieldErrors: Array.isArray(fieldErrors) ? (fieldErrors as FieldError[]) : [],
    blockedBy: [],
    requestId: typeof requestId === 'string' ? requestId : null,
    retryAfterSeconds: null,
  });
}

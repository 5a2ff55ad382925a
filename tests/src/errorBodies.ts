import {
  ERROR_BODIES,
  ERROR_STATUS,
  MIGRATION_CODES,
  SECURITY_CODES,
  type ErrorCode,
  type RouteArea,
} from '@gatehouse/contract';

/** The content of an error body, independent of the form of its area. */
export interface ErrorContent {
  /** Undefined in the form of the tokens, which has none. */
  code: ErrorCode | undefined;
  message: string;
  /** The details, in words. */
  details: string;
  /** The fields that are at fault. */
  fields: string[];
  requestId: string | undefined;
}

/** An error body in any of the forms, as far as reading it goes. */
interface AnyErrorBody {
  error?: string | { code?: string; message?: string; details?: { path: string }[] };
  code?: string;
  details?: string | { fieldErrors: { field: string }[] };
  fieldErrors?: { field: string }[];
  errors?: { code?: string; context?: { field?: string } }[];
  requestId?: string;
}

const OWN_NAMES = [...Object.entries(SECURITY_CODES), ...Object.entries(MIGRATION_CODES)];
const COMMON_CODES = new Map([
  ...OWN_NAMES.map(([code, name]) => [name as string, code] as const),
  ['MIGRATION_NOT_FOUND', 'NOT_FOUND'] as const,
]);

function codeOf(name: string | undefined): ErrorCode | undefined {
  const code = COMMON_CODES.get(name ?? '') ?? name;
  return code !== undefined && Object.hasOwn(ERROR_STATUS, code) ? (code as ErrorCode) : undefined;
}

/** Made once: a new schema is compiled when it first parses. */
const EXACT_BODIES = new Map(
  Object.entries(ERROR_BODIES).map(([area, body]) => [area as RouteArea, body.strict()]),
);

/** How an error body differs from the form of its area, also by further fields; empty if it does not. */
export function faultsOfBody(area: RouteArea, body: unknown) {
  const exact = EXACT_BODIES.get(area);
  if (exact === undefined) throw new Error(`errors of ${area} have no form`);
  return exact.safeParse(body).error?.issues ?? [];
}

/** Reads an error body in the form of its area. */
export function readErrorBody(area: RouteArea, body: unknown): ErrorContent {
  const { error, code, details: given = '', errors = [], requestId, ...rest } = body as AnyErrorBody;
  const details = typeof given === 'string' ? given : '';
  const fieldErrors = typeof given === 'string' ? (rest.fieldErrors ?? []) : given.fieldErrors;
  if (area === 'security' && typeof error === 'object') {
    const places = error.details ?? [];
    const fields = places.map(({ path }) => path);
    return {
      code: codeOf(error.code),
      message: error.message ?? '',
      details: fields.join('; '),
      fields,
      requestId,
    };
  }
  const fields = [...fieldErrors.map(({ field }) => field), ...errors.flatMap((e) => e.context?.field ?? [])];
  const message = typeof error === 'string' ? error : '';
  return { code: codeOf(code ?? errors[0]?.code), message, details, fields, requestId };
}

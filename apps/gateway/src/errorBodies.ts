import { STATUS_CODES } from 'node:http';
import type {
  AppError,
  ManagementErrorBody,
  ProblemBody,
  RouteArea,
  TenantUserErrorBody,
  TokenErrorBody,
} from '@gatehouse/contract';

/** A body may fail in thousands of places; who mends this many asks again. */
const FIELD_ERRORS_MAX = 100;
const FIELD_ERRORS_IN_DETAILS = 3;

const PROBLEM_TYPE = 'application/problem+json';
const REFUSED = /^q=0(?:\.0*)?$/;

/** How an error is written: the area's own form, or the one that all areas share. */
export interface ErrorForm {
  area: RouteArea;
  isProblem: boolean;
  requestId: string;
}

/** Whether an `Accept` header asks for errors as RFC 9457 writes them. */
export function acceptsProblem(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  return accept.split(',').some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    return type === PROBLEM_TYPE && !parameters.some((parameter) => REFUSED.test(parameter));
  });
}

function describe({ fieldErrors }: AppError): string {
  if (!fieldErrors) return '';
  const shown = fieldErrors.slice(0, FIELD_ERRORS_IN_DETAILS);
  const rest = fieldErrors.length - shown.length;
  const text = shown
    .map(({ field, message }) => (field === '' ? message : `${field}: ${message}`))
    .join('; ');
  return rest > 0 ? `${text}; and ${rest} more` : text;
}

function managementBody(error: AppError, requestId: string): ManagementErrorBody {
  const { message, code, blockedBy } = error;
  return {
    error: message,
    ...(error.fieldErrors && { details: describe(error) }),
    code,
    ...optionalParts(error),
    ...(blockedBy && { blockedBy }),
    requestId,
  };
}

function tenantUserBody(error: AppError, requestId: string): TenantUserErrorBody {
  const fieldErrors = error.fieldErrors?.slice(0, FIELD_ERRORS_MAX) ?? [];
  return { error: error.message, details: describe(error), code: error.code, fieldErrors, requestId };
}

function tokenBody(error: AppError, requestId: string): TokenErrorBody {
  return { error: error.message, ...optionalParts(error), requestId };
}

function problemBody(error: AppError, requestId: string): ProblemBody {
  const { status, message, code, blockedBy } = error;
  const title = STATUS_CODES[status] ?? '';
  const parts = { ...optionalParts(error), ...(blockedBy && { blockedBy }) };
  return { type: 'about:blank', title, status, detail: message, code, ...parts, requestId };
}

function optionalParts({ fieldErrors }: AppError) {
  return fieldErrors && { fieldErrors: fieldErrors.slice(0, FIELD_ERRORS_MAX) };
}

const AREA_BODIES = {
  management: managementBody,
  service: managementBody,
  tenantUsers: tenantUserBody,
  token: tokenBody,
} as const satisfies Record<RouteArea, (error: AppError, requestId: string) => object>;

/** Writes an error: the one place that knows each form. Only the public part of the error is read. */
export function writeError(error: AppError, form: ErrorForm): { contentType: string; body: string } {
  if (form.isProblem) {
    return { contentType: PROBLEM_TYPE, body: JSON.stringify(problemBody(error, form.requestId)) };
  }
  const body = JSON.stringify(AREA_BODIES[form.area](error, form.requestId));
  return { contentType: 'application/json', body };
}

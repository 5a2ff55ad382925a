import { STATUS_CODES } from 'node:http';
import {
  AppError,
  MIGRATION_CODES,
  SECURITY_CODES,
  type DomainErrorBody,
  type ErrorCode,
  type FieldErrorCode,
  type ManagementErrorBody,
  type MigrationErrorBody,
  type ProblemBody,
  type ProblemCode,
  type RouteArea,
  type SecurityErrorBody,
  type TenantUserErrorBody,
  type TokenErrorBody,
  type ValidationErrorBody,
} from '@gatehouse/contract';
import { accepts } from './accepts.js';

/** A body may have thousands of errors. A caller that fixes this many gets the next ones. */
const FIELD_ERRORS_MAX = 100;
const FIELD_ERRORS_IN_DETAILS = 3;

/** How a caller of the semantic domains can fix an error. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  UNAUTHENTICATED: 'Send a valid access token in the Authorization header',
  CONFLICT: 'Read the record again, or choose another name',
  PRECONDITION_FAILED: 'Read the record again and repeat the change with its new entity tag',
  RATE_LIMITED: 'Wait for the time in the Retry-After header',
  UNAVAILABLE: 'Wait for the time in the Retry-After header',
};

const PROBLEM_TYPE = 'application/problem+json';

/** The form of an error body: the one of the area, or RFC 9457, which all areas share. */
export interface ErrorForm {
  area: RouteArea;
  isProblem: boolean;
  requestId: string;
}

/** The error of a path that the gateway does not serve. */
export const noSuchRoute = () => new AppError('NOT_FOUND', { message: 'There is no such route' });

/** Returns true if an `Accept` header requests errors in the form of RFC 9457. */
export function acceptsProblem(accept: string | undefined): boolean {
  return accepts(accept, PROBLEM_TYPE);
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
    ...error.done,
    requestId,
  };
}

function tenantUserBody(error: AppError, requestId: string): TenantUserErrorBody {
  const { message, code } = error;
  return { error: message, details: describe(error), code, fieldErrors: limitFieldErrors(error), requestId };
}

function tokenBody(error: AppError, requestId: string): TokenErrorBody {
  return { error: error.message, ...optionalParts(error), requestId };
}

function securityBody(error: AppError, requestId: string): SecurityErrorBody {
  const { message, blockedBy } = error;
  const details = limitFieldErrors(error).map(({ field: path, ...fault }) => ({ path, ...fault }));
  return {
    ok: false,
    error: { code: securityCode(error), message, details },
    ...(blockedBy && { blockedBy }),
    requestId,
  };
}

function securityCode({ code }: AppError): ProblemCode {
  return code in SECURITY_CODES ? SECURITY_CODES[code as keyof typeof SECURITY_CODES] : code;
}

function domainBody(error: AppError, requestId: string): DomainErrorBody {
  const { message, code } = error;
  const hint = HINTS[code] ?? '';
  const fault = (text: string, context: { field?: string; code?: FieldErrorCode }) =>
    ({ code, message: text, severity: 'error', hint, context }) as const;
  const inFields = limitFieldErrors(error).map(({ message: text, ...place }) => fault(text, place));
  const errors = inFields.length > 0 ? inFields : [fault(message, {})];
  return { error: message, details: describe(error), errors, warnings: [], requestId };
}

function validationBody(error: AppError, requestId: string): ValidationErrorBody {
  const { message, code } = error;
  return { error: message, code, details: describe(error), ...optionalParts(error), requestId };
}

function migrationBody(error: AppError, requestId: string): MigrationErrorBody {
  const code = migrationCode(error);
  const { blockedBy } = error;
  const details = { fieldErrors: limitFieldErrors(error), ...(blockedBy && { blockedBy }), requestId };
  return { success: false, error: error.message, code, errorCode: code, details, ...error.done, requestId };
}

function migrationCode({ code }: AppError): MigrationErrorBody['code'] {
  return code === 'NOT_FOUND' ? MIGRATION_CODES[code] : code;
}

function codeOf(error: AppError, area: RouteArea): ProblemCode {
  if (area === 'security') return securityCode(error);
  return area === 'migration' ? migrationCode(error) : error.code;
}

function problemBody(error: AppError, { area, requestId }: ErrorForm): ProblemBody {
  const { status, message, blockedBy } = error;
  const code = codeOf(error, area);
  const title = STATUS_CODES[status] ?? '';
  const parts = { ...optionalParts(error), ...(blockedBy && { blockedBy }), ...error.done };
  return { type: 'about:blank', title, status, detail: message, code, ...parts, requestId };
}

function limitFieldErrors({ fieldErrors = [] }: AppError) {
  return fieldErrors
    .slice(0, FIELD_ERRORS_MAX)
    .map(({ field, message, code = 'invalid' }) => ({ field, message, code }));
}

function optionalParts(error: AppError) {
  return error.fieldErrors && { fieldErrors: limitFieldErrors(error) };
}

const AREA_BODIES = {
  management: managementBody,
  service: managementBody,
  tenantUsers: tenantUserBody,
  token: tokenBody,
  domains: domainBody,
  security: securityBody,
  validation: validationBody,
  migration: migrationBody,
} as const satisfies Record<RouteArea, (error: AppError, requestId: string) => object>;

/** Serializes an error in each of the forms. Only the public fields of the error are used. */
export function writeError(error: AppError, form: ErrorForm): { contentType: string; body: string } {
  if (form.isProblem) {
    return { contentType: PROBLEM_TYPE, body: JSON.stringify(problemBody(error, form)) };
  }
  const body = JSON.stringify(AREA_BODIES[form.area](error, form.requestId));
  return { contentType: 'application/json', body };
}

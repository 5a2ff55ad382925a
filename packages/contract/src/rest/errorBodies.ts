import { z } from 'zod';
import { ERROR_STATUS, FIELD_ERROR_CODES, type ErrorCode } from '../errors.js';
import { CommitResult } from '../records/versionControl.js';
import type { RouteArea } from './area.js';

export const ErrorCodeName = z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]);
export const FaultCode = z.enum(FIELD_ERROR_CODES);
/** A fault in one field of a request. */
export const FieldErrorBody = z.object({ field: z.string(), message: z.string(), code: FaultCode });
/** A record that prevents an operation. */
export const BlockingRecordBody = z.object({ id: z.string(), title: z.string() });
const FieldErrors = z.array(FieldErrorBody);
const BlockedBy = z.array(BlockingRecordBody);

/** With COMMIT_FAILED: the part that was completed. */
const Saved = {
  dashboardSaved: z.literal(true).optional(),
  /** The record as it was saved; with its secret, if this response is the one that shows it. */
  dashboard: z.record(z.string(), z.unknown()).optional(),
  versionControl: CommitResult.optional(),
};

/** The error body of sharing, dashboards, visuals, groups, users and whatever has no form of its own. */
export const ManagementErrorBody = z.object({
  error: z.string(),
  details: z.string().optional(),
  code: ErrorCodeName,
  fieldErrors: FieldErrors.optional(),
  /** The records that prevent a deletion. */
  blockedBy: BlockedBy.optional(),
  ...Saved,
  requestId: z.string(),
});
export type ManagementErrorBody = z.infer<typeof ManagementErrorBody>;

/** The error body of tenant users: the same fields, all of them present. */
export const TenantUserErrorBody = z.object({
  error: z.string(),
  details: z.string(),
  code: ErrorCodeName,
  fieldErrors: FieldErrors,
  requestId: z.string(),
});
export type TenantUserErrorBody = z.infer<typeof TenantUserErrorBody>;

/** The error body of the token routes. */
export const TokenErrorBody = z.object({
  error: z.string(),
  fieldErrors: FieldErrors.optional(),
  requestId: z.string(),
});
export type TokenErrorBody = z.infer<typeof TokenErrorBody>;

/** The codes that have another name in the security area. */
export const SECURITY_CODES = {
  UNAUTHENTICATED: 'AUTH_FAILED',
  FORBIDDEN: 'PROJECT_ACCESS_DENIED',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** As everywhere, and the names in `SECURITY_CODES`. */
export const ProblemCode = z.enum([
  ...ErrorCodeName.options,
  ...Object.values(SECURITY_CODES),
  'DASHBOARD_NOT_FOUND',
]);
export type ProblemCode = z.infer<typeof ProblemCode>;

/** The error body of the security policies. */
export const SecurityErrorBody = z.object({
  ok: z.literal(false),
  error: z.object({
    code: ProblemCode,
    message: z.string(),
    details: z.array(z.object({ path: z.string(), message: z.string(), code: FaultCode })),
  }),
  /** The records that prevent a deletion. */
  blockedBy: BlockedBy.optional(),
  requestId: z.string(),
});
export type SecurityErrorBody = z.infer<typeof SecurityErrorBody>;

/** The error body of the semantic domains. */
export const DomainErrorBody = z.object({
  error: z.string(),
  details: z.string(),
  errors: z.array(
    z.object({
      code: ErrorCodeName,
      message: z.string(),
      severity: z.literal('error'),
      /** The remedy; empty if there is none. */
      hint: z.string(),
      /** The field and the kind of its fault, if the fault is in one. */
      context: z.object({ field: z.string().optional(), code: FaultCode.optional() }),
    }),
  ),
  warnings: z.array(z.never()),
  requestId: z.string(),
});
export type DomainErrorBody = z.infer<typeof DomainErrorBody>;

/** The error body of the validation of dashboards. */
export const ValidationErrorBody = z.object({
  error: z.string(),
  code: ErrorCodeName,
  details: z.string(),
  fieldErrors: FieldErrors.optional(),
  requestId: z.string(),
});
export type ValidationErrorBody = z.infer<typeof ValidationErrorBody>;

/** The codes that have another name in the migration area. */
export const MIGRATION_CODES = {
  NOT_FOUND: 'DASHBOARD_NOT_FOUND',
} as const satisfies Partial<Record<ErrorCode, string>>;
export const MigrationCode = z.enum([...ErrorCodeName.options, ...Object.values(MIGRATION_CODES)]);

/** The error body of migrations. */
export const MigrationErrorBody = z.object({
  success: z.literal(false),
  error: z.string(),
  code: MigrationCode,
  /** The same as `code`. */
  errorCode: MigrationCode,
  details: z.object({
    fieldErrors: FieldErrors,
    /** The records that prevent a rollback. */
    blockedBy: BlockedBy.optional(),
    requestId: z.string(),
  }),
  /** With COMMIT_FAILED: the part that was completed. */
  dashboardSaved: z.literal(true).optional(),
  migration: z.record(z.string(), z.unknown()).optional(),
  versionControl: CommitResult.optional(),
  requestId: z.string(),
});
export type MigrationErrorBody = z.infer<typeof MigrationErrorBody>;

/** The error body of every area for callers that accept `application/problem+json` (RFC 9457). */
export const ProblemBody = z.object({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  /** The code of the area. */
  code: ProblemCode,
  fieldErrors: FieldErrors.optional(),
  blockedBy: BlockedBy.optional(),
  ...Saved,
  migration: z.record(z.string(), z.unknown()).optional(),
  requestId: z.string(),
});
export type ProblemBody = z.infer<typeof ProblemBody>;

/** The form of the errors of each area. */
export const ERROR_BODIES = {
  management: ManagementErrorBody,
  service: ManagementErrorBody,
  tenantUsers: TenantUserErrorBody,
  token: TokenErrorBody,
  domains: DomainErrorBody,
  security: SecurityErrorBody,
  validation: ValidationErrorBody,
  migration: MigrationErrorBody,
} as const satisfies Record<RouteArea, z.ZodObject>;

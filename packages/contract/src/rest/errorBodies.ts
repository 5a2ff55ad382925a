import { z } from 'zod';
import { ERROR_STATUS, type ErrorCode } from '../errors.js';
import type { RouteArea } from './route.js';

const ErrorCodeName = z.enum(Object.keys(ERROR_STATUS) as [ErrorCode, ...ErrorCode[]]);
const FieldErrors = z.array(z.object({ field: z.string(), message: z.string() }));
const BlockedBy = z.array(z.object({ id: z.string(), title: z.string() }));

/** The error body of sharing, dashboards, visuals, groups, users and whatever has no form of its own. */
export const ManagementErrorBody = z.object({
  error: z.string(),
  details: z.string().optional(),
  code: ErrorCodeName,
  fieldErrors: FieldErrors.optional(),
  /** What stands in the way of a deletion. */
  blockedBy: BlockedBy.optional(),
  requestId: z.string(),
});
export type ManagementErrorBody = z.infer<typeof ManagementErrorBody>;

/** The error body of tenant users: the same fields, none of them left out. */
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

/** The error body of every area for who accepts `application/problem+json` (RFC 9457). */
export const ProblemBody = z.object({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: ErrorCodeName,
  fieldErrors: FieldErrors.optional(),
  blockedBy: BlockedBy.optional(),
  requestId: z.string(),
});
export type ProblemBody = z.infer<typeof ProblemBody>;

/** The form that each area answers its errors in. */
export const ERROR_BODIES = {
  management: ManagementErrorBody,
  service: ManagementErrorBody,
  tenantUsers: TenantUserErrorBody,
  token: TokenErrorBody,
} as const satisfies Record<RouteArea, z.ZodObject>;

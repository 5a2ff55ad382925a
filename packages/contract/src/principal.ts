import { z } from 'zod';
import { InlinePolicies } from './securityConfig.js';
import { Id, ParamValue, SemanticDomainAccess, UserRole } from './vocabulary.js';

/**
 * Restrictions and values that a token carries beside its identity; used by the services that resolve
 * policies and domains.
 */
const TokenGrants = {
  semanticDomainAccess: SemanticDomainAccess.optional(),
  securityParams: z.record(z.string(), ParamValue).optional(),
  policies: InlinePolicies.optional(),
};

export const TokenType = z.enum(['project', 'dashboard']);
export type TokenType = z.infer<typeof TokenType>;

/** A limit on what a project token may do. `sql:compile`: nothing but compile SQL, for any actor. */
export const TokenScope = z.literal('sql:compile');
export type TokenScope = z.infer<typeof TokenScope>;

/**
 * The type in the claims of a token. A token with a scope has a type of its own, so that a part of the
 * platform that does not know the scope rejects the token.
 */
export const ClaimedTokenType = z.enum([...TokenType.options, 'compiler']);
export type ClaimedTokenType = z.infer<typeof ClaimedTokenType>;

/** The claims of an access token. Role and active status are not among them: they are read live. */
export const TokenClaims = z.object({
  iss: z.string(),
  aud: z.string(),
  /** The key of the identity (see `userKey`), or the project's or dashboard's id where there is none. */
  sub: z.string(),
  iat: z.number().int(),
  exp: z.number().int(),
  jti: z.string(),
  type: ClaimedTokenType,
  /** Set on tokens of the type `compiler` alone. */
  scope: TokenScope.optional(),
  projectId: Id,
  /** The same as `projectId`, for readers of either form. */
  project_id: Id,
  organizationId: Id,
  dashboardId: Id.optional(),
  orgUserId: Id.optional(),
  tenantUserId: Id.optional(),
  tenantId: Id.optional(),
  /** The session of the console that the token was issued for. The token ends with it. */
  sessionId: Id.optional(),
  ...TokenGrants,
});
export type TokenClaims = z.infer<typeof TokenClaims>;

const PrincipalBase = {
  tokenType: ClaimedTokenType,
  /** `jti` of the access token. */
  tokenId: z.string(),
  /** Seconds since the epoch at which the access token ends. */
  tokenExpiresAt: z.number().int(),
  organizationId: Id,
  projectId: Id,
  /** The session of the console that the token was issued for. */
  sessionId: Id.optional(),
  /** The only dashboard that a dashboard token reaches. */
  dashboardId: Id.optional(),
  ...TokenGrants,
};

const UserPrincipal = {
  ...PrincipalBase,
  userId: Id,
  /** Identifies this very user: ids may be reused after a deletion, keys never are. */
  userKey: z.string(),
  email: z.string(),
  role: UserRole,
  groupIds: z.array(Id),
};

/**
 * The caller, as the directory resolved it. It travels to the services in the internal token; they trust
 * nothing else.
 */
export const Principal = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('orgUser'), ...UserPrincipal }),
  z.object({ kind: z.literal('tenantUser'), ...UserPrincipal, tenantId: Id, tenantKey: z.string() }),
  /** A project token without an identity. */
  z.object({ kind: z.literal('service'), ...PrincipalBase }),
  /** A dashboard token without an identity. */
  z.object({ kind: z.literal('anonymous'), ...PrincipalBase }),
  /** A project token with the scope `sql:compile`. It reaches only procedures that admit it by name. */
  z.object({ kind: z.literal('compiler'), ...PrincipalBase }),
]);
export type Principal = z.infer<typeof Principal>;
export type OrgUserPrincipal = Extract<Principal, { kind: 'orgUser' }>;
export type TenantUserPrincipal = Extract<Principal, { kind: 'tenantUser' }>;
export type PersonPrincipal = OrgUserPrincipal | TenantUserPrincipal;

/** Whether the principal is a person and therefore has a role. */
export function isPerson(principal: Principal): principal is PersonPrincipal {
  return principal.kind === 'orgUser' || principal.kind === 'tenantUser';
}

/** Whether the token grants its bearer all semantic domains. */
export function seesEveryDomain({
  semanticDomainAccess: access,
}: Pick<Principal, 'semanticDomainAccess'>): boolean {
  return access === undefined || access.mode === 'all';
}

/** The parts of the platform that call services on their own behalf. */
export const SystemName = z.enum(['gateway', 'operator', 'lifecycle']);
export type SystemName = z.infer<typeof SystemName>;
export const SystemCaller = z.object({ kind: z.literal('system'), name: SystemName });
export type SystemCaller = z.infer<typeof SystemCaller>;

/** The callers of a service: a principal, or a part of the platform. */
export const Caller = z.union([Principal, SystemCaller]);
export type Caller = z.infer<typeof Caller>;

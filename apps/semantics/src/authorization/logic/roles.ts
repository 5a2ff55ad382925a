import { AppError, type OrgUserPrincipal, type Principal } from '@gatehouse/contract';
import { seesEveryDomain } from './domainAccess.js';

const DENIALS = {
  dashboardToken: 'A dashboard token reaches its dashboard only',
  noRole: 'This needs a token that acts as a user',
  notAdmin: 'This needs the ADMIN role',
  notAuthor: 'This needs an org user with the AUTHOR or ADMIN role',
  limitedDomains: 'This needs a token that may access all semantic domains',
} as const;

const AUTHOR_ROLES: readonly OrgUserPrincipal['role'][] = ['AUTHOR', 'ADMIN'];

function deny(reason: keyof typeof DENIALS): never {
  throw new AppError('FORBIDDEN', { message: DENIALS[reason] });
}

function isOfDashboard(principal: Principal): boolean {
  return principal.tokenType === 'dashboard' || principal.kind === 'anonymous';
}

function requireRole(
  principal: Principal,
  { roles, reason }: { roles: readonly OrgUserPrincipal['role'][]; reason: keyof typeof DENIALS },
): OrgUserPrincipal {
  if (isOfDashboard(principal)) return deny('dashboardToken');
  if (principal.kind === 'service' || principal.kind === 'compiler') return deny('noRole');
  return principal.kind === 'orgUser' && roles.includes(principal.role) ? principal : deny(reason);
}

/**
 * Whether the caller may read connections, data models and assistant profiles: an org user with AUTHOR or
 * ADMIN.
 */
export function isAuthor(principal: Principal): boolean {
  return !isOfDashboard(principal) && principal.kind === 'orgUser' && AUTHOR_ROLES.includes(principal.role);
}

/**
 * Throws FORBIDDEN unless the caller may read semantic domains, and the facts that dashboards are validated
 * against: with any project token.
 */
export function requireReader(principal: Principal): Principal {
  return isOfDashboard(principal) ? deny('dashboardToken') : principal;
}

/**
 * Throws FORBIDDEN unless the caller may read connections, and read and write data models and assistant
 * profiles: an org user with AUTHOR or ADMIN.
 */
export function requireAuthor(principal: Principal): OrgUserPrincipal {
  return requireRole(principal, { roles: AUTHOR_ROLES, reason: 'notAuthor' });
}

/**
 * Throws FORBIDDEN unless the caller may write connections, and change and delete the semantic domains that
 * the token may access: an org user with ADMIN.
 */
export function requireAdmin(principal: Principal): OrgUserPrincipal {
  return requireRole(principal, { roles: ['ADMIN'], reason: 'notAdmin' });
}

/**
 * Throws FORBIDDEN unless the caller is an ADMIN whose token sees every domain, and so the one it creates.
 */
export function requireDomainCreator(principal: Principal): OrgUserPrincipal {
  const admin = requireAdmin(principal);
  return seesEveryDomain(admin.semanticDomainAccess) ? admin : deny('limitedDomains');
}

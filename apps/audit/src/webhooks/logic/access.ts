import { AppError, seesEveryDomain, type OrgUserPrincipal, type Principal } from '@gatehouse/contract';

/**
 * Throws FORBIDDEN unless the caller is an ADMIN with a project token that hides no semantic domain: events
 * name every domain.
 */
export function requireAdmin(principal: Principal): OrgUserPrincipal {
  const isAdmin =
    principal.kind === 'orgUser' && principal.tokenType === 'project' && principal.role === 'ADMIN';
  if (!isAdmin) throw new AppError('FORBIDDEN', { message: 'This needs the ADMIN role' });
  if (!seesEveryDomain(principal))
    throw new AppError('FORBIDDEN', { message: 'This needs a token without limits on semantic domains' });
  return principal;
}

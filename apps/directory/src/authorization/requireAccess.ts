import { AppError, type OrgUserPrincipal, type Principal } from '@gatehouse/contract';
import {
  authorizeAdmin,
  authorizeGroupManager,
  authorizeReader,
  authorizeSecretKeeper,
  authorizeTenantUserReader,
  type Denial,
  type Reader,
} from './logic/decideAccess.js';

const DENIAL_MESSAGE: Record<Denial, string> = {
  dashboardToken: 'A dashboard token reaches its dashboard only',
  noRole: 'This needs a token that acts as a user',
  notAdmin: 'This needs the ADMIN role',
  notAuthor: 'This needs an org user with the AUTHOR or ADMIN role',
  limitedDomains: 'This needs a token without limits on semantic domains',
};

function orForbidden<T extends object>(decision: T | Denial): T {
  if (typeof decision === 'string') throw new AppError('FORBIDDEN', { message: DENIAL_MESSAGE[decision] });
  return decision;
}

/** The scope in which the caller may read tenants, groups and people. Throws FORBIDDEN. */
export function requireReader(principal: Principal): Reader {
  return orForbidden(authorizeReader(principal));
}

/** The scope in which the caller may read tenant users. Throws FORBIDDEN. */
export function requireTenantUserReader(principal: Principal): Reader {
  return orForbidden(authorizeTenantUserReader(principal));
}

/** The caller as an ADMIN. Throws FORBIDDEN. */
export function requireAdmin(principal: Principal): OrgUserPrincipal {
  return orForbidden(authorizeAdmin(principal));
}

/** The caller as an ADMIN who may receive the secret of a project. Throws FORBIDDEN. */
export function requireSecretKeeper(principal: Principal): OrgUserPrincipal {
  return orForbidden(authorizeSecretKeeper(principal));
}

/** The caller as an org user who may manage groups. Throws FORBIDDEN. */
export function requireGroupManager(principal: Principal): OrgUserPrincipal {
  return orForbidden(authorizeGroupManager(principal));
}

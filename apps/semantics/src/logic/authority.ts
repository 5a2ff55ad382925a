import type { OrgUserPrincipal, Principal } from '@gatehouse/contract';
import { seesEveryDomain } from './domainAccess.js';

/** Why a caller is refused, whatever it asks for by id. */
export type Refusal = 'dashboardToken' | 'noRole' | 'notAdmin' | 'notAuthor' | 'limitedDomains';

/** Who may read semantic domains, and the facts that dashboards are validated against: every project token. */
export function judgeReader(principal: Principal): Principal | Refusal {
  const isOfDashboard = principal.tokenType === 'dashboard' || principal.kind === 'anonymous';
  return isOfDashboard ? 'dashboardToken' : principal;
}

/** Who may read connections, and read and write data models and assistant profiles: org users with AUTHOR or ADMIN. */
export function judgeAuthor(principal: Principal): OrgUserPrincipal | Refusal {
  return judgeOrgUser(principal, { roles: ['AUTHOR', 'ADMIN'], refusal: 'notAuthor' });
}

/** Who may write connections, and change and delete the semantic domains that the token may see: org users with ADMIN. */
export function judgeAdmin(principal: Principal): OrgUserPrincipal | Refusal {
  return judgeOrgUser(principal, { roles: ['ADMIN'], refusal: 'notAdmin' });
}

/** Who may create semantic domains: an ADMIN whose token sees every domain, and so the new one. */
export function judgeDomainCreator(principal: Principal): OrgUserPrincipal | Refusal {
  const admin = judgeAdmin(principal);
  if (typeof admin === 'string') return admin;
  return seesEveryDomain(admin.semanticDomainAccess) ? admin : 'limitedDomains';
}

function judgeOrgUser(
  principal: Principal,
  { roles, refusal }: { roles: readonly OrgUserPrincipal['role'][]; refusal: Refusal },
): OrgUserPrincipal | Refusal {
  if (principal.tokenType === 'dashboard' || principal.kind === 'anonymous') return 'dashboardToken';
  if (principal.kind === 'service') return 'noRole';
  return principal.kind === 'orgUser' && roles.includes(principal.role) ? principal : refusal;
}

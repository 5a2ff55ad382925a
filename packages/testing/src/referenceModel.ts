import type { AccessLevel, GrantPath } from '@gatehouse/contract';
import type { Organization, OrganizationShare } from './organizations.js';

/** One grant as the model sees it. `from` is the share's scope and target, or the linking dashboard. */
export interface ModelGrant {
  level: AccessLevel;
  path: GrantPath;
  from?: string;
}
/** Who asks (null: nobody known), for what, when, and with the token of which dashboard. */
export interface ModelQuestion {
  user: string | null;
  resource: string;
  now: Date;
  tokenOf?: string | undefined;
}

/** Every grant, as the specification's sentences say it. Slow and plain; shares nothing with what it checks. */
export function modelGrants(organization: Organization, question: ModelQuestion): ModelGrant[] {
  const resource = organization.resources[question.resource];
  // A deactivated user is refused.
  if (question.user !== null && !organization.users[question.user]?.isActive) return [];
  const grants = directGrants(organization, question);
  // Sharing a dashboard lets its recipients view the saved visuals linked in its template.
  for (const [from, dashboard] of Object.entries(organization.resources)) {
    const isLinking = dashboard.links.includes(question.resource) && dashboard.project === resource?.project;
    const isRecipient = directGrants(organization, { ...question, resource: from }).length > 0;
    if (isLinking && isRecipient) grants.push({ level: 'VIEWER', path: 'linked dashboard', from });
  }
  // The bearer of a dashboard's token views that dashboard.
  if (question.tokenOf === question.resource && resource?.type === 'dashboard')
    grants.push({ level: 'VIEWER', path: 'token' });
  return grants;
}

function directGrants(organization: Organization, question: ModelQuestion): ModelGrant[] {
  const { user, now } = question;
  const resource = organization.resources[question.resource];
  if (user === null || resource === undefined) return [];
  const grants: ModelGrant[] = [];
  // The owner counts as OWNER.
  if (resource.owner === user) grants.push({ level: 'OWNER', path: 'ownership' });
  for (const share of resource.shares) {
    // Past expiresAt the share grants nothing.
    if (share.expiresAt !== null && now >= share.expiresAt) continue;
    const path = pathTo(organization, user, share);
    if (path !== null) grants.push({ level: share.role, path, from: `${share.scope} ${share.target}` });
  }
  // Not private: the org users view what an org user owns, the users of a tenant what one of them owns.
  const isAtHome = organization.users[user]?.tenant === organization.users[resource.owner]?.tenant;
  if (!resource.isPrivate && isAtHome) grants.push({ level: 'VIEWER', path: 'audience' });
  return grants;
}

/** How a share reaches a user; null when it does not. */
function pathTo(
  organization: Organization,
  user: string,
  { scope, target }: OrganizationShare,
): GrantPath | null {
  const tenant = organization.users[user]?.tenant ?? null;
  const isOrgUser = tenant === null;
  if (scope === 'specific_tenant_user') return !isOrgUser && user === target ? 'share' : null;
  if (scope === 'specific_org_user') return isOrgUser && user === target ? 'share' : null;
  if (scope === 'group') return organization.groups[target ?? '']?.members.includes(user) ? 'group' : null;
  if (scope === 'all_tenant_users') return !isOrgUser && tenant === target ? 'audience' : null;
  if (scope === 'all_tenants_only') return isOrgUser ? null : 'audience';
  return isOrgUser ? 'audience' : null; // all_org_users and org_users_only reach the same people
}

/** Effective access: the lower of the role ceiling and the highest matching grant; null for none. */
export function modelAccess(organization: Organization, question: ModelQuestion): AccessLevel | null {
  const levels = modelGrants(organization, question).map(({ level }) => level);
  const role = question.user === null ? 'VIEWER' : organization.users[question.user]?.role;
  if (role === 'VIEWER') return levels.length > 0 ? 'VIEWER' : null;
  return (
    (['OWNER', 'CONTRIBUTOR', 'EDITOR', 'VIEWER'] as const).find((level) => levels.includes(level)) ?? null
  );
}

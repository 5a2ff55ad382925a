import type { AccessLevel, GrantPath } from '@gatehouse/contract';
import type { Organization, OrganizationShare } from './organizations.js';

/** One grant in the model. `from` is the share's scope and target, or the linking dashboard. */
export interface ModelGrant {
  level: AccessLevel;
  path: GrantPath;
  from?: string;
}
/** The caller (null: unknown), the resource, the time, and the dashboard of a dashboard token. */
export interface ModelQuestion {
  user: string | null;
  resource: string;
  now: Date;
  tokenOf?: string | undefined;
}

/**
 * Every grant, by the sentences of the specification. Slow and plain; it shares no code with the
 * implementation.
 */
export function modelGrants(organization: Organization, question: ModelQuestion): ModelGrant[] {
  const resource = organization.resources[question.resource];
  // A deactivated user is rejected.
  if (question.user !== null && !organization.users[question.user]?.isActive) return [];
  const grants = directGrants(organization, question);
  // Sharing a dashboard lets its recipients view the saved visuals linked in its template.
  for (const [from, dashboard] of Object.entries(organization.resources)) {
    const isLinking = dashboard.links.includes(question.resource) && dashboard.project === resource?.project;
    const isRecipient = directGrants(organization, { ...question, resource: from }).length > 0;
    if (isLinking && isRecipient) grants.push({ level: 'VIEWER', path: 'linked dashboard', from });
  }
  // The bearer of a dashboard's token may view that dashboard.
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
    // After expiresAt the share grants nothing.
    if (share.expiresAt !== null && now >= share.expiresAt) continue;
    const path = pathTo(organization, user, share);
    if (path !== null) grants.push({ level: share.role, path, from: `${share.scope} ${share.target}` });
  }
  // Not private: org users may view what an org user owns, and users of a tenant what one of them owns.
  const isAtHome = organization.users[user]?.tenant === organization.users[resource.owner]?.tenant;
  if (!resource.isPrivate && isAtHome) grants.push({ level: 'VIEWER', path: 'audience' });
  return grants;
}

/** How a share reaches a user; null if it does not. */
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
  return isOrgUser ? 'audience' : null; // all_org_users and org_users_only reach the same users
}

/**
 * Whether a user may add members to a group: an ADMIN, or an AUTHOR whose own access is at least the group's,
 * on everything shared with it.
 */
export function modelMayAddMembers(
  organization: Organization,
  { user, group, now }: { user: string; group: string; now: Date },
): boolean {
  const { role, tenant } = organization.users[user] ?? {};
  if (tenant !== null || role === 'ADMIN') return tenant === null;
  if (role !== 'AUTHOR') return false;
  const levels = ['VIEWER', 'EDITOR', 'CONTRIBUTOR', 'OWNER'];
  return Object.entries(organization.resources).every(([resource, { shares }]) => {
    const own = levels.indexOf(modelAccess(organization, { user, resource, now }) ?? '');
    return shares.every(
      ({ scope, target, role: given, expiresAt }) =>
        scope !== 'group' ||
        target !== group ||
        (expiresAt !== null && now >= expiresAt) ||
        own >= levels.indexOf(given),
    );
  });
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

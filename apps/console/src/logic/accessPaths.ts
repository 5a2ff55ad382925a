import type { AccessExplanation, AccessGrant, AccessLevel, GrantPath, ShareScope } from '@gatehouse/contract';

/** One path from a user to a dashboard. */
export interface AccessPath {
  /** The node between the two, as `Group Revenue team`. */
  via: string;
  /** The level that the grant alone would give. */
  level: AccessLevel;
  wins: boolean;
}

/** The data of the drawing of one user's access. */
export interface AccessPaths {
  user: string;
  dashboard: string;
  role: string;
  ceiling: AccessLevel;
  /** The effective level of the user; null is no access. */
  accessLevel: AccessLevel | null;
  paths: AccessPath[];
}

const SCOPES: Record<ShareScope, string> = {
  specific_tenant_user: 'Share with the tenant user',
  all_tenant_users: 'Share with all users of the tenant',
  specific_org_user: 'Share with the org user',
  all_org_users: 'Share with the whole organization',
  org_users_only: 'Share with all org users',
  all_tenants_only: 'Share with all tenants',
  group: 'Share with a group',
};

const PATHS: Record<GrantPath, string> = {
  ownership: 'Owner of the dashboard',
  share: 'Share',
  group: 'Group',
  audience: 'Audience',
  'linked dashboard': 'A dashboard that links it',
  token: 'Token of the dashboard',
};

/**
 * The paths of an explanation, in its order: the effective grant first. Groups without a known name are shown
 * by id.
 */
export function toAccessPaths(
  { role, ceiling, accessLevel, grants }: AccessExplanation,
  names: { user: string; dashboard: string; groups: ReadonlyMap<string, string> },
): AccessPaths {
  const paths = grants.map((grant) => ({
    via: describeGrant(grant, names.groups),
    level: grant.level,
    wins: grant.wins,
  }));
  return { user: names.user, dashboard: names.dashboard, role, ceiling, accessLevel, paths };
}

function describeGrant({ path, scope, groupId }: AccessGrant, groups: ReadonlyMap<string, string>): string {
  if (groupId !== undefined) return `Group ${groups.get(groupId) ?? groupId}`;
  return scope === undefined ? PATHS[path] : SCOPES[scope];
}

/** The content of the drawing, as sentences. */
export function describePath({ user, dashboard }: AccessPaths, { via, level, wins }: AccessPath): string {
  return `${user} → ${via} → ${dashboard}: ${level}${wins ? ', and this one wins' : ''}`;
}

/** The result of all paths together. */
export function describeOutcome({ user, role, ceiling, accessLevel, paths }: AccessPaths): string {
  if (accessLevel === null) return `${user} has no access.`;
  const winner = paths.find(({ wins }) => wins);
  const isCapped = winner !== undefined && winner.level !== accessLevel;
  return isCapped
    ? `${user} has ${accessLevel}: ${winner.level} was granted, and the role ${role} allows ${ceiling} at most.`
    : `${user} has ${accessLevel}.`;
}

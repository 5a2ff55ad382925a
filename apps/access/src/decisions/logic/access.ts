import {
  ACCESS_LEVELS,
  type AccessLevel,
  type GrantPath,
  type ResourcePermissions,
  type ResourceType,
  type ShareScope,
  type UserRole,
  type UserType,
} from '@gatehouse/contract';

/** The user that access is decided for. */
export interface UserAccessFacts {
  readonly type: UserType;
  /** Never reassigned to another user, unlike an id. */
  readonly userKey: string;
  readonly role: UserRole;
  readonly isActive: boolean;
  /** The key of the user's tenant; null for org users. */
  readonly tenantKey: string | null;
  readonly groupIds: readonly string[];
}

/** The fields of a share that access depends on. */
export interface ShareFacts {
  id: string;
  scope: ShareScope;
  role: AccessLevel;
  /**
   * The subject that the share reaches, from `subjectOfShare`. A user matches if `subjectsOfUser` contains
   * it.
   */
  subject: string;
  /** From this time on, the share grants nothing. */
  expiresAt: Date | null;
}

/** The fields of a dashboard or visual that access depends on. */
export interface ResourceFacts {
  id: string;
  projectId: string;
  type: ResourceType;
  ownerKey: string;
  ownerType: UserType;
  /** The key of the owner's tenant; null for a resource of an org user. */
  ownerTenantKey: string | null;
  isPrivate: boolean;
  shares: readonly ShareFacts[];
}

/** The input of one access decision. */
export interface AccessQuery {
  /** Null for the bearer of a dashboard token without an identity. */
  user: UserAccessFacts | null;
  /** The user's `subjectsOfUser` as a set, if the caller keeps one; computed if absent. */
  subjects?: ReadonlySet<string>;
  resource: ResourceFacts;
  /** The dashboards that link this visual. Those of another project grant nothing. Empty for a dashboard. */
  linkedFrom: readonly ResourceFacts[];
  /** The dashboard of a dashboard token. Its bearer may view that dashboard. */
  tokenDashboardId?: string | undefined;
  now: Date;
}

/** Converts a stored resource into the facts that access depends on. */
export function factsOf(
  type: ResourceType,
  resource: Omit<ResourceFacts, 'id' | 'type'> & { _id: string },
): ResourceFacts {
  const { _id, projectId, ownerKey, ownerType, ownerTenantKey, isPrivate, shares } = resource;
  return { id: _id, type, projectId, ownerKey, ownerType, ownerTenantKey, isPrivate, shares };
}

/** Returns true from the time on at which the share grants nothing. */
export function isExpired(share: Pick<ShareFacts, 'expiresAt'>, now: Date): boolean {
  // The negated comparison treats an invalid date as past.
  return share.expiresAt !== null && !(share.expiresAt.getTime() > now.getTime());
}

/** The prefix of a target's key, by scope; null for a scope without a target. */
const TARGET_KEY_PREFIX: Record<ShareScope, string | null> = {
  specific_tenant_user: 'u:',
  all_tenant_users: 't:',
  specific_org_user: 'u:',
  all_org_users: null,
  org_users_only: null,
  all_tenants_only: null,
  group: 'g:',
};

/** The only user type that a scope can reach; null for a scope that reaches both. */
const REACHED_TYPE: Record<ShareScope, UserType | null> = {
  specific_tenant_user: 'tenant',
  all_tenant_users: 'tenant',
  specific_org_user: 'organization',
  all_org_users: 'organization',
  org_users_only: 'organization',
  all_tenants_only: 'tenant',
  group: null,
};

/** The subject of a group, as stored in a share with that group. */
export function groupKey(groupId: string): string {
  return `g:${groupId}`;
}

/** The id of the group that a subject names; undefined for any other subject. */
export function groupIdOf(subject: string): string | undefined {
  return subject.startsWith('g:') ? subject.slice(2) : undefined;
}

/** Returns true if a share of this scope can reach users of this type. */
export function canReachType(scope: ShareScope, type: UserType): boolean {
  const reached = REACHED_TYPE[scope];
  return reached === null || reached === type;
}

/**
 * Returns the subject that a share reaches: the key of its target (`u:` user, `t:` tenant, `g:` group), or a
 * fixed text for a scope without a target.
 *
 * @throws TypeError if the scope cannot have this target, so that no share is stored for the wrong kind of
 * subject.
 */
export function subjectOfShare(scope: ShareScope, targetKey: string | null): string {
  const prefix = TARGET_KEY_PREFIX[scope];
  if (prefix === null && targetKey === null) return `audience:${scope}`;
  if (prefix !== null && targetKey?.startsWith(prefix) && targetKey.length > prefix.length) return targetKey;
  throw new TypeError(`a share of scope ${scope} cannot have this target`);
}

const HOME_OF_ORG = 'home:org';
export const ALL_TENANTS = subjectOfShare('all_tenants_only', null);
export const ORG_WIDE: ReadonlySet<string> = new Set([
  subjectOfShare('all_org_users', null),
  subjectOfShare('org_users_only', null),
  HOME_OF_ORG,
]);

/** The subject of one tenant's users, as the home audience of a resource that one of them owns. */
function homeOfTenant(tenantKey: string): string {
  return `home:${tenantKey}`;
}

/** Returns every subject of a user: the user's own key, groups, audiences and home audience. */
export function subjectsOfUser(user: UserAccessFacts): string[] {
  const subjects = [user.userKey, ...user.groupIds.map(groupKey)];
  if (user.type === 'organization') return [...subjects, ...ORG_WIDE];
  if (user.tenantKey === null) return [...subjects, ALL_TENANTS];
  return [...subjects, ALL_TENANTS, user.tenantKey, homeOfTenant(user.tenantKey)];
}

/** Returns the subject that may view a resource that is not private; null for a private resource. */
export function homeAudienceOf(
  resource: Pick<ResourceFacts, 'isPrivate' | 'ownerType' | 'ownerTenantKey'>,
): string | null {
  if (resource.isPrivate) return null;
  if (resource.ownerType === 'organization') return HOME_OF_ORG;
  return resource.ownerTenantKey === null ? null : homeOfTenant(resource.ownerTenantKey);
}

/**
 * Returns the distinct subjects that may reach a resource. A user without any of these subjects has no direct
 * access, so an index over them finds every candidate of a list.
 */
export function readersOf(resource: ResourceFacts): string[] {
  const readers = new Set([resource.ownerKey]);
  for (const share of resource.shares) readers.add(share.subject);
  const home = homeAudienceOf(resource);
  if (home !== null) readers.add(home);
  return [...readers];
}

const CEILINGS: Record<UserRole, AccessLevel> = {
  VIEWER: 'VIEWER',
  POWER_USER: 'OWNER',
  AUTHOR: 'OWNER',
  ADMIN: 'OWNER',
};

/** Returns the highest level that any grant gives to a user of this role. */
export function roleCeiling(role: UserRole): AccessLevel {
  return CEILINGS[role];
}

/** Returns the lower of two levels. */
export function lowerOf(a: AccessLevel, b: AccessLevel): AccessLevel {
  return ACCESS_LEVELS.indexOf(a) <= ACCESS_LEVELS.indexOf(b) ? a : b;
}

/** Returns true if `level` includes `wanted`. Null, no access, includes nothing. */
export function isAtLeast(level: AccessLevel | null, wanted: AccessLevel): boolean {
  return level !== null && ACCESS_LEVELS.indexOf(level) >= ACCESS_LEVELS.indexOf(wanted);
}

/** Returns what a caller of this effective level may do with a resource. */
export function permissionsOf(level: AccessLevel | null): ResourcePermissions {
  return {
    canEdit: isAtLeast(level, 'EDITOR'),
    canShare: isAtLeast(level, 'CONTRIBUTOR'),
    canDelete: isAtLeast(level, 'OWNER'),
  };
}

/**
 * Called for each grant: its level, its path, and the share or linking dashboard that it comes from, if any.
 */
export type GrantVisitor = (level: AccessLevel, path: GrantPath, source?: ShareFacts | ResourceFacts) => void;
interface DirectQuery {
  user: UserAccessFacts;
  subjects: ReadonlySet<string>;
  resource: ResourceFacts;
  now: Date;
}

function pathOfShare(share: ShareFacts): GrantPath {
  switch (share.scope) {
    case 'specific_tenant_user':
    case 'specific_org_user':
      return 'share';
    case 'group':
      return 'group';
    case 'all_tenant_users':
    case 'all_org_users':
    case 'org_users_only':
    case 'all_tenants_only':
      return 'audience';
  }
}

/** Visits the grants of the resource itself to an active user: ownership, shares and home audience. */
function visitDirectGrants({ user, subjects, resource, now }: DirectQuery, visit: GrantVisitor): void {
  if (resource.ownerKey === user.userKey) visit('OWNER', 'ownership');
  for (const share of resource.shares) {
    // Most shares are for other users, and the subject is the cheapest check.
    if (!subjects.has(share.subject) || !canReachType(share.scope, user.type)) continue;
    if (!isExpired(share, now)) visit(share.role, pathOfShare(share), share);
  }
  const home = homeAudienceOf(resource);
  if (home !== null && subjects.has(home)) visit('VIEWER', 'audience');
}

function isReachedDirectly(query: DirectQuery): boolean {
  let isReached = false;
  visitDirectGrants(query, () => {
    isReached = true;
  });
  return isReached;
}

/**
 * Returns true if a dashboard gives the user view access to a visual that it links: any access to it is
 * enough.
 */
function isLentBy(dashboard: ResourceFacts, query: DirectQuery): boolean {
  if (dashboard.type !== 'dashboard' || dashboard.projectId !== query.resource.projectId) return false;
  return isReachedDirectly({ ...query, resource: dashboard });
}

/** Visits every grant that applies. The only place that defines what gives access. */
export function visitGrants(query: AccessQuery, visit: GrantVisitor): void {
  const { user, resource, linkedFrom, tokenDashboardId, now } = query;
  if (user !== null) {
    if (!user.isActive) return;
    const direct = { user, subjects: query.subjects ?? new Set(subjectsOfUser(user)), resource, now };
    visitDirectGrants(direct, visit);
    for (const dashboard of resource.type === 'visual' ? linkedFrom : []) {
      if (isLentBy(dashboard, direct)) visit('VIEWER', 'linked dashboard', dashboard);
    }
  }
  if (resource.type === 'dashboard' && resource.id === tokenDashboardId) visit('VIEWER', 'token');
}

export function ceilingOf(user: UserAccessFacts | null): AccessLevel {
  return user === null ? 'VIEWER' : roleCeiling(user.role);
}

/**
 * Returns the effective level without its reasons: the same decision as `effectiveAccess`, and faster.
 */
export function accessLevelOf(query: AccessQuery): AccessLevel | null {
  let highest = -1;
  visitGrants(query, (level) => {
    highest = Math.max(highest, ACCESS_LEVELS.indexOf(level));
  });
  const level = ACCESS_LEVELS[highest];
  return level === undefined ? null : lowerOf(level, ceilingOf(query.user));
}

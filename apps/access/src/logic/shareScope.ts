import type { ShareScope, UserType } from '@gatehouse/contract';
import type { ResourceFacts, UserAccessFacts } from './facts.js';

/** How the key of a target begins, by scope; null where the scope names nobody. */
const TARGET_KEY_PREFIX: Record<ShareScope, string | null> = {
  specific_tenant_user: 'u:',
  all_tenant_users: 't:',
  specific_org_user: 'u:',
  all_org_users: null,
  org_users_only: null,
  all_tenants_only: null,
  group: 'g:',
};

/** The one type of user that a scope can reach; null where both may be reached. */
const REACHED_TYPE: Record<ShareScope, UserType | null> = {
  specific_tenant_user: 'tenant',
  all_tenant_users: 'tenant',
  specific_org_user: 'organization',
  all_org_users: 'organization',
  org_users_only: 'organization',
  all_tenants_only: 'tenant',
  group: null,
};

/** The key of a group, as a share to it names it. */
export function groupKey(groupId: string): string {
  return `g:${groupId}`;
}

/** The id of the group that a subject names; undefined when it names something else. */
export function groupIdOf(subject: string): string | undefined {
  return subject.startsWith('g:') ? subject.slice(2) : undefined;
}

/** True when a share of this scope can reach users of this type at all. */
export function canReachType(scope: ShareScope, type: UserType): boolean {
  const reached = REACHED_TYPE[scope];
  return reached === null || reached === type;
}

/**
 * Whom a share reaches, as one text: the key of the target (a user's `u:`, a tenant's `t:`, a group's `g:`), or the
 * scope's own text where it names nobody.
 *
 * @throws TypeError when the target is none that the scope can have, so that no share is ever written to the wrong kind.
 */
export function subjectOfShare(scope: ShareScope, targetKey: string | null): string {
  const prefix = TARGET_KEY_PREFIX[scope];
  if (prefix === null && targetKey === null) return `audience:${scope}`;
  if (prefix !== null && targetKey?.startsWith(prefix) && targetKey.length > prefix.length) return targetKey;
  throw new TypeError(`a share of scope ${scope} cannot have this target`);
}

const HOME_OF_ORG = 'home:org';
const ALL_TENANTS = subjectOfShare('all_tenants_only', null);
const ORG_WIDE: ReadonlySet<string> = new Set([
  subjectOfShare('all_org_users', null),
  subjectOfShare('org_users_only', null),
  HOME_OF_ORG,
]);

/** The subject of the users of one tenant, as the home audience of what one of them owns. */
function homeOfTenant(tenantKey: string): string {
  return `home:${tenantKey}`;
}

/** Every subject under which a user is reached: the user's own key, groups, audiences and home audience. */
export function subjectsOfUser(user: UserAccessFacts): string[] {
  const subjects = [user.userKey, ...user.groupIds.map(groupKey)];
  if (user.type === 'organization') return [...subjects, ...ORG_WIDE];
  if (user.tenantKey === null) return [...subjects, ALL_TENANTS];
  return [...subjects, ALL_TENANTS, user.tenantKey, homeOfTenant(user.tenantKey)];
}

/** The subject of those who may view a resource that is not private; null while it is private. */
export function homeAudienceOf(resource: ResourceFacts): string | null {
  if (resource.isPrivate) return null;
  if (resource.ownerType === 'organization') return HOME_OF_ORG;
  return resource.ownerTenantKey === null ? null : homeOfTenant(resource.ownerTenantKey);
}

/**
 * The distinct subjects that may reach a resource. Nobody whose subjects share none of them has direct access, so an
 * index over them finds every candidate of a list.
 */
export function readersOf(resource: ResourceFacts): string[] {
  const readers = new Set([resource.ownerKey]);
  for (const share of resource.shares) readers.add(share.subject);
  const home = homeAudienceOf(resource);
  if (home !== null) readers.add(home);
  return [...readers];
}

/** Whom a set of subjects reaches, in the terms that users are looked up by. */
export interface ReaderSelectors {
  userKeys: string[];
  tenantKeys: string[];
  groupIds: string[];
  allOrgUsers: boolean;
  allTenantUsers: boolean;
}

/** Turns `readersOf` around: selects every user whom one of the subjects reaches, and none beside them. */
export function selectorsOfReaders(readers: readonly string[]): ReaderSelectors {
  const selectors: ReaderSelectors = {
    userKeys: [],
    tenantKeys: [],
    groupIds: [],
    allOrgUsers: false,
    allTenantUsers: false,
  };
  const tenantKeys = new Set<string>();
  for (const reader of readers) {
    const groupId = groupIdOf(reader);
    if (groupId !== undefined) selectors.groupIds.push(groupId);
    else if (reader.startsWith('u:')) selectors.userKeys.push(reader);
    else if (reader.startsWith('t:')) tenantKeys.add(reader);
    else if (reader === ALL_TENANTS) selectors.allTenantUsers = true;
    else if (ORG_WIDE.has(reader)) selectors.allOrgUsers = true;
    else if (reader.startsWith('home:')) tenantKeys.add(reader.slice('home:'.length));
  }
  return { ...selectors, tenantKeys: [...tenantKeys] };
}

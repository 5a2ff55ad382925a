import type { AccessLevel, ShareListEntry, ShareScope, UserRole } from '@gatehouse/contract';

/** The levels from the lowest to the highest. */
export const LEVELS: readonly AccessLevel[] = ['VIEWER', 'EDITOR', 'CONTRIBUTOR', 'OWNER'];

/** The names of the access levels. */
export const LEVEL_NAMES: Readonly<Record<AccessLevel, string>> = {
  VIEWER: 'Viewer',
  EDITOR: 'Editor',
  CONTRIBUTOR: 'Contributor',
  OWNER: 'Owner',
};

/** The names of the roles. */
export const ROLE_NAMES: Readonly<Record<UserRole, string>> = {
  VIEWER: 'Viewer',
  POWER_USER: 'Power user',
  AUTHOR: 'Author',
  ADMIN: 'Admin',
};

/** The name of a level of a record that may be of a later version. */
export function levelName(level: string): string {
  return LEVEL_NAMES[level as AccessLevel] ?? level;
}

/** The name of a role of a record that may be of a later version. */
export function roleName(role: string): string {
  return ROLE_NAMES[role as UserRole] ?? role;
}

/** What a level permits. */
export const LEVEL_MEANINGS: Readonly<Record<AccessLevel, string>> = {
  VIEWER: 'can view it',
  EDITOR: 'can view and change it',
  CONTRIBUTOR: 'can view, change and share it',
  OWNER: 'can view, change, share and delete it',
};

/** What a scope covers. */
export const SCOPE_NAMES: Readonly<Record<ShareScope, string>> = {
  specific_tenant_user: 'Tenant user',
  all_tenant_users: 'Everyone in a tenant',
  specific_org_user: 'Organization user',
  all_org_users: 'All organization users',
  org_users_only: 'Organization users only',
  all_tenants_only: 'All tenants',
  group: 'Group',
};

/** The field that names the target, by scope. */
const TARGET_FIELDS: Readonly<
  Partial<Record<ShareScope, 'tenantUserId' | 'tenantId' | 'orgUserId' | 'groupId'>>
> = {
  specific_tenant_user: 'tenantUserId',
  all_tenant_users: 'tenantId',
  specific_org_user: 'orgUserId',
  group: 'groupId',
};

/** An entry of a request that grants or revokes. */
export type ShareEntry = { scope: ShareScope } & Partial<
  Record<'tenantUserId' | 'tenantId' | 'orgUserId' | 'groupId', string>
>;

/** The entry that names a target by its scope; scopes without a target ignore the id. */
export function entryOf(scope: ShareScope, targetId: string | null): ShareEntry {
  const field = TARGET_FIELDS[scope];
  return field === undefined || targetId === null ? { scope } : { scope, [field]: targetId };
}

/** Whether a scope needs a target. */
export function hasTarget(scope: ShareScope): boolean {
  return TARGET_FIELDS[scope] !== undefined;
}

/** The shares of all scopes as one list, the oldest first. */
export function flattenShares(lists: Readonly<Record<string, unknown>>): ShareListEntry[] {
  const entries = Object.values(lists).flatMap((list) =>
    Array.isArray(list) ? (list as ShareListEntry[]) : [],
  );
  return entries.toSorted((a, b) => a.grantedAt.localeCompare(b.grantedAt));
}

/** The highest level that any grant gives to a user of this role. */
function ceilingOf(role: UserRole): AccessLevel {
  return role === 'VIEWER' ? 'VIEWER' : 'OWNER';
}

/** What a grant of a level gives to a user of a role, as a sentence; null if the role does not limit it. */
export function explainCeiling(name: string, role: UserRole, level: AccessLevel): string | null {
  const ceiling = ceilingOf(role);
  if (LEVELS.indexOf(level) <= LEVELS.indexOf(ceiling)) return null;
  return (
    `${name} has the role ${ROLE_NAMES[role]}, which allows ${LEVEL_NAMES[ceiling]} at most. ` +
    `The grant of ${LEVEL_NAMES[level]} has full effect once the role is raised; ` +
    `until then ${name} ${LEVEL_MEANINGS[ceiling]}.`
  );
}

/** The share with an audience, if there is one: granting to the audience again replaces it. */
export function findShare(
  shares: readonly ShareListEntry[],
  scope: ShareScope,
  targetId: string | null,
): ShareListEntry | undefined {
  return shares.find((share) => share.scope === scope && (share.target?.id ?? null) === targetId);
}

/** A user, as far as it decides which shares may include them. */
export interface ShareReader {
  id: string;
  kind: 'orgUser' | 'tenantUser';
  tenantId?: string;
}

const INCLUDES: Readonly<Record<ShareScope, (user: ShareReader, targetId: string | undefined) => boolean>> = {
  specific_tenant_user: ({ id }, targetId) => id === targetId,
  specific_org_user: ({ id }, targetId) => id === targetId,
  all_tenant_users: ({ tenantId }, targetId) => tenantId === targetId,
  all_org_users: () => true,
  org_users_only: ({ kind }) => kind === 'orgUser',
  all_tenants_only: ({ kind }) => kind === 'tenantUser',
  // The session does not have the groups of its user.
  group: () => true,
};

/** Whether a user may have the right to share from this share. */
export function mayGiveSharing({ scope, role, target }: ShareListEntry, user: ShareReader): boolean {
  return LEVELS.indexOf(role) >= LEVELS.indexOf('CONTRIBUTOR') && INCLUDES[scope](user, target?.id);
}

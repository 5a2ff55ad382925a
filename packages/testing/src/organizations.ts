import {
  ACCESS_LEVELS,
  GROUP_TYPES,
  OrgUserRole,
  RESOURCE_TYPES,
  SHARE_SCOPES,
  TenantUserRole,
  type AccessLevel,
  type GroupType,
  type ResourceType,
  type ShareScope,
  type UserRole,
} from '@gatehouse/contract';
import fc from 'fast-check';

/** A user of an organization: of one of its tenants, or, if `tenant` is null, of the organization itself. */
export interface OrganizationUser {
  tenant: string | null;
  role: UserRole;
  isActive: boolean;
}

export interface OrganizationGroup {
  type: GroupType;
  /** The tenant of a TENANT_GROUP, else null. */
  tenant: string | null;
  members: string[];
}

export interface OrganizationShare {
  scope: ShareScope;
  /** The user, tenant or group by name; null for scopes without a target. */
  target: string | null;
  role: AccessLevel;
  expiresAt: Date | null;
}

export interface OrganizationResource {
  type: ResourceType;
  project: string;
  owner: string;
  isPrivate: boolean;
  /** The visuals that a dashboard's template links. */
  links: string[];
  /** At most one for a scope and target. */
  shares: OrganizationShare[];
}

/** Everything in one organization that access depends on, by name. */
export interface Organization {
  tenants: string[];
  users: Record<string, OrganizationUser>;
  groups: Record<string, OrganizationGroup>;
  resources: Record<string, OrganizationResource>;
}

/** The moment at which access in random organizations is evaluated. */
export const RANDOM_NOW = new Date('2026-01-15T12:00:00.000Z');
const EXPIRIES = [null, null, new Date(+RANDOM_NOW - 1), RANDOM_NOW, new Date(+RANDOM_NOW + 1)];

// Every choice is a number that later selects from the existing records, so that shrinking keeps an
// organization valid.
const choice = fc.nat(9999);
const choices = fc.array(choice, { maxLength: 4 });
const seeds = {
  tenantCount: fc.integer({ min: 1, max: 3 }),
  users: fc.array(fc.record({ tenant: fc.nat(3), role: choice, isActive: fc.nat(5).map((n) => n > 0) }), {
    minLength: 1,
    maxLength: 7,
  }),
  groups: fc.array(fc.record({ type: choice, tenant: choice, members: choices }), { maxLength: 3 }),
  resources: fc.array(
    fc.record({
      type: choice,
      project: fc.nat(3),
      owner: choice,
      isPrivate: fc.boolean(),
      links: choices,
      shares: fc.array(fc.record({ scope: choice, target: choice, role: choice, expiry: choice }), {
        maxLength: 5,
      }),
    }),
    { minLength: 1, maxLength: 6 },
  ),
};
type Seeds = { [K in keyof typeof seeds]: (typeof seeds)[K] extends fc.Arbitrary<infer T> ? T : never };
type ShareSeed = Seeds['resources'][number]['shares'][number];

function pick<T>(from: readonly T[], index: number): T | undefined {
  return from.length === 0 ? undefined : from[index % from.length];
}

function named<T>(prefix: string, values: readonly T[]): Record<string, T> {
  return Object.fromEntries(values.map((value, index) => [`${prefix}${index + 1}`, value]));
}

function userFrom(seed: Seeds['users'][number], tenants: string[]): OrganizationUser {
  // One choice beyond the tenants is the organization itself.
  const tenant = [...tenants, null][seed.tenant % (tenants.length + 1)] ?? null;
  const roles = tenant === null ? OrgUserRole.options : TenantUserRole.options;
  return { tenant, role: pick<UserRole>(roles, seed.role) ?? 'VIEWER', isActive: seed.isActive };
}

function groupFrom(seed: Seeds['groups'][number], { tenants, users }: Organization): OrganizationGroup {
  const type = pick(GROUP_TYPES, seed.type) ?? 'ORG_GROUP';
  const tenant = type === 'TENANT_GROUP' ? (pick(tenants, seed.tenant) ?? null) : null;
  const eligible = Object.keys(users).filter((name) => tenant === null || users[name]?.tenant === tenant);
  const members = seed.members.flatMap((index) => pick(eligible, index) ?? []);
  return { type, tenant, members: [...new Set(members)] };
}

/** The names of the possible targets of a share with this scope; null for scopes without a target. */
export function targetsOf(scope: ShareScope, { tenants, users, groups }: Organization): string[] | null {
  const usersOf = (isTenantUser: boolean) =>
    Object.keys(users).filter((name) => (users[name]?.tenant !== null) === isTenantUser);
  switch (scope) {
    case 'specific_tenant_user':
      return usersOf(true);
    case 'specific_org_user':
      return usersOf(false);
    case 'all_tenant_users':
      return tenants;
    case 'group':
      return Object.keys(groups);
    case 'all_org_users':
    case 'org_users_only':
    case 'all_tenants_only':
      return null;
  }
}

function shareFrom(seed: ShareSeed, organization: Organization): OrganizationShare[] {
  const scope = pick(SHARE_SCOPES, seed.scope) ?? 'group';
  const targets = targetsOf(scope, organization);
  const target = targets === null ? null : pick(targets, seed.target);
  if (target === undefined) return [];
  const role = pick(ACCESS_LEVELS, seed.role) ?? 'VIEWER';
  return [{ scope, target, role, expiresAt: pick(EXPIRIES, seed.expiry) ?? null }];
}

function build(seed: Seeds): Organization {
  const tenants = Array.from({ length: seed.tenantCount }, (_, index) => `tenant${index + 1}`);
  const organization: Organization = { tenants, users: {}, groups: {}, resources: {} };
  organization.users = named(
    'user',
    seed.users.map((user) => userFrom(user, tenants)),
  );
  organization.groups = named(
    'group',
    seed.groups.map((group) => groupFrom(group, organization)),
  );
  const types = seed.resources.map(({ type }) => pick(RESOURCE_TYPES, type) ?? 'dashboard');
  const visuals = types.flatMap((type, index) => (type === 'visual' ? [`resource${index + 1}`] : []));
  organization.resources = named(
    'resource',
    seed.resources.map(({ project, owner, isPrivate, links, shares }, index) => ({
      type: types[index] ?? 'dashboard',
      project: project === 0 ? 'aside' : 'main',
      owner: pick(Object.keys(organization.users), owner) ?? '',
      isPrivate,
      links: types[index] === 'visual' ? [] : links.flatMap((link) => pick(visuals, link) ?? []),
      shares: mergeShares(shares.flatMap((share) => shareFrom(share, organization))),
    })),
  );
  return organization;
}

/** The shares after these grants in their order: for the same scope and target, the last one remains. */
export function mergeShares(shares: readonly OrganizationShare[]): OrganizationShare[] {
  return [...new Map(shares.map((share) => [`${share.scope} ${share.target}`, share])).values()];
}

/** Random small organizations, so that users, groups and tenants often overlap. */
export const organizations: fc.Arbitrary<Organization> = fc.record(seeds).map(build);

/** A random organization and a share that could be added to one of its resources. */
export const organizationsWithShare: fc.Arbitrary<{
  organization: Organization;
  resource: string;
  share: OrganizationShare;
}> = fc
  .record({
    organization: organizations,
    resource: choice,
    seed: fc.record({ scope: choice, target: choice, role: choice, expiry: choice }),
  })
  .map(({ organization, resource, seed }) => ({
    organization,
    resource: pick(Object.keys(organization.resources), resource) ?? '',
    share: shareFrom(seed, organization)[0] ?? {
      scope: 'all_tenants_only',
      target: null,
      role: 'VIEWER',
      expiresAt: null,
    },
  }));

import type {
  AccessLevel,
  GroupType,
  OrgUserRole,
  ResourceType,
  ShareScope,
  TenantUserRole,
  UserRole,
} from '@gatehouse/contract';
import {
  modelAccess,
  RANDOM_NOW,
  type AccessCase,
  type Organization,
  type OrganizationShare,
} from '@gatehouse/testing';

/** When a share ends: never, some time after the questions, or before them. */
export type Expiry = 'never' | 'future' | 'past';

export interface PlannedTarget {
  scope: ShareScope;
  /** By its name in the plan; null for scopes without a target. */
  target: string | null;
  /** Who grants or revokes, where it is not the owner. */
  by?: string | undefined;
}

export interface PlannedShare extends PlannedTarget {
  role: AccessLevel;
  expiry: Expiry;
}

export interface PlannedResource {
  type: ResourceType;
  project: string;
  owner: string;
  isPrivate: boolean;
  links: readonly string[];
  /** Further fields of the record, and of its template or frame object. */
  fields?: Record<string, unknown>;
  content?: Record<string, unknown>;
  shares: readonly PlannedShare[];
  revoked: readonly PlannedTarget[];
  takenOverBy?: string | undefined;
}

export type PlannedUser = {
  later: { role?: UserRole | undefined; isActive?: boolean | undefined };
  /** Further fields of the record. */
  fields?: Record<string, string>;
} & ({ tenant: null; role: OrgUserRole } | { tenant: string; role: TenantUserRole });

/** An organization and how it came about, everything by its name, as requests can make it in this order. */
export interface Plan {
  tenants: readonly string[];
  users: Record<string, PlannedUser>;
  groups: Record<string, { type: GroupType; tenant: string | null; members: readonly string[] }>;
  /** Visuals first, because dashboards link them. */
  resources: Record<string, PlannedResource>;
  /** Granted by the owners when everything is there. */
  lastShares: readonly { resource: string; share: PlannedShare }[];
}

const mapValues = <T, U>(record: Record<string, T>, change: (value: T, key: string) => U) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));

function userOf(tenant: string | null, role: UserRole, later: PlannedUser['later']): PlannedUser {
  return (tenant === null ? { tenant, role, later } : { tenant, role, later }) as PlannedUser;
}

/** The plan of a case, as cases/README.md has it. */
export function planOfCase({ tenants, users, groups, dashboards, visuals }: AccessCase): Plan {
  const resourceOf = (
    type: ResourceType,
    { owner, isPrivate, shares, revoked, takenOverBy }: AccessCase['visuals'][string],
    links: readonly string[],
  ): PlannedResource => ({
    type,
    project: 'main',
    owner,
    isPrivate,
    links,
    takenOverBy,
    shares: shares.map(({ scope, target = null, role, expires, by }) => {
      return { scope, target, role, by, expiry: expires ?? 'never' };
    }),
    revoked: revoked.map(({ scope, target = null, by }) => ({ scope, target, by })),
  });
  return {
    tenants,
    users: mapValues(users, ({ tenant, role, later }) => userOf(tenant ?? null, role, later)),
    groups: mapValues(groups, ({ type, tenant, members }) => ({ type, tenant: tenant ?? null, members })),
    resources: {
      ...mapValues(visuals, (visual) => resourceOf('visual', visual, [])),
      ...mapValues(dashboards, (dashboard) => resourceOf('dashboard', dashboard, dashboard.links)),
    },
    lastShares: [],
  };
}

/** Whether a tenant user may share so: what goes beyond its own tenant is refused. */
export function isWithinTenant(
  { users, groups }: Pick<Organization, 'users' | 'groups'>,
  tenant: string,
  { scope, target }: Pick<OrganizationShare, 'scope' | 'target'>,
): boolean {
  if (scope === 'specific_tenant_user') return users[target ?? '']?.tenant === tenant;
  if (scope === 'group') return groups[target ?? '']?.tenant === tenant;
  return scope === 'all_tenant_users' && target === tenant;
}

const hasEnded = ({ expiresAt }: OrganizationShare) => expiresAt !== null && expiresAt <= RANDOM_NOW;

/**
 * The nearest possible organization: tenant users share only inside their tenant, and a dashboard gives
 * access to the visuals that its owner could see when it linked them.
 */
export function possibleOrganization(random: Organization): Organization {
  const organization: Organization = { ...random, resources: {} };
  const everybody = { ...random, users: mapValues(random.users, (user) => ({ ...user, isActive: true })) };
  const byType = Object.entries(random.resources).toSorted(([, a], [, b]) => (a.type < b.type ? 1 : -1));
  for (const [name, resource] of byType) {
    const tenant = random.users[resource.owner]?.tenant ?? null;
    const shares = resource.shares.filter(
      (share) => tenant === null || isWithinTenant(random, tenant, share),
    );
    // The state while this resource is created: expired shares come last, so they give access to nothing.
    const soFar = { ...everybody, resources: organization.resources };
    const links = resource.links.filter((link) => {
      const question = { user: resource.owner, resource: link, now: RANDOM_NOW };
      return soFar.resources[link]?.project === resource.project && modelAccess(soFar, question) !== null;
    });
    organization.resources[name] = { ...resource, shares, links };
  }
  return organization;
}

/**
 * The steps that create the possible organization from a random one: an owner may create at first, and gets
 * its final role later. Templates name every visual, also those that they must not give access to.
 */
export function planOfOrganization(random: Organization, possible: Organization): Plan {
  const { tenants, users, groups, resources } = possible;
  const planned = (share: OrganizationShare): PlannedShare => {
    const { scope, target, role, expiresAt } = share;
    return {
      scope,
      target,
      role,
      expiry: expiresAt === null ? 'never' : hasEnded(share) ? 'past' : 'future',
    };
  };
  return {
    tenants,
    users: mapValues(users, ({ tenant, role, isActive }) =>
      userOf(tenant, tenant === null ? 'AUTHOR' : 'POWER_USER', { role, isActive }),
    ),
    groups,
    resources: mapValues(resources, (resource, name) => ({
      ...resource,
      links: random.resources[name]?.links ?? [],
      shares: resource.shares.filter((share) => !hasEnded(share)).map(planned),
      revoked: [],
    })),
    lastShares: Object.entries(resources).flatMap(([resource, { shares }]) =>
      shares.filter(hasEnded).map((share) => ({ resource, share: planned(share) })),
    ),
  };
}

import { modelAccess, organizations, RANDOM_NOW, type Organization } from '@gatehouse/testing';
import fc from 'fast-check';

/** Numbers that pick from what an organization has. */
interface VariantSeed {
  order: number[];
  /** Null leaves the organization as it is. */
  resource: number | null;
  orgUser: number;
}

const choice = fc.nat(9999);
const variantSeeds: fc.Arbitrary<VariantSeed> = fc.record({
  order: fc.array(choice, { minLength: 6, maxLength: 6 }),
  resource: fc.option(choice, { freq: 2 }),
  orgUser: choice,
});

/** The same with names whose order is not that of the creation: `apply` creates in the order of names. */
function shuffleNames(organization: Organization, order: readonly number[]): Organization {
  const names = Object.keys(organization.resources);
  const ranked = names.toSorted((a, b) => (order[names.indexOf(a)] ?? 0) - (order[names.indexOf(b)] ?? 0));
  const nameOf = (name: string) => `resource${ranked.indexOf(name) + 1}`;
  const resources = Object.entries(organization.resources).map(
    ([name, resource]) => [nameOf(name), { ...resource, links: resource.links.map(nameOf) }] as const,
  );
  return { ...organization, resources: Object.fromEntries(resources) };
}

/** Whether active users may read a resource, and all of them belong to tenants. */
function isReadByTenantsOnly(organization: Organization, resource: string): boolean {
  const readers = Object.entries(organization.users).filter(
    ([user, { isActive }]) =>
      isActive && modelAccess(organization, { user, resource, now: RANDOM_NOW }) !== null,
  );
  return readers.length > 0 && readers.every(([, { tenant }]) => tenant !== null);
}

/** Whether a deactivated org user owns a resource that only tenant users may read. */
export function isOfAbsentOwner(organization: Organization, resource: string): boolean {
  const owner = organization.users[organization.resources[resource]?.owner ?? ''];
  return owner?.tenant === null && !owner.isActive && isReadByTenantsOnly(organization, resource);
}

/**
 * The same where the owner of a resource is deactivated, and only tenant users may read it: they see none of
 * its shares with org users and with all tenants.
 */
function deactivateOwner(organization: Organization, seed: VariantSeed): Organization {
  const { resources, users } = organization;
  const names = Object.keys(resources);
  const orgUsers = Object.keys(users).filter((name) => users[name]?.tenant === null);
  const name = names[(seed.resource ?? 0) % names.length] ?? '';
  const owner = orgUsers[seed.orgUser % orgUsers.length];
  const found = resources[name];
  if (seed.resource === null || !found || owner === undefined) return organization;
  const user = users[owner];
  const changed = {
    ...organization,
    users: user ? { ...users, [owner]: { ...user, isActive: false } } : users,
  };
  const withShares = (shares: typeof found.shares): Organization => {
    return { ...changed, resources: { ...resources, [name]: { ...found, owner, isPrivate: true, shares } } };
  };
  const hasNoOrgReader = (share: (typeof found.shares)[number]) => {
    const shared = withShares([{ ...share, expiresAt: null }]);
    return orgUsers.every(
      (reader) => modelAccess(shared, { user: reader, resource: name, now: RANDOM_NOW }) === null,
    );
  };
  const others = found.shares.filter(({ scope }) => scope !== 'all_tenants_only');
  return withShares([
    ...others.filter(hasNoOrgReader),
    { scope: 'all_tenants_only', target: null, role: 'VIEWER', expiresAt: null },
  ]);
}

/** Random organizations, many with resources that are hard to read. */
export const copiedOrganizations: fc.Arbitrary<Organization> = fc
  .tuple(organizations, variantSeeds)
  .map(([organization, seed]) => deactivateOwner(shuffleNames(organization, seed.order), seed));

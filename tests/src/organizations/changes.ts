import { ACCESS_LEVELS, SHARE_SCOPES, type AccessLevel, type UserRole } from '@gatehouse/contract';
import {
  mergeShares,
  modelAccess,
  modelGrants,
  modelMayAddMembers,
  RANDOM_NOW,
  targetsOf,
  type Organization,
  type OrganizationResource,
  type OrganizationShare,
} from '@gatehouse/testing';
import fc from 'fast-check';
import { isWithinTenant } from './plan.js';
import type { Expectations } from './ways.js';

/** Changes of an organization, by numbers that later pick from what there is. */
export interface ChangeSeed {
  kind: number;
  user: number;
  resource: number;
  scope: number;
  target: number;
  role: number;
}
const choice = fc.nat(9999);
export const changeSeeds: fc.Arbitrary<ChangeSeed> = fc.record({
  kind: choice,
  user: choice,
  resource: choice,
  scope: choice,
  target: choice,
  role: choice,
});

export function pick<T>(elements: readonly T[], index: number): T | undefined {
  return elements.length === 0 ? undefined : elements[index % elements.length];
}

/** A share that the organization could be given: its target exists. */
function shareFrom(seed: ChangeSeed, organization: Organization): OrganizationShare | undefined {
  const scope = pick(SHARE_SCOPES, seed.scope) ?? 'group';
  const targets = targetsOf(scope, organization);
  const target = targets === null ? null : pick(targets, seed.target);
  const role = pick(ACCESS_LEVELS, seed.role) ?? 'VIEWER';
  return target === undefined ? undefined : { scope, target, role, expiresAt: null };
}

const rank = (level: AccessLevel | null) => (level === null ? -1 : ACCESS_LEVELS.indexOf(level));

export function findShare({ shares }: OrganizationResource, { scope, target }: OrganizationShare) {
  return shares.find((share) => share.scope === scope && share.target === target);
}

/** Who shares what, on which resource. */
export interface SharingAttempt {
  user: string;
  resource: string;
  share: OrganizationShare;
}

/** The status that a grant or a revocation has to answer; a revocation is about no role of its own. */
export function predictSharing(
  organization: Organization,
  { user, resource, share }: SharingAttempt,
  isGrant: boolean,
): number {
  const sharer = organization.users[user];
  const found = organization.resources[resource];
  if (!sharer?.isActive || !found) return 401;
  const level = modelAccess(organization, { user, resource, now: RANDOM_NOW });
  if (level === null) return 404;
  if (rank(level) < rank('CONTRIBUTOR')) return 403;
  if (sharer.tenant !== null && !isWithinTenant(organization, sharer.tenant, share)) return 403;
  const existing = findShare(found, share)?.role ?? null;
  const highest = Math.max(rank(existing), isGrant ? rank(share.role) : -1);
  return highest > rank(level) ? 403 : 200;
}

/** Who adds whom to which group, or removes them from it. */
export interface MembershipAttempt {
  /** Null stands for an ADMIN outside of the model. */
  by: string | null;
  user: string;
  group: string;
}

/** The status of adding a member to a group or, when the user is a member, of removing it. */
export function predictMembership(
  organization: Organization,
  { by, user, group }: MembershipAttempt,
): number {
  const manager = by === null ? null : organization.users[by];
  const found = organization.groups[group];
  if (manager?.isActive === false) return 401;
  const canManage =
    manager === null || (manager?.tenant === null && ['ADMIN', 'AUTHOR'].includes(manager.role));
  if (!canManage) return 403;
  if (found?.members.includes(user)) return 200;
  if (found?.tenant !== null && organization.users[user]?.tenant !== found?.tenant) return 400;
  return by === null || modelMayAddMembers(organization, { user: by, group, now: RANDOM_NOW }) ? 200 : 403;
}

const lowerRolesOf = (share: OrganizationShare) =>
  ACCESS_LEVELS.slice(0, ACCESS_LEVELS.indexOf(share.role)).map((role) => ({ ...share, role }));

/** The elements in their order, beginning with the one that a number picks. */
function from<T>(elements: readonly T[], index: number): T[] {
  const start = elements.length === 0 ? 0 : index % elements.length;
  return [...elements.slice(start), ...elements.slice(0, start)];
}

/** An allowed attempt, if there is one: after enough deactivations no user may share anything. */
export function findAllowed(
  model: Organization,
  seed: ChangeSeed,
  isGrant: boolean,
): SharingAttempt | undefined {
  const drawn = shareFrom(seed, model);
  for (const [resource, { shares }] of from(Object.entries(model.resources), seed.resource)) {
    const candidates = isGrant ? [drawn, ...(drawn ? lowerRolesOf(drawn) : [])] : from(shares, seed.target);
    for (const share of candidates) {
      const may = (user: string) =>
        share && predictSharing(model, { user, resource, share }, isGrant) === 200;
      const user = from(Object.keys(model.users), seed.user).find(may);
      if (user !== undefined && share) return { user, resource, share };
    }
  }
  return undefined;
}

/** The allowed attempt to make a user a contributor, if there is one. */
export function findDelegation(model: Organization, seed: ChangeSeed): SharingAttempt | undefined {
  const now = RANDOM_NOW;
  for (const resource of from(Object.keys(model.resources), seed.resource)) {
    for (const [target, { tenant, role, isActive }] of from(Object.entries(model.users), seed.target)) {
      const level = modelAccess(model, { user: target, resource, now });
      if (!isActive || role === 'VIEWER' || rank(level) >= rank('CONTRIBUTOR')) continue;
      const scope = tenant === null ? 'specific_org_user' : 'specific_tenant_user';
      const share: OrganizationShare = { scope, target, role: 'CONTRIBUTOR', expiresAt: null };
      const may = (user: string) => predictSharing(model, { user, resource, share }, true) === 200;
      const user = Object.keys(model.users).find(may);
      if (user !== undefined) return { user, resource, share };
    }
  }
  return undefined;
}

/** What a contributor may share within its reach, up to its own level, and what goes beyond it. */
export function attemptsOfContributor(
  { users }: Organization,
  { user, resource }: Pick<SharingAttempt, 'user' | 'resource'>,
): SharingAttempt[] {
  const tenant = users[user]?.tenant ?? null;
  const scope = tenant === null ? 'all_org_users' : 'all_tenant_users';
  return ACCESS_LEVELS.toReversed().map((role) => {
    return { user, resource, share: { scope, target: tenant, role, expiresAt: null } };
  });
}

/** The attempt of any user. */
export function drawAttempt(model: Organization, seed: ChangeSeed): SharingAttempt | undefined {
  const share = shareFrom(seed, model);
  const user = pick(Object.keys(model.users), seed.user);
  const resource = pick(Object.keys(model.resources), seed.resource);
  return share && user && resource ? { user, resource, share } : undefined;
}

function withShares(
  organization: Organization,
  resource: string,
  change: (shares: OrganizationShare[]) => OrganizationShare[],
): Organization {
  const found = organization.resources[resource];
  if (!found) return organization;
  const changed = { ...found, shares: change(found.shares) };
  return { ...organization, resources: { ...organization.resources, [resource]: changed } };
}

export function afterGrant(organization: Organization, { resource, share }: SharingAttempt): Organization {
  return withShares(organization, resource, (shares) => mergeShares([...shares, share]));
}

export function afterRevocation(
  organization: Organization,
  { resource, share: { scope, target } }: SharingAttempt,
): Organization {
  return withShares(organization, resource, (shares) =>
    shares.filter((share) => share.scope !== scope || share.target !== target),
  );
}

export function afterUserChange(
  organization: Organization,
  user: string,
  change: { role?: UserRole; isActive?: boolean },
): Organization {
  const found = organization.users[user];
  return found
    ? { ...organization, users: { ...organization.users, [user]: { ...found, ...change } } }
    : organization;
}

export function afterMembership(organization: Organization, group: string, members: string[]): Organization {
  const found = organization.groups[group];
  return found
    ? { ...organization, groups: { ...organization.groups, [group]: { ...found, members } } }
    : organization;
}

const PATHS = ['ownership', 'share', 'group', 'audience', 'linked dashboard', 'token'] as const;

/**
 * The expectation of the reference model for all users and resources; of several winning paths the most
 * personal one.
 */
export function expectationsOf(organization: Organization): Expectations {
  return Object.fromEntries(
    Object.entries(organization.users).map(([user, { isActive }]) => {
      const access = Object.keys(organization.resources).map((resource) => {
        const question = { user, resource, now: RANDOM_NOW };
        const level = modelAccess(organization, question);
        const grants = modelGrants(organization, question);
        const highest = Math.max(...grants.map((grant) => rank(grant.level)));
        const paths = grants.filter((grant) => rank(grant.level) === highest).map(({ path }) => path);
        const path = PATHS.find((candidate) => paths.includes(candidate));
        return [resource, level === null || path === undefined ? null : { level, path }];
      });
      return [user, { isActive, access: Object.fromEntries(access) }];
    }),
  );
}

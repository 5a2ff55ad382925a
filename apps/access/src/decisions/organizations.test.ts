import { join } from 'node:path';
import {
  ACCESS_LEVELS,
  GRANT_PATHS,
  GROUP_TYPES,
  RESOURCE_TYPES,
  SHARE_SCOPES,
  USER_ROLES,
  type AccessLevel,
  type GrantPath,
} from '@gatehouse/contract';
import {
  expectedList,
  expectedViewers,
  expiryOf,
  loadAccessCases,
  mergeShares,
  modelAccess,
  modelGrants,
  organizationOf,
  organizations,
  organizationsWithShare,
  RANDOM_NOW,
  type AccessCase,
  type ModelQuestion,
  type Organization,
  type OrganizationShare,
  randomRuns,
} from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  applyGrants,
  applyRevocations,
  decideGrant,
  decideRevocation,
  type ResolvedGrant,
  type Share,
} from '../sharing/logic/grants.js';
import {
  accessLevelOf,
  readersOf,
  subjectOfShare,
  subjectsOfUser,
  type AccessQuery,
  type ResourceFacts,
  type UserAccessFacts,
} from './logic/access.js';
import { effectiveAccess } from './logic/effectiveAccess.js';
import { selectorsOfReaders } from './logic/readerSelectors.js';

const RUNS = randomRuns(2_000);
const now = RANDOM_NOW;

function tenantKeyOf(tenant: string | null): string | null {
  return tenant === null ? null : `t:${tenant}`;
}

function userFacts({ users, groups }: Organization, name: string): UserAccessFacts {
  const user = users[name];
  if (user === undefined) throw new Error(`there is no user ${name}`);
  return {
    type: user.tenant === null ? 'organization' : 'tenant',
    userKey: `u:${name}`,
    role: user.role,
    isActive: user.isActive,
    tenantKey: tenantKeyOf(user.tenant),
    groupIds: Object.keys(groups).filter((group) => groups[group]?.members.includes(name)),
  };
}

/** Resolves the target of a request entry, as operations do. */
function resolve({ users, groups }: Organization, share: OrganizationShare): ResolvedGrant {
  const { scope, target, role, expiresAt } = share;
  const resolved = (key: string | null, tenant: string | null): ResolvedGrant => ({
    scope,
    subject: subjectOfShare(scope, key),
    targetId: target,
    tenantKey: tenantKeyOf(tenant),
    role,
    expiresAt,
  });
  if (target === null) return resolved(null, null);
  if (scope === 'group') return resolved(`g:${target}`, groups[target]?.tenant ?? null);
  if (scope === 'all_tenant_users') return resolved(`t:${target}`, target);
  return resolved(`u:${target}`, users[target]?.tenant ?? null);
}

function nameOf(share: OrganizationShare): string {
  return `${share.scope} ${share.target}`;
}

function storedShares(organization: Organization, shares: readonly OrganizationShare[]): Share[] {
  return shares.map((share) => ({
    ...resolve(organization, share),
    id: nameOf(share),
    createdAt: now,
    createdBy: 'ou_granter',
  }));
}

function resourceFacts(organization: Organization, name: string): ResourceFacts {
  const resource = organization.resources[name];
  const owner = organization.users[resource?.owner ?? ''];
  if (resource === undefined || owner === undefined) throw new Error(`there is no owned resource ${name}`);
  return {
    id: name,
    projectId: resource.project,
    type: resource.type,
    ownerKey: `u:${resource.owner}`,
    ownerType: owner.tenant === null ? 'organization' : 'tenant',
    ownerTenantKey: tenantKeyOf(owner.tenant),
    isPrivate: resource.isPrivate,
    shares: storedShares(organization, resource.shares),
  };
}

function linksTo(organization: Organization, visual: string): ResourceFacts[] {
  const { resources } = organization;
  const linking = Object.keys(resources).filter((name) => resources[name]?.links.includes(visual));
  return linking.map((name) => resourceFacts(organization, name));
}

function queryOf(
  organization: Organization,
  { user, resource, now: at, tokenOf }: ModelQuestion,
): AccessQuery {
  return {
    user: user === null ? null : userFacts(organization, user),
    resource: resourceFacts(organization, resource),
    linkedFrom: linksTo(organization, resource),
    tokenDashboardId: tokenOf,
    now: at,
  };
}

function levelOf(organization: Organization, user: string, resource: string): AccessLevel | null {
  return accessLevelOf(queryOf(organization, { user, resource, now }));
}

function rankOf(level: AccessLevel | null): number {
  return level === null ? -1 : ACCESS_LEVELS.indexOf(level);
}

/** Every user with every resource. */
function pairsOf({ users, resources }: Organization): [user: string, resource: string][] {
  return Object.keys(users).flatMap((user) =>
    Object.keys(resources).map((resource): [string, string] => [user, resource]),
  );
}

function levelsOf(organization: Organization): Record<string, AccessLevel | null> {
  const pairs = pairsOf(organization).map(([user, resource]) => [
    `${user} on ${resource}`,
    levelOf(organization, user, resource),
  ]);
  return Object.fromEntries(pairs) as Record<string, AccessLevel | null>;
}

function withShares(organization: Organization, name: string, shares: OrganizationShare[]): Organization {
  const resource = organization.resources[name];
  if (resource === undefined) throw new Error(`there is no resource ${name}`);
  return { ...organization, resources: { ...organization.resources, [name]: { ...resource, shares } } };
}

const cases = await loadAccessCases(join(import.meta.dirname, '../../cases'));

/** Returns the organization in its initial state: first roles, first owners. */
function beginningOf(accessCase: AccessCase): Organization {
  const { users, dashboards, visuals } = structuredClone(accessCase);
  for (const user of Object.values(users)) user.later = {};
  for (const resource of Object.values({ ...dashboards, ...visuals })) {
    resource.revoked = [];
    resource.takenOverBy = undefined;
  }
  return organizationOf({ ...accessCase, users, dashboards, visuals }, now);
}

/** Grants the shares of a case one by one, checks that each granter may, and returns the final shares. */
function shareStepByStep(accessCase: AccessCase, name: string): Share[] {
  const beginning = beginningOf(accessCase);
  const given = accessCase.dashboards[name] ?? accessCase.visuals[name];
  if (given === undefined) throw new Error(`there is no resource ${name}`);
  let shares: Share[] = [];
  const granterOf = (user: string) => {
    const resource = { ...resourceFacts(beginning, name), shares };
    const facts = userFacts(beginning, user);
    return { ...facts, level: accessLevelOf({ user: facts, resource, linkedFrom: [], now }) };
  };
  const existingFor = (entry: ResolvedGrant) =>
    shares.find((share) => share.scope === entry.scope && share.subject === entry.subject);
  for (const { scope, target = null, role, expires, by } of given.shares) {
    const entry = resolve(beginning, { scope, target, role, expiresAt: expiryOf({ expires }, now) });
    expect(decideGrant(granterOf(by ?? given.owner), entry, existingFor(entry))).toBeNull();
    const newId = () => `${scope} ${target}`;
    const outcome = applyGrants(shares, [entry], { now, createdBy: 'ou_granter', newId });
    if ('reason' in outcome) throw new Error(outcome.reason);
    shares = outcome.shares;
  }
  for (const { scope, target = null, by } of given.revoked) {
    const entry = resolve(beginning, { scope, target, role: 'VIEWER', expiresAt: null });
    expect(existingFor(entry)).toBeDefined();
    expect(decideRevocation(granterOf(by ?? given.owner), entry, existingFor(entry))).toBeNull();
    shares = applyRevocations(shares, [entry]).shares;
  }
  return shares;
}

describe('the access cases', () => {
  it('cover every scope, role, level, group type, resource type and path', () => {
    expect(cases.length).toBeGreaterThanOrEqual(45);
    const organizationsOfCases = cases.map((accessCase) => beginningOf(accessCase));
    const users = organizationsOfCases.flatMap((organization) => Object.values(organization.users));
    const resources = organizationsOfCases.flatMap((organization) => Object.values(organization.resources));
    const shares = resources.flatMap((resource) => resource.shares);
    const groups = organizationsOfCases.flatMap((organization) => Object.values(organization.groups));
    const answers = cases.flatMap(({ expected }) =>
      Object.values(expected).flatMap((row) => Object.values(row)),
    );
    const covers = (found: readonly unknown[], all: readonly string[]) =>
      expect(all.filter((value) => !found.includes(value))).toEqual([]);
    covers(
      shares.map(({ scope }) => scope),
      SHARE_SCOPES,
    );
    covers(
      shares.map(({ role }) => role),
      ACCESS_LEVELS,
    );
    covers(
      users.map(({ role }) => role),
      USER_ROLES,
    );
    covers(
      groups.map(({ type }) => type),
      GROUP_TYPES,
    );
    covers(
      resources.map(({ type }) => type),
      RESOURCE_TYPES,
    );
    covers(
      answers.map((access) => access?.level),
      ACCESS_LEVELS,
    );
    // A case has no dashboard tokens.
    covers(
      answers.map((access) => access?.path),
      GRANT_PATHS.filter((path) => path !== 'token'),
    );
    expect(answers).toContain(null);
  });

  it.each(cases.map((accessCase) => [`${accessCase.file}: ${accessCase.name}`, accessCase] as const))(
    '%s',
    (_, accessCase) => {
      const organization = organizationOf(accessCase, now);
      const names = Object.keys(organization.resources);
      const byId = (a: Share, b: Share) => (a.id < b.id ? -1 : 1);
      const facts = new Map<string, ResourceFacts>();
      for (const name of names) {
        const shares = shareStepByStep(accessCase, name);
        const standing = storedShares(organization, organization.resources[name]?.shares ?? []);
        expect(shares.toSorted(byId)).toEqual(standing.toSorted(byId));
        facts.set(name, { ...resourceFacts(organization, name), shares });
      }
      for (const [name, { links, owner }] of Object.entries(accessCase.dashboards)) {
        const beginning = beginningOf(accessCase);
        for (const link of links) expect([name, levelOf(beginning, owner, link)]).not.toEqual([name, null]);
      }
      const decide = (user: string, name: string) => {
        const resource = facts.get(name) ?? resourceFacts(organization, name);
        const linkedFrom = linksTo(organization, name);
        const query = { user: userFacts(organization, user), resource, linkedFrom, now };
        const { accessLevel, grants } = effectiveAccess(query);
        expect(accessLevelOf(query)).toBe(accessLevel);
        expect(modelAccess(organization, { user, resource: name, now })).toBe(accessLevel);
        return accessLevel === null ? null : { level: accessLevel, path: grants[0]?.path };
      };
      const mayReach = (user: string, name: string) => {
        const readers = [resourceFacts(organization, name), ...linksTo(organization, name)].flatMap(
          readersOf,
        );
        return subjectsOfUser(userFacts(organization, user)).some((subject) => readers.includes(subject));
      };
      const users = Object.keys(organization.users);
      const answers = names.map((name) => [
        name,
        Object.fromEntries(users.map((user) => [user, decide(user, name)])),
      ]);
      expect(Object.fromEntries(answers)).toEqual(accessCase.expected);
      for (const type of RESOURCE_TYPES) {
        const ofType = names.filter((name) => organization.resources[name]?.type === type).toSorted();
        for (const user of users) {
          const list = ofType.filter((name) => mayReach(user, name) && decide(user, name) !== null);
          expect(list).toEqual(expectedList(accessCase, user, type));
        }
      }
      for (const name of names) {
        const selected = users.toSorted().filter((user) => isSelected(organization, user, name));
        expect(selected.filter((user) => decide(user, name) !== null)).toEqual(
          expectedViewers(accessCase, name),
        );
      }
    },
  );
});

/** Returns true if the reader selectors of the resource select the user, as a user lookup does. */
function isSelected(organization: Organization, user: string, name: string): boolean {
  const { type, userKey, tenantKey, groupIds } = userFacts(organization, user);
  const resources = [resourceFacts(organization, name), ...linksTo(organization, name)];
  const selectors = selectorsOfReaders(resources.flatMap(readersOf));
  return (
    selectors.userKeys.includes(userKey) ||
    (tenantKey !== null && selectors.tenantKeys.includes(tenantKey)) ||
    groupIds.some((groupId) => selectors.groupIds.includes(groupId)) ||
    (type === 'organization' ? selectors.allOrgUsers : selectors.allTenantUsers)
  );
}

describe('random organizations', () => {
  const forAll = <T>(arbitrary: fc.Arbitrary<T>, holds: (value: T) => void) =>
    fc.assert(fc.property(arbitrary, holds), { numRuns: RUNS });

  it('are decided like the reference model, grant by grant', () => {
    const paths = new Set<GrantPath>();
    const levels = new Set<AccessLevel | null>();
    forAll(organizations, (organization) => {
      const names = Object.keys(organization.resources);
      const requesters: [string | null, string][] = [
        ...pairsOf(organization),
        ...names.map((name): [null, string] => [null, name]),
      ];
      for (const [user, resource] of requesters) {
        for (const tokenOf of [undefined, names[0]]) {
          const modelQuery: ModelQuestion = { user, resource, now, tokenOf };
          const query = queryOf(organization, modelQuery);
          const { accessLevel, grants } = effectiveAccess(query);
          expect(accessLevel).toBe(modelAccess(organization, modelQuery));
          expect(accessLevelOf(query)).toBe(accessLevel);
          const decided = grants.map(({ level, path, shareId, dashboardId }) => [
            level,
            path,
            shareId ?? dashboardId,
          ]);
          const modelled = modelGrants(organization, modelQuery).map(({ level, path, from }) => [
            level,
            path,
            from,
          ]);
          expect(decided.map(String).toSorted()).toEqual(modelled.map(String).toSorted());
          expect(grants.map(({ wins }) => wins)).toEqual(grants.map((_, index) => index === 0));
          expect(Math.max(-1, ...grants.map(({ level }) => rankOf(level)))).toBe(
            rankOf(grants[0]?.level ?? null),
          );
          levels.add(accessLevel);
          for (const { path } of grants) paths.add(path);
        }
      }
    });
    expect([...paths].toSorted()).toEqual([...GRANT_PATHS].toSorted());
    expect(levels.size).toBe(ACCESS_LEVELS.length + 1);
  });

  it('lose no access by a further grant, and return to the previous state by its revocation', () => {
    forAll(organizationsWithShare, ({ organization, resource, share }) => {
      const entry = resolve(organization, share);
      const existing = storedShares(organization, organization.resources[resource]?.shares ?? []);
      fc.pre(existing.every(({ id }) => id !== nameOf(share)));
      const granted = applyGrants(existing, [entry], { now, createdBy: 'x', newId: () => nameOf(share) });
      if ('reason' in granted) throw new Error(granted.reason);
      const revoked = applyRevocations(granted.shares, [entry]);
      expect(revoked.shares).toEqual(existing);
      expect(revoked.removed).toEqual(granted.granted);

      const before = levelsOf(organization);
      const shares = organization.resources[resource]?.shares ?? [];
      const after = levelsOf(withShares(organization, resource, [...shares, share]));
      for (const pair of Object.keys(before)) {
        expect(rankOf(after[pair] ?? null)).toBeGreaterThanOrEqual(rankOf(before[pair] ?? null));
      }
    });
  });

  it('keep the later of two grants to the same target', () => {
    forAll(organizationsWithShare, ({ organization, resource, share }) => {
      const before = organization.resources[resource]?.shares ?? [];
      const outcome = applyGrants(storedShares(organization, before), [resolve(organization, share)], {
        now,
        createdBy: 'ou_granter',
        newId: () => nameOf(share),
      });
      expect(outcome).toMatchObject({ shares: storedShares(organization, mergeShares([...before, share])) });
    });
  });

  it('gain no access by a lower role', () => {
    const roles = fc.constantFrom(...USER_ROLES);
    forAll(fc.tuple(organizations, fc.nat(), roles), ([organization, index, role]) => {
      const names = Object.keys(organization.users);
      const name = names[index % names.length] ?? '';
      const user = organization.users[name];
      if (user === undefined) throw new Error(`there is no user ${name}`);
      fc.pre(USER_ROLES.indexOf(role) < USER_ROLES.indexOf(user.role));
      const demoted = { ...organization, users: { ...organization.users, [name]: { ...user, role } } };
      for (const resource of Object.keys(organization.resources)) {
        const before = rankOf(levelOf(organization, name, resource));
        expect(rankOf(levelOf(demoted, name, resource))).toBeLessThanOrEqual(before);
      }
      for (const [other, resource] of pairsOf(organization)) {
        if (other === name) continue;
        expect(levelOf(demoted, other, resource)).toBe(levelOf(organization, other, resource));
      }
    });
  });

  it('give a tenant the same access whatever is shared with other tenants', () => {
    forAll(organizations, (organization) => {
      const [tenant] = organization.tenants;
      if (tenant === undefined) return;
      const isOther = (name: string | null) => name !== null && organization.users[name]?.tenant !== tenant;
      const isForOthers = ({ scope, target }: OrganizationShare) => {
        if (scope === 'all_tenant_users') return target !== tenant;
        if (scope === 'group') return organization.groups[target ?? '']?.members.every(isOther) ?? true;
        return scope === 'all_tenants_only' ? false : isOther(target) || target === null;
      };
      const resources = Object.entries(organization.resources).map(([name, resource]) => {
        const shares = resource.shares.filter((share) => !isForOthers(share));
        return [name, { ...resource, shares, isPrivate: resource.isPrivate || isOther(resource.owner) }];
      });
      const without = {
        ...organization,
        resources: Object.fromEntries(resources) as Organization['resources'],
      };
      for (const [user, resource] of pairsOf(organization)) {
        if (isOther(user)) continue;
        expect(levelOf(without, user, resource)).toBe(levelOf(organization, user, resource));
      }
    });
  });

  it('give the same access in a project whatever other projects contain', () => {
    forAll(organizations, (organization) => {
      const here = Object.entries(organization.resources).filter(([, { project }]) => project === 'main');
      const alone = { ...organization, resources: Object.fromEntries(here) };
      for (const [user, resource] of pairsOf(alone)) {
        expect(levelOf(alone, user, resource)).toBe(levelOf(organization, user, resource));
      }
    });
  });

  it('give no access to users outside the readers of a resource', () => {
    forAll(organizations, (organization) => {
      for (const [user, name] of pairsOf(organization)) {
        const subjects = subjectsOfUser(userFacts(organization, user));
        const direct = resourceFacts(organization, name);
        const isNamed = (resource: ResourceFacts) =>
          readersOf(resource).some((reader) => subjects.includes(reader));
        const directly = { user: userFacts(organization, user), resource: direct, linkedFrom: [], now };
        expect(isNamed(direct) || accessLevelOf(directly) === null).toBe(true);
        const isReachable = [direct, ...linksTo(organization, name)].some(isNamed);
        expect(isReachable || levelOf(organization, user, name) === null).toBe(true);
        expect(isSelected(organization, user, name)).toBe(isReachable);
        expect(new Set(readersOf(direct)).size).toBe(readersOf(direct).length);
      }
    });
  });
});

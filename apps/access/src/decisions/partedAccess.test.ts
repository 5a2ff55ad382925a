import {
  ACCESS_LEVELS,
  type AccessLevel,
  type CloudEvent,
  type EventData,
  type EventType,
  type GrantEntry,
  type PersonPrincipal,
  type ResourceType,
  type RevokeEntry,
  type ShareList,
  type ShareScope,
} from '@gatehouse/contract';
import { createEvent, findAppError } from '@gatehouse/service';
import { randomRuns } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Share } from '../sharing/logic/grants.js';
import { sweepExpiredShares } from '../sharing/sweeps.js';
import { createResourceKinds } from '../resources/kind.js';
import { dashboardBearer } from '../testing/directoryStub.js';
import { LATER, startPlatform, templateLinking } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
const { access, as, directory, stores, database } = platform;
const kinds = createResourceKinds(stores);

/** The two organizations: the resources of one also have very many shares with fillers. */
type Size = 'few' | 'many';

const RESOURCES = ['dashboard', 'other', 'linked', 'lone'] as const;
type ResourceName = (typeof RESOURCES)[number];
const TYPES: Record<ResourceName, ResourceType> = {
  dashboard: 'dashboard',
  other: 'dashboard',
  linked: 'visual',
  lone: 'visual',
};

const TENANTS = ['north', 'south'] as const;
type TenantName = (typeof TENANTS)[number];
const GROUPS = ['team', 'club', 'northteam', 'northclub', 'southteam'] as const;
type GroupName = (typeof GROUPS)[number];

/** The home, the role and the first groups of each user. */
const USERS = {
  root: [null, 'ADMIN', []],
  ada: [null, 'AUTHOR', []],
  otto: [null, 'AUTHOR', ['team', 'club']],
  vera: [null, 'VIEWER', ['team']],
  nora: ['north', 'POWER_USER', ['northteam', 'northclub']],
  nils: ['north', 'POWER_USER', ['northteam', 'club']],
  nick: ['north', 'VIEWER', []],
  sara: ['south', 'POWER_USER', ['southteam']],
} as const satisfies Record<string, readonly [TenantName | null, string, readonly GroupName[]]>;
type UserName = keyof typeof USERS;
const NAMES = Object.keys(USERS) as UserName[];
const FILLERS = 230;

interface World {
  size: Size;
  home: { organizationId: string; projectId: string };
  /** Returns the id of a user, tenant or group of this organization. */
  idOf: (name: string) => string;
  users: Map<UserName, PersonPrincipal>;
  tenants: Record<TenantName, ReturnType<typeof directory.tenant>>;
  groups: Record<GroupName, ReturnType<typeof directory.group>>;
  fillers: PersonPrincipal[];
  resources: Map<ResourceName, string>;
  /** Replaces the ids of the organization by names, and removes what differs between organizations. */
  plain: (answer: unknown) => unknown;
}

function addUser(
  { home, idOf, tenants, groups }: Pick<World, 'home' | 'idOf' | 'tenants' | 'groups'>,
  name: string,
  [tenant, role, inGroups]: readonly [TenantName | null, string, readonly GroupName[]],
): PersonPrincipal {
  const options = { home, groups: inGroups.map((group) => groups[group]) };
  if (tenant === null) return directory.orgUser(idOf(name), role as 'AUTHOR', options);
  return directory.tenantUser(idOf(name), role as 'VIEWER', { ...options, tenant: tenants[tenant] });
}

const principalOf = (world: World, name: UserName): PersonPrincipal => {
  const principal = world.users.get(name);
  if (principal === undefined) throw new Error(`there is no user ${name}`);
  return principal;
};
const resourceOf = (world: World, name: ResourceName): string => world.resources.get(name) ?? '';
const storeOf = (name: ResourceName) => (TYPES[name] === 'visual' ? stores.visuals : stores.dashboards);

const REMOVED = new Set(['nextCursor', 'grantedAt', 'createdAt', 'updatedAt', 'shareId', 'wins']);

/** Sorts the items of lists: random ids decide the order of some. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    const items = value.map(sorted).filter((item) => !JSON.stringify(item).includes('"filler'));
    return items.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  }
  if (value === null || typeof value !== 'object') return value;
  const fields = Object.entries(value).filter(([name]) => !REMOVED.has(name));
  return Object.fromEntries(fields.map(([name, each]) => [name, sorted(each)]));
}

function createWorld(size: Size, number: number): World {
  const suffix = `-${size}${number}`;
  const idOf = (name: string) => `${name}${suffix}`;
  const home = { organizationId: idOf('o'), projectId: idOf('p') };
  const tenants = { north: directory.tenant(idOf('north')), south: directory.tenant(idOf('south')) };
  const groups = {
    team: directory.group(idOf('team')),
    club: directory.group(idOf('club')),
    northteam: directory.group(idOf('northteam'), tenants.north),
    northclub: directory.group(idOf('northclub'), tenants.north),
    southteam: directory.group(idOf('southteam'), tenants.south),
  };
  const parts = { home, idOf, tenants, groups };
  const homes = [null, 'north', null, 'south'] as const;
  const fillers = Array.from({ length: FILLERS }, (_, index) =>
    addUser(parts, `filler${index}`, [homes[index % 4] ?? null, 'VIEWER', []]),
  );
  const resources = new Map<ResourceName, string>();
  const plain = (answer: unknown) => {
    let text = JSON.stringify(answer ?? null).replaceAll(suffix, '');
    for (const [name, id] of resources) text = text.replaceAll(id, name);
    return sorted(JSON.parse(text.replaceAll(/"sh_[\w-]+"/g, '"share"')));
  };
  const users = new Map(NAMES.map((name) => [name, addUser(parts, name, USERS[name])] as const));
  return { ...parts, size, users, fillers, resources, plain };
}

/** Creates the resources. One dashboard links a visual. */
async function createResources(world: World, owner: UserName): Promise<void> {
  const principal = principalOf(world, owner);
  for (const name of ['linked', 'lone'] as const)
    world.resources.set(name, (await platform.createVisual(principal, { title: name, tags: [name] })).id);
  for (const name of ['dashboard', 'other'] as const) {
    const template = templateLinking(...(name === 'dashboard' ? [resourceOf(world, 'linked')] : []));
    const created = await platform.createDashboard(principal, { title: name, tags: [name], template });
    world.resources.set(name, created.id);
  }
}

function fillerShare({ userId, userKey, ...others }: PersonPrincipal, index: number): Share {
  const isOfTenant = 'tenantKey' in others;
  const scope: ShareScope = isOfTenant ? 'specific_tenant_user' : 'specific_org_user';
  const tenantKey = isOfTenant ? others.tenantKey : null;
  const expiresAt = index % 40 === 3 ? new Date(LATER) : null;
  const target = { scope, subject: userKey, targetId: userId, tenantKey };
  return {
    id: `sh_filler${index}`,
    ...target,
    role: 'VIEWER',
    expiresAt,
    createdAt: new Date(0),
    createdBy: 'x',
  };
}

/** Shares a resource of the larger organization with this number of fillers. */
async function setFillers(world: World, name: ResourceName, count: number): Promise<void> {
  const store = storeOf(name);
  // A deleted resource is found in neither world.
  const header = await store.getHeader(world.home.projectId, resourceOf(world, name));
  if (world.size === 'few') return;
  const others = header.shares.filter(({ id }) => !id.startsWith('sh_filler'));
  const shares = [...others, ...world.fillers.slice(0, count).map(fillerShare)];
  await store.changeResource(world.home.projectId, header, { change: { shares }, events: [] });
}

/** Returns what a call returns or the error that it throws. */
async function outcomeOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (thrown) {
    const error = findAppError(thrown);
    if (!error) throw thrown;
    return { code: error.code, message: error.message };
  }
}

/** Returns the items of all pages of a list. */
async function allPages<T>(
  read: (page: { cursor?: string }) => Promise<{ items: T[]; nextCursor?: string | null | undefined }>,
): Promise<{ items: T[]; isRepeated: boolean }> {
  const items: T[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await read(cursor ? { cursor } : {});
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor);
  const texts = items.map((item) => JSON.stringify(item));
  return { items, isRepeated: new Set(texts).size < texts.length };
}

const sharesIn = ({ owner: _owner, nextCursor: _cursor, ...scopes }: ShareList) =>
  Object.values(scopes).flat();

/** The calls of one user, by the questions that they answer. */
type Calls = Map<string, () => Promise<unknown>>;

/** What one user receives: about everything, and about the access of some users. */
async function answersOf(
  world: World,
  caller: UserName,
  asked: readonly UserName[],
): Promise<Record<string, unknown>> {
  const calls: Calls = new Map();
  await addGeneral(calls, world, { caller, asked });
  for (const name of RESOURCES) await addResource(calls, world, { caller, asked, name });
  const answers = [...calls].map(async ([name, call]) => [name, await outcomeOf(call)] as const);
  return Object.fromEntries(await Promise.all(answers));
}

/** The caller, and the users whose access it queries. */
interface Query {
  caller: UserName;
  asked: readonly UserName[];
}

async function addGeneral(calls: Calls, world: World, { caller, asked }: Query): Promise<void> {
  const context = await as(principalOf(world, caller));
  const add = (name: string, call: () => Promise<unknown>) => calls.set(name, call);
  for (const kind of ['dashboards', 'visuals'] as const) {
    const filters = [
      { includeTotal: true },
      { sort: 'title', limit: 1, includeTotal: true },
      { search: 'o', sort: 'createdAt', order: 'asc', limit: 1 },
      { tag: 'linked' },
      { isPrivate: true, includeTotal: true },
      { tenantId: world.tenants.north.id },
      { createdBy: world.idOf('ada'), includeTotal: true },
      ...(caller === 'root' ? [{ scope: 'organization', includeTotal: true } as const] : []),
    ] as const;
    for (const filter of filters) {
      const list = async (page: { cursor?: string }) => {
        const found = await access[kind].list.query({ ...filter, ...page }, { context });
        const items: { id: string }[] = 'dashboards' in found ? found.dashboards : found.visuals;
        const totals = items.map((item) => ({ ...item, total: found.total }));
        return { items: totals, nextCursor: found.nextCursor };
      };
      add(`list ${kind} ${JSON.stringify(filter)}`, () => allPages(list));
    }
  }
  add('contents', () => access.contents.dashboards.query({}, { context }));
  add('contents of visuals', () =>
    access.contents.visuals.query({ ids: [...world.resources.values()] }, { context }),
  );
  const checks = RESOURCES.flatMap((name) =>
    NAMES.map((user) => ({
      resourceType: TYPES[name],
      resourceId: resourceOf(world, name),
      userId: world.idOf(user),
      level: 'VIEWER' as const,
    })),
  );
  add('check', () => access.checks.check.mutate({ checks, reasons: true }, { context }));
  for (const resourceType of ['dashboard', 'visual'] as const)
    for (const user of asked) {
      const query = { userId: world.idOf(user), resourceType };
      add(`access of ${user} to each ${resourceType}`, () => access.checks.list.mutate(query, { context }));
    }
  for (const group of GROUPS) {
    const { id } = world.groups[group];
    add(`permissions of ${group}`, () =>
      allPages(async (page) => {
        const found = await access.groups.permissions.query({ id, limit: 1, ...page }, { context });
        return { items: found.permissions, nextCursor: found.nextCursor };
      }),
    );
    add(`use of ${group}`, () => access.groups.isUsed.query({ id }, { context }));
    add(`cover of ${group}`, () => access.groups.isCovered.query({ id }, { context }));
  }
}

async function addResource(
  calls: Calls,
  world: World,
  { caller, asked, name }: Query & { name: ResourceName },
): Promise<void> {
  const principal = principalOf(world, caller);
  const context = await as(principal);
  const id = resourceOf(world, name);
  const isVisual = TYPES[name] === 'visual';
  const decisions = isVisual ? access.visualDecisions : access.dashboardDecisions;
  const sharing = isVisual ? access.visualShares : access.dashboardShares;
  const read = async (origin: typeof context) =>
    isVisual
      ? (await access.visuals.get.query({ id }, { context: origin })).visual
      : (await access.dashboards.get.query({ id }, { context: origin })).dashboard;
  const add = (question: string, call: () => Promise<unknown>) => calls.set(`${question} ${name}`, call);
  add('read', () => read(context));
  if (!isVisual) {
    const bearer = await as(dashboardBearer(id, principal));
    add('read with its token', () => read(bearer));
    add('explain with its token', () => decisions.explain.query({ id }, { context: bearer }));
  }
  for (const user of [undefined, ...asked]) {
    const ofUser = user === undefined ? {} : { userId: world.idOf(user) };
    add(`explain for ${user}`, () => decisions.explain.query({ id, ...ofUser }, { context }));
  }
  const isFiller = ({ id: userId }: { id: string }) => userId.startsWith('filler');
  for (const limit of [90, 500])
    add(`viewers by ${limit} of`, () =>
      allPages(async (page) => {
        const found = await decisions.viewers.query({ id, limit, ...page }, { context });
        return { items: found.viewers, nextCursor: found.nextCursor };
      }).then(({ items, ...others }) => ({ ...others, items: items.filter((each) => !isFiller(each)) })),
    );
  const subjects = { resourceType: TYPES[name], resourceId: id, level: 'EDITOR' } as const;
  add('subjects', () => access.checks.subjects.mutate(subjects, { context }));
  for (const limit of [40, 500])
    add(`shares by ${limit} of`, () =>
      allPages(async (page) => {
        const found = await sharing.list.query({ id, limit, ...page }, { context });
        return { items: [found.owner, ...sharesIn(found)], nextCursor: found.nextCursor };
      }).then(({ items }) => [...new Set(items.map((item) => JSON.stringify(world.plain(item))))]),
    );
}

type Step =
  | { kind: 'grant' | 'revoke'; by: UserName; on: ResourceName; entries: Entry[] }
  | { kind: 'expire'; on: ResourceName }
  | { kind: 'sweep'; on: ResourceName }
  | { kind: 'open' | 'close' | 'take' | 'delete'; by: UserName; on: ResourceName }
  | { kind: 'recreate'; user: UserName; heir: boolean }
  | { kind: 'join'; user: UserName; groups: GroupName[] }
  | { kind: 'fill'; on: ResourceName; count: number }
  | { kind: 'forget'; group: GroupName };

interface Entry {
  scope: ShareScope;
  user: UserName;
  tenant: TenantName;
  group: GroupName;
  role: AccessLevel;
  expires: boolean;
}

function entryOf(world: World, { scope, user, tenant, group, role, expires }: Entry): GrantEntry {
  const fields = { role, ...(expires ? { expiresAt: LATER } : {}) };
  switch (scope) {
    case 'specific_tenant_user':
      return { scope, tenantUserId: world.idOf(user), ...fields };
    case 'specific_org_user':
      return { scope, orgUserId: world.idOf(user), ...fields };
    case 'all_tenant_users':
      return { scope, tenantId: world.tenants[tenant].id, ...fields };
    case 'group':
      return { scope, groupId: world.groups[group].id, ...fields };
    case 'all_org_users':
    case 'org_users_only':
    case 'all_tenants_only':
      return { scope, ...fields };
  }
}

function eventOf<T extends EventType>(
  { home }: World,
  type: T,
  data: EventData<T> & { id: string },
): CloudEvent {
  const origin = { service: 'directory', ...home, actorId: 'x', now: new Date() };
  return createEvent(type, data.id, { origin, data });
}

/** Deletes a user and creates another one with the same id. */
async function recreate(world: World, name: UserName, hasHeir: boolean): Promise<void> {
  const { userId: id, userKey: key, role, email, ...person } = principalOf(world, name);
  const [tenantName, , groups] = USERS[name];
  const heir = name === 'nora' ? principalOf(world, 'nils') : principalOf(world, 'nora');
  const inherits = hasHeir && tenantName === 'north' ? { id: heir.userId, key: heir.userKey } : null;
  world.users.set(name, addUser(world, name, [tenantName, role, groups]));
  const isOfTenant = 'tenantId' in person;
  const state = {
    id,
    key,
    role,
    email,
    name,
    isActive: true,
    tenantId: isOfTenant ? person.tenantId : null,
    tenantKey: isOfTenant ? person.tenantKey : null,
  };
  const event = isOfTenant
    ? eventOf(world, 'management.tenant_user.deleted.v1', { ...state, heir: inherits })
    : eventOf(world, 'management.org_user.deleted.v1', state);
  await platform.bus.publish([event]);
}

async function setGroups(world: World, name: UserName, groups: readonly GroupName[]): Promise<void> {
  const facts = directory.users.get(world.idOf(name))?.facts;
  const groupIds = groups.map((group) => world.groups[group].id);
  if (facts) facts.groupIds = groupIds;
  world.users.set(name, { ...principalOf(world, name), groupIds });
}

/** Does a step and returns its outcome. */
async function takeStep(world: World, step: Step): Promise<unknown> {
  if (step.kind === 'recreate') return recreate(world, step.user, step.heir);
  if (step.kind === 'join') return setGroups(world, step.user, step.groups);
  if (step.kind === 'forget') {
    const { type, tenantKey, name, ...group } = world.groups[step.group];
    const state = { ...group, name, type, tenantKey, description: '', userIds: [] };
    return platform.bus.publish([eventOf(world, 'management.group.deleted.v1', state)]);
  }
  if (step.kind === 'fill') return setFillers(world, step.on, step.count);
  const id = resourceOf(world, step.on);
  if (step.kind === 'expire') return platform.expireShares(world.home.projectId, id);
  const isVisual = TYPES[step.on] === 'visual';
  if (step.kind === 'sweep')
    return sweepExpiredShares(isVisual ? kinds.visuals : kinds.dashboards, new Date());
  const context = await as(principalOf(world, step.by));
  const resources = isVisual ? access.visuals : access.dashboards;
  const sharing = isVisual ? access.visualShares : access.dashboardShares;
  switch (step.kind) {
    case 'grant':
      return sharing.grant.mutate(
        { id, shares: step.entries.map((each) => entryOf(world, each)) },
        { context },
      );
    case 'revoke': {
      const shares: RevokeEntry[] = step.entries.map((each) => entryOf(world, each));
      return sharing.revoke.mutate({ id, shares }, { context });
    }
    case 'take':
      return resources.takeOwnership.mutate({ id }, { context });
    case 'delete':
      return resources.delete.mutate({ id }, { context });
    case 'open':
    case 'close':
      return resources.update.mutate({ id, isPrivate: step.kind === 'close' }, { context });
  }
}

/** Counts the resources with parts. Those of the smaller organization have none. */
async function countParted(worlds: readonly World[]): Promise<number> {
  let sum = 0;
  for (const {
    size,
    home,
    resources: { size: most },
  } of worlds)
    for (const collection of ['dashboards', 'visuals']) {
      const filter = { projectId: home.projectId, shareParts: { $exists: true } };
      const found = await database.collection(collection).countDocuments(filter);
      expect(found).toBeLessThanOrEqual(size === 'few' ? 0 : most);
      sum += found;
    }
  return sum;
}

const users = fc.constantFrom(...NAMES);
const resources = fc.constantFrom(...RESOURCES);
const groups = fc.constantFrom(...GROUPS);
/** Mostly a scope that fits the user. */
const entries = fc
  .record({
    scope: fc.constantFrom<ShareScope>(
      'specific_tenant_user',
      'specific_org_user',
      'specific_tenant_user',
      'specific_org_user',
      'group',
      'group',
      'all_tenant_users',
      'all_org_users',
      'org_users_only',
      'all_tenants_only',
    ),
    user: users,
    tenant: fc.constantFrom(...TENANTS),
    group: groups,
    role: fc.constantFrom(...ACCESS_LEVELS),
    expires: fc.boolean(),
  })
  .map((entry): Entry => {
    const isSingle = entry.scope.startsWith('specific');
    const scope = USERS[entry.user][0] === null ? 'specific_org_user' : 'specific_tenant_user';
    return isSingle ? { ...entry, scope } : entry;
  });
const sharing = fc.record({
  kind: fc.constantFrom('grant', 'grant', 'grant', 'revoke' as const),
  by: users,
  on: resources,
  entries: fc.array(entries, { minLength: 1, maxLength: 3 }),
});
/** The owner succeeds most. */
const sharingOfOwner = fc.record({
  kind: fc.constantFrom('grant', 'grant', 'revoke' as const),
  by: fc.constantFrom<UserName>('ada', 'nora'),
  on: resources,
  entries: fc.array(entries, { minLength: 2, maxLength: 5 }),
});
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: sharingOfOwner },
  { weight: 4, arbitrary: sharing },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('expire' as const), on: resources }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sweep' as const), on: resources }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('open', 'close' as const), by: users, on: resources }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('take' as const), by: users, on: resources }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), by: users, on: resources }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('recreate' as const), user: users, heir: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('join' as const),
      user: users,
      groups: fc.subarray([...GROUPS]),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), group: groups }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('fill' as const),
      on: resources,
      count: fc.constantFrom(0, 90, 195, FILLERS, FILLERS),
    }),
  },
);

describe('the shares of a resource in parts', () => {
  it('decide as those in a document do, in every query', { timeout: 1_200_000 }, async () => {
    let [count, parted] = [0, 0];
    const owners = fc.constantFrom<UserName>('ada', 'nora');
    const scenario = fc.tuple(owners, fc.array(steps, { minLength: 5, maxLength: 12 }), fc.nat(7));
    await fc.assert(
      fc.asyncProperty(scenario, async ([owner, taken, first]) => {
        count += 1;
        const isEach = (divisor: number, offset: number) => (_: unknown, at: number) =>
          (at + offset + first) % divisor === 0;
        const worlds = [createWorld('few', count), createWorld('many', count)];
        for (const world of worlds) {
          await createResources(world, owner);
          for (const name of RESOURCES) await setFillers(world, name, FILLERS);
        }
        const each = async (ask: (world: World) => Promise<unknown>) => {
          const [few, many] = await Promise.all(worlds.map(async (world) => world.plain(await ask(world))));
          expect(many).toEqual(few);
        };
        for (const [index, step] of taken.entries()) {
          await each((world) => outcomeOf(() => takeStep(world, step)));
          const isLast = index === taken.length - 1;
          const callers = NAMES.filter(isEach(isLast ? 2 : 8, index));
          const asked = NAMES.filter(isEach(4, Math.floor(index / 2)));
          for (const caller of callers) await each((world) => answersOf(world, caller, asked));
          parted += await countParted(worlds);
        }
      }),
      { numRuns: randomRuns(8, 40) },
    );
    expect(parted).toBeGreaterThan(0);
  });
});

import { newId, newKey } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { populate, type Population } from '../testing/population.js';
import { createStores, type Stores } from './stores.js';

const platform = await startPlatform(await startTestMongo());
const { stores } = platform.inner;
afterAll(() => platform.stop());

let acme: Population;
let stranger: Population;
let group: { id: string; memberId: string };
let revokedId: string;

beforeAll(async () => {
  acme = await populate(platform);
  stranger = await populate(platform);
  const { groups, tokens } = platform.directory;
  const created = await groups.create(acme.asAdmin, {
    name: 'Team',
    type: 'TENANT_GROUP',
    tenantId: acme.north.id,
  });
  const { addedMembers } = await groups.addMembers(acme.asAdmin, {
    id: created.group.id,
    userIds: [acme.principals.northViewer.userId],
  });
  group = { id: created.group.id, memberId: addedMembers[0]?.id ?? '' };
  await tokens.invalidate(await platform.originOf(acme.principals.viewer), {});
  revokedId = acme.principals.viewer.tokenId;
});

const written = { events: [], now: new Date() };
const page = { skip: 0, limit: 1000 };
const current = (_id: string, revision: number) => ({ _id, revision });

/**
 * Every function of every store, called with an organization's id and what another organization, or it itself, has. A case
 * gives what was found or done: nothing, for another organization's.
 */
type Case = (organizationId: string) => Promise<unknown>;
type Cases = { [S in keyof Stores]: Record<string, Case | 'platform-wide'> };

/** For what the platform keeps for all organizations, and for lookups that find out the organization. */
const PLATFORM_WIDE = 'platform-wide';

async function revisionOf(collection: string, _id: string): Promise<number> {
  const found = await platform.database
    .collection<{ _id: string; revision: number }>(collection)
    .findOne({ _id });
  return found?.revision ?? -1;
}

function recordCases(
  name: 'projects' | 'tenants' | 'orgUsers' | 'tenantUsers' | 'groups',
  key: () => string,
) {
  const store = stores[name];
  return {
    findByKey: (organizationId) => store.findByKey(organizationId, key()),
    listByKeys: (organizationId) => store.listByKeys(organizationId, [key()]),
    update: async (organizationId) => {
      const read = current(key(), await revisionOf(name, key()));
      return store.update(organizationId, read, { ...written, set: { nameFolded: 'changed' } });
    },
    touch: (organizationId) => store.touch(organizationId, key()),
    delete: async () => 'is tried last, below',
    insert: async () => 'is tried below',
  } satisfies Record<string, Case>;
}

const key = {
  project: () => acme.credentials.projectId,
  orgUser: () => acme.principals.author.userKey,
  tenantUser: () => acme.principals.northViewer.userKey,
  tenant: () => acme.principals.northViewer.tenantKey,
  group: () => group.id,
};

const cases: Cases = {
  organizations: {
    get: async (organizationId) =>
      [(await stores.organizations.get(organizationId))._id].filter((id) => id === acme.organizationId),
    insert: async () => 'is tried below',
    hasAny: PLATFORM_WIDE,
    findFirst: PLATFORM_WIDE,
    claimFirst: PLATFORM_WIDE,
  },
  projects: {
    ...recordCases('projects', key.project),
    get: (organizationId) => stores.projects.get(organizationId, key.project()),
    list: async (organizationId) =>
      (await stores.projects.list(organizationId)).filter(
        (project) => project.organizationId === acme.organizationId,
      ),
    findForToken: PLATFORM_WIDE,
  },
  tenants: {
    ...recordCases('tenants', key.tenant),
    find: (organizationId) => stores.tenants.find(organizationId, acme.north.id),
    get: (organizationId) => stores.tenants.get(organizationId, acme.north.id),
    findByName: async (organizationId) => {
      const found = await stores.tenants.findByName(organizationId, 'South');
      return found?.organizationId === acme.organizationId ? found : null;
    },
    listByIds: (organizationId) => stores.tenants.listByIds(organizationId, [acme.north.id]),
    page: async (organizationId) =>
      (await stores.tenants.page(organizationId, { key: key.tenant() }, page)).records,
    touchUnlessOwnedBy: (organizationId) =>
      stores.tenants.touchUnlessOwnedBy(organizationId, key.tenant(), 'u:none'),
  },
  orgUsers: {
    ...recordCases('orgUsers', key.orgUser),
    find: (organizationId) => stores.orgUsers.find(organizationId, acme.principals.author.userId),
    get: (organizationId) => stores.orgUsers.get(organizationId, acme.principals.author.userId),
    listByIds: (organizationId) => stores.orgUsers.listByIds(organizationId, [acme.principals.author.userId]),
    page: async (organizationId) =>
      (
        await stores.orgUsers.page(
          organizationId,
          { searchFolded: acme.principals.viewer.email.toLowerCase() },
          page,
        )
      ).records,
    listReached: (organizationId) =>
      stores.orgUsers.listReached(organizationId, { keys: [key.orgUser()], reachesAll: false, limit: 10 }),
    touchOtherAdmin: async (organizationId) => {
      const found = await stores.orgUsers.touchOtherAdmin(organizationId, 'u:none');
      return found?.organizationId === acme.organizationId ? found : null;
    },
  },
  tenantUsers: {
    ...recordCases('tenantUsers', key.tenantUser),
    find: (organizationId) => stores.tenantUsers.find(organizationId, acme.principals.northViewer.userId),
    get: (organizationId) => stores.tenantUsers.get(organizationId, acme.principals.northViewer.userId),
    listByIds: (organizationId) =>
      stores.tenantUsers.listByIds(organizationId, [acme.principals.northViewer.userId]),
    page: async (organizationId) =>
      (await stores.tenantUsers.page(organizationId, { withinTenantKey: key.tenant() }, page)).records,
    findByEmail: (organizationId) =>
      stores.tenantUsers.findByEmail(
        organizationId,
        key.tenant(),
        acme.principals.northViewer.email.toLowerCase(),
      ),
    hasAnyIn: (organizationId) => stores.tenantUsers.hasAnyIn(organizationId, key.tenant()),
    listOf: (organizationId) => stores.tenantUsers.listOf(organizationId, key.tenant()),
    listReached: (organizationId) =>
      stores.tenantUsers.listReached(organizationId, {
        keys: [key.tenantUser()],
        tenantKeys: [key.tenant()],
        reachesAll: false,
        limit: 10,
      }),
  },
  groups: {
    ...recordCases('groups', key.group),
    get: (organizationId) => stores.groups.get(organizationId, key.group()),
    page: async (organizationId) =>
      (
        await stores.groups.page(
          organizationId,
          { withinTenantKey: key.tenant() },
          { ...page, sort: 'name', order: 'asc' },
        )
      ).records,
    listOf: (organizationId) => stores.groups.listOf(organizationId, key.tenant()),
    listUserIds: (organizationId) => stores.groups.listUserIds(organizationId, current(key.group(), 1)),
  },
  groupMembers: {
    ...recordCases('groups', key.group),
    getPage: (organizationId) => stores.groupMembers.getPage(organizationId, key.group(), page),
    findSelected: (organizationId) =>
      stores.groupMembers.findSelected(organizationId, key.group(), { userKeys: [key.tenantUser()] }),
    getSelected: (organizationId) =>
      stores.groupMembers.getSelected(organizationId, key.group(), { memberOrUserId: group.memberId }),
    listAll: async (organizationId) => [
      ...(await stores.groupMembers.listAll(organizationId, [key.group()])),
    ],
    listUserKeys: (organizationId) => stores.groupMembers.listUserKeys(organizationId, [key.group()]),
    listGroupIds: (organizationId) => stores.groupMembers.listGroupIds(organizationId, key.tenantUser()),
    listGroupIdsOf: async (organizationId) =>
      [...(await stores.groupMembers.listGroupIdsOf(organizationId, [key.tenantUser()])).values()].flat(),
    add: async (organizationId) => {
      const read = current(key.group(), await revisionOf('groups', key.group()));
      return stores.groupMembers.add(organizationId, read, { ...written, members: [] });
    },
    remove: async (organizationId) => {
      const read = current(key.group(), await revisionOf('groups', key.group()));
      return stores.groupMembers.remove(organizationId, read, { ...written, members: [] });
    },
  },
  revocations: {
    has: (organizationId) => stores.revocations.has(organizationId, revokedId),
    insert: async () => 'is tried below',
    deleteEnded: PLATFORM_WIDE,
  },
  signingKeys: {
    findActive: PLATFORM_WIDE,
    listPublic: PLATFORM_WIDE,
    insertActive: PLATFORM_WIDE,
    retire: PLATFORM_WIDE,
    deleteRetiredBefore: PLATFORM_WIDE,
  },
  idempotency: {
    find: PLATFORM_WIDE,
    insert: PLATFORM_WIDE,
    replace: PLATFORM_WIDE,
    answer: PLATFORM_WIDE,
    release: PLATFORM_WIDE,
    delete: PLATFORM_WIDE,
    deleteExpired: PLATFORM_WIDE,
  },
};

/** Names every method of a store, its own and those of the classes that it extends, but those for its subclasses. */
function methodsOf(store: object): string[] {
  const forSubclasses = ['write', 'findLive', 'listLive', 'pageLive', 'filterOf', 'listActiveAfter'];
  const names = new Set<string>();
  for (let proto = Object.getPrototypeOf(store) as object; proto !== Object.prototype;) {
    for (const name of Object.getOwnPropertyNames(proto)) names.add(name);
    proto = Object.getPrototypeOf(proto) as object;
  }
  return [...names].filter((name) => name !== 'constructor' && !forSubclasses.includes(name)).toSorted();
}

const isNothing = (found: unknown) =>
  found === null || found === false || found === 'not found' || (Array.isArray(found) && found.length === 0);
const outcomeOf = (call: Promise<unknown>) =>
  call.catch((error: { code?: unknown }) => {
    if (error.code === 'NOT_FOUND') return 'not found';
    throw error;
  });

const storeNames = Object.keys(createStores(platform.database)) as (keyof Stores)[];
const named = storeNames.flatMap((store) =>
  Object.entries(cases[store]).flatMap(([method, run]) =>
    typeof run === 'function' ? [{ name: `${store}.${method}`, run }] : [],
  ),
);

describe('isolation of the stores', () => {
  it.each(storeNames)('has a case for every function of %s', (store) => {
    expect(Object.keys(cases[store]).toSorted()).toEqual(methodsOf(stores[store]));
  });

  it.each(named.filter(({ name }) => !/\.(insert|delete)$/.test(name)))(
    '$name gives and changes nothing of another organization, and does of its own',
    async ({ run }) => {
      const before = await platform.snapshot();
      const others = [stranger.organizationId, newId('organization')];
      for (const organizationId of others) {
        const found = await outcomeOf(run(organizationId));
        expect(isNothing(found)).toBe(true);
      }
      const changed = (await platform.snapshot()) as Record<string, { organizationId?: string }[]>;
      const ofAcme = (all: Record<string, { organizationId?: string }[]>) =>
        Object.entries(all).map(([name, documents]) => [
          name,
          documents.filter((document) => document.organizationId === acme.organizationId),
        ]);
      expect(ofAcme(changed)).toEqual(ofAcme(before as typeof changed));
      expect(isNothing(await outcomeOf(run(acme.organizationId)))).toBe(false);
    },
  );

  it('inserts into the organization that is named, whatever the draft says', async () => {
    const _id = newKey();
    const draft = {
      _id,
      name: 'Foreign',
      nameFolded: 'foreign',
      secretHash: 'x',
      organizationId: acme.organizationId,
    };
    await stores.projects.insert(stranger.organizationId, draft, written);
    expect(await stores.projects.findByKey(acme.organizationId, _id)).toBeNull();
    expect(await stores.projects.findByKey(stranger.organizationId, _id)).toMatchObject({ name: 'Foreign' });

    const token = { tokenId: newKey(), expiresAt: new Date() };
    expect(await stores.revocations.insert(stranger.organizationId, token, written)).toBe(true);
    expect(await stores.revocations.has(acme.organizationId, token.tokenId)).toBe(false);
    const made = newId('organization');
    await stores.organizations.insert(made, 'New', written);
    expect((await stores.organizations.get(made)).name).toBe('New');
  });

  it.each([
    ['groups', key.group],
    ['tenantUsers', key.tenantUser],
    ['orgUsers', key.orgUser],
    ['tenants', key.tenant],
    ['projects', key.project],
  ] as const)('deletes from %s nothing of another organization, and its own once', async (name, keyOf) => {
    const before = await platform.snapshot();
    const read = current(keyOf(), await revisionOf(name, keyOf()));
    expect(await stores[name].delete(stranger.organizationId, read, written)).toBe(false);
    expect(await platform.snapshot()).toEqual(before);
    expect(await stores[name].delete(acme.organizationId, read, written)).toBe(true);
    expect(await stores[name].delete(acme.organizationId, read, written)).toBe(false);
    expect(await stores[name].findByKey(acme.organizationId, keyOf())).toBeNull();
  });
});

describe('a write', () => {
  it('is refused when the record was touched since it was read', async () => {
    const { organizationId } = stranger;
    const read = await stores.tenants.get(organizationId, stranger.north.id);
    await stores.tenants.touch(organizationId, read._id);
    expect(
      await stores.tenants.update(organizationId, read, { ...written, set: { name: 'Late' } }),
    ).toBeNull();
    expect(await stores.tenants.delete(organizationId, read, written)).toBe(false);
    const again = await stores.tenants.get(organizationId, stranger.north.id);
    expect(again).toMatchObject({ name: 'North', version: read.version });
    expect(await stores.tenants.delete(organizationId, again, written)).toBe(true);
    expect(await stores.tenants.touch(organizationId, read._id)).toBeNull();
  });
});

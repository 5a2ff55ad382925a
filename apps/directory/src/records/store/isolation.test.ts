import { newId, newKey, readConfig, readQuotas, WriteConflict } from '@gatehouse/service';
import { writeOutcome } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, describe, expect, it } from 'vitest';
import { createStores, type Directory } from '../../directory.js';
import { startPlatform } from '../../testing/platform.js';
import { fold } from '../logic/foldedFields.js';
import type { SessionRecord } from '../../sessions/store.js';
import { populate, type Population } from '../../testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { stores } = platform.dependencies;

let acme: Population;
let other: Population;
let group: { id: string; memberId: string };
let revokedId: string;
let session: SessionRecord;

beforeAll(async () => {
  acme = await populate(platform);
  other = await populate(platform);
  const { groups, tokens } = platform.directory;
  const created = await groups.create.mutate(
    {
      name: 'Team',
      type: 'TENANT_GROUP',
      tenantId: acme.north.id,
    },
    { context: acme.asAdmin },
  );
  const { addedMembers } = await groups.addMembers.mutate(
    {
      id: created.group.id,
      userIds: [acme.principals.northViewer.userId],
    },
    { context: acme.asAdmin },
  );
  group = { id: created.group.id, memberId: addedMembers[0]?.id ?? '' };
  await tokens.invalidate.mutate({}, { context: await platform.originOf(acme.principals.viewer) });
  revokedId = acme.principals.viewer.tokenId;
  session = sessionOf(acme);
  await stores.sessions.insert(acme.organizationId, session, []);
  const link = { account: accountOf(acme), userKey: session.userKey, former: null };
  await stores.identities.link(acme.organizationId, link, written);
});

function accountOf({ organizationId }: Population) {
  return { issuer: 'https://provider.example', subject: 's-1', organizationId, tenantKey: null };
}

function sessionOf({ organizationId, principals }: Population): SessionRecord {
  const { userId, userKey } = principals.viewer;
  const now = new Date();
  const end = new Date(now.getTime() + 3_600_000);
  return {
    _id: newKey(),
    id: newId('session'),
    organizationId,
    userId,
    userKey,
    tenantId: null,
    tenantKey: null,
    method: 'code',
    projectIds: null,
    address: '',
    userAgent: '',
    createdAt: now,
    lastUsedAt: now,
    idleUntil: end,
    endsAt: end,
  };
}

const written = { events: [], now: new Date() };
const page = { skip: 0, limit: 1000 };
const current = (_id: string, revision: number) => ({ _id, revision, organizationId: acme.organizationId });

/**
 * A call of one store method with an organization id and ids of records of `acme`. It returns what the method
 * found or did: nothing, for another organization.
 */
type Case = (organizationId: string) => Promise<unknown>;
type Cases = { [S in keyof Directory['stores']]: Record<string, Case | 'platform-wide'> };

/** Marks methods for data of the whole platform, and lookups that determine the organization. */
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
    getByKey: (organizationId) => store.getByKey(organizationId, key()),
    listByKeys: (organizationId) => store.listByKeys(organizationId, [key()]),
    touchAll: (organizationId) => store.touchAll(organizationId, [key()]),
    update: async (organizationId) => {
      const read = current(key(), await revisionOf(name, key()));
      const set = { nameFolded: 'changed' };
      return writeOutcome(store.update(organizationId, read, { ...written, set }));
    },
    touch: (organizationId) => store.touch(organizationId, key()),
    delete: async () => 'tested last, below',
    insert: async () => 'tested below',
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
    insert: async () => 'tested below',
    hasAny: PLATFORM_WIDE,
    findFirst: PLATFORM_WIDE,
    claimFirst: PLATFORM_WIDE,
  },
  projects: {
    ...recordCases('projects', key.project),
    get: (organizationId) => stores.projects.get(organizationId, key.project()),
    list: async (organizationId) =>
      (await stores.projects.list(organizationId, { limit: 1000 })).records.filter(
        (project) => project.organizationId === acme.organizationId,
      ),
    findForToken: PLATFORM_WIDE,
  },
  tenants: {
    ...recordCases('tenants', key.tenant),
    addMissingTerms: PLATFORM_WIDE,
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
    addMissingTerms: PLATFORM_WIDE,
    findByEmail: (organizationId) =>
      stores.orgUsers.findByEmail(organizationId, fold(acme.principals.author.email)),
    listByEmails: (organizationId) =>
      stores.orgUsers.listByEmails(organizationId, [fold(acme.principals.author.email)]),
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
    listSelected: (organizationId) =>
      stores.orgUsers.listSelected(organizationId, { keys: [key.orgUser()], includesAll: false, limit: 10 }),
    touchOtherAdmin: async (organizationId) => {
      const found = await stores.orgUsers.touchOtherAdmin(organizationId, 'u:none');
      return found?.organizationId === acme.organizationId ? found : null;
    },
  },
  tenantUsers: {
    ...recordCases('tenantUsers', key.tenantUser),
    addMissingTerms: PLATFORM_WIDE,
    find: (organizationId) => stores.tenantUsers.find(organizationId, acme.principals.northViewer.userId),
    get: (organizationId) => stores.tenantUsers.get(organizationId, acme.principals.northViewer.userId),
    listByIds: (organizationId) =>
      stores.tenantUsers.listByIds(organizationId, [acme.principals.northViewer.userId]),
    page: async (organizationId) =>
      (await stores.tenantUsers.page(organizationId, { withinTenantKey: key.tenant() }, page)).records,
    pageWithExactTotal: async (organizationId) => {
      const filter = { withinTenantKey: key.tenant(), isActive: true };
      const { records, total } = await stores.tenantUsers.pageWithExactTotal(organizationId, filter, page);
      expect(total).toBe(records.length);
      return records;
    },
    findByEmail: (organizationId) =>
      stores.tenantUsers.findByEmail(
        organizationId,
        key.tenant(),
        acme.principals.northViewer.email.toLowerCase(),
      ),
    listByEmails: (organizationId) =>
      stores.tenantUsers.listByEmails(organizationId, key.tenant(), [
        fold(acme.principals.northViewer.email),
      ]),
    hasAnyIn: (organizationId) => stores.tenantUsers.hasAnyIn(organizationId, key.tenant()),
    listOf: (organizationId) => stores.tenantUsers.listOf(organizationId, key.tenant()),
    listSelected: (organizationId) =>
      stores.tenantUsers.listSelected(organizationId, {
        keys: [key.tenantUser()],
        tenantKeys: [key.tenant()],
        includesAll: false,
        limit: 10,
      }),
  },
  groups: {
    ...recordCases('groups', key.group),
    addMissingTerms: PLATFORM_WIDE,
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
    listStates: (organizationId) => stores.groupMembers.listStates(organizationId, [key.group()]),
    listNames: (organizationId) => stores.groupMembers.listNames(organizationId, [key.group()]),
    listGroupIds: (organizationId) => stores.groupMembers.listGroupIds(organizationId, key.tenantUser()),
    listGroupIdsOf: async (organizationId) =>
      [...(await stores.groupMembers.listGroupIdsOf(organizationId, [key.tenantUser()])).values()].flat(),
    listInGroups: (organizationId) => stores.groupMembers.listInGroups(organizationId, [key.tenantUser()], 1),
    add: async (organizationId) => {
      const read = { ...current(key.group(), await revisionOf('groups', key.group())), memberCount: 0 };
      return writeOutcome(stores.groupMembers.add(organizationId, read, { ...written, members: [] }));
    },
    remove: async (organizationId) => {
      const read = current(key.group(), await revisionOf('groups', key.group()));
      return writeOutcome(stores.groupMembers.remove(organizationId, read, { ...written, members: [] }));
    },
    whileDeleting: (organizationId) => {
      const deletion = () => stores.groups.findByKey(organizationId, key.group());
      const read = { _id: key.group(), memberCount: 0 };
      return stores.groupMembers.whileDeleting(organizationId, read, { now: new Date(), deletion });
    },
    settleParts: PLATFORM_WIDE,
  },
  revocations: {
    has: (organizationId) => stores.revocations.has(organizationId, revokedId),
    insert: async () => 'tested below',
    deleteEnded: PLATFORM_WIDE,
  },
  sessions: {
    insert: async () => 'tested below',
    findByCookie: PLATFORM_WIDE,
    find: (organizationId) => stores.sessions.find(organizationId, session.id, new Date()),
    touch: (organizationId) => {
      const [now, idleUntil] = [new Date(), new Date(Date.now() + 60_000)];
      return stores.sessions.touch(organizationId, session._id, { now, idleUntil });
    },
    list: async (organizationId) => {
      const { records } = await stores.sessions.list(organizationId, {}, { limit: 1000, now: new Date() });
      return records.filter((record) => record.organizationId === acme.organizationId);
    },
    listOfProvider: PLATFORM_WIDE,
    listOf: (organizationId) => stores.sessions.listOf(organizationId, session.userKey, new Date()),
    end: (organizationId) => stores.sessions.end(organizationId, session._id, written),
    deleteExpired: PLATFORM_WIDE,
  },
  identities: {
    find: (organizationId) => stores.identities.find(organizationId, accountOf(acme)),
    link: async (organizationId) => {
      const account = { ...accountOf(acme), organizationId };
      const link = {
        account,
        userKey: 'u:another',
        former: { ...account, _id: '', userKey: '', linkedAt: written.now },
      };
      const outcome = await stores.identities.link(organizationId, link, written);
      return organizationId === acme.organizationId ? outcome : outcome === 'linked';
    },
    deleteOf: async (organizationId) => {
      await stores.identities.deleteOf(organizationId, session.userKey, new Date());
      return (await stores.identities.find(acme.organizationId, accountOf(acme))) === null;
    },
  },
  logoutTokens: { has: PLATFORM_WIDE, insert: PLATFORM_WIDE, deleteExpired: PLATFORM_WIDE },
  failedSignIns: { insert: async () => 'tested below' },
  signInCodes: {
    find: PLATFORM_WIDE,
    findSpent: PLATFORM_WIDE,
    insert: async () => 'tested below',
    take: async () => 'tested below',
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
    complete: PLATFORM_WIDE,
    release: PLATFORM_WIDE,
    delete: PLATFORM_WIDE,
    deleteExpired: PLATFORM_WIDE,
  },
};

/** Lists the public methods of a store, inherited methods included. */
function methodsOf(store: object): string[] {
  const protectedMethods = [
    'aggregate',
    'change',
    'countListed',
    'countMatching',
    'countUsage',
    'findEarlier',
    'findListed',
    'findMany',
    'findOne',
    'findSlice',
    'listActiveAfter',
    'note',
    'readListed',
    'readUnscoped',
    'scanInOrganization',
    'scanMany',
    'scanStages',
    'touchOne',
    'withinQuota',
    'write',
  ];
  const names = new Set<string>();
  for (let proto = Object.getPrototypeOf(store) as object; proto !== Object.prototype;) {
    for (const name of Object.getOwnPropertyNames(proto)) names.add(name);
    proto = Object.getPrototypeOf(proto) as object;
  }
  return [...names].filter((name) => name !== 'constructor' && !protectedMethods.includes(name)).toSorted();
}

const isNothing = (found: unknown) =>
  found === null || found === false || found === 'not found' || (Array.isArray(found) && found.length === 0);
const outcomeOf = (call: Promise<unknown>) =>
  call.catch((error: { code?: unknown }) => {
    if (error.code === 'NOT_FOUND') return 'not found';
    throw error;
  });

const storeNames = Object.keys(
  createStores(platform.database, readQuotas(readConfig({}))),
) as (keyof Directory['stores'])[];
const named = storeNames.flatMap((store) =>
  Object.entries(cases[store]).flatMap(([method, run]) =>
    typeof run === 'function' ? [{ name: `${store}.${method}`, run }] : [],
  ),
);

describe('store isolation', () => {
  it.each(storeNames)('has a case for every method of %s', (store) => {
    expect(Object.keys(cases[store]).toSorted()).toEqual(methodsOf(stores[store]));
  });

  it.each(named.filter(({ name }) => !/\.(insert|delete|take)$/.test(name)))(
    '$name finds and changes nothing of another organization, but does in its own',
    async ({ run }) => {
      const before = await platform.snapshot();
      const others = [other.organizationId, newId('organization')];
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

  it('inserts into the given organization, even if the draft names another', async () => {
    const _id = newKey();
    const draft = {
      _id,
      name: 'Foreign',
      nameFolded: 'foreign',
      secretHash: 'x',
      organizationId: acme.organizationId,
    };
    await stores.projects.insert(other.organizationId, draft, written);
    expect(await stores.projects.findByKey(acme.organizationId, _id)).toBeNull();
    expect(await stores.projects.findByKey(other.organizationId, _id)).toMatchObject({ name: 'Foreign' });

    const token = { tokenId: newKey(), expiresAt: new Date() };
    expect(await stores.revocations.insert(other.organizationId, token, written)).toBe(true);
    expect(await stores.revocations.has(acme.organizationId, token.tokenId)).toBe(false);

    const code = {
      _id: newKey(),
      id: newId('signInCode'),
      organizationId: other.organizationId,
      projectId: _id,
      userId: 'ou_1',
      sealedBearer: '',
      expiresAt: new Date(Date.now() + 60_000),
    };
    await stores.signInCodes.insert(other.organizationId, code, written);
    expect(await stores.signInCodes.take(acme.organizationId, code._id, written)).toBe(false);
    expect(await stores.signInCodes.take(other.organizationId, code._id, written)).toBe(true);
    expect(await stores.signInCodes.take(other.organizationId, code._id, written)).toBe(false);

    const opened = sessionOf(other);
    await stores.sessions.insert(other.organizationId, opened, []);
    expect(await stores.sessions.find(acme.organizationId, opened.id, new Date())).toBeNull();
    expect(await stores.sessions.find(other.organizationId, opened.id, new Date())).not.toBeNull();

    const created = newId('organization');
    await stores.organizations.insert(created, 'New', written);
    expect((await stores.organizations.get(created)).name).toBe('New');
  });

  it.each([
    ['groups', key.group],
    ['tenantUsers', key.tenantUser],
    ['orgUsers', key.orgUser],
    ['tenants', key.tenant],
    ['projects', key.project],
  ] as const)(
    'deletes nothing of another organization from %s, and its own record once',
    async (name, keyOf) => {
      const before = await platform.snapshot();
      const read = current(keyOf(), await revisionOf(name, keyOf()));
      const remove = ({ organizationId }: Population) =>
        writeOutcome(stores[name].delete(organizationId, read, written));
      expect(await remove(other)).toBeNull();
      expect(await platform.snapshot()).toEqual(before);
      expect(await remove(acme)).toBe('written');
      expect(await remove(acme)).toBeNull();
      expect(await stores[name].findByKey(acme.organizationId, keyOf())).toBeNull();
    },
  );
});

describe('a write', () => {
  it('fails when the record was touched since it was read', async () => {
    const { organizationId } = other;
    const read = await stores.tenants.get(organizationId, other.north.id);
    await stores.tenants.touch(organizationId, read._id);
    const late = stores.tenants.update(organizationId, read, { ...written, set: { name: 'Late' } });
    await expect(late).rejects.toBeInstanceOf(WriteConflict);
    await expect(stores.tenants.delete(organizationId, read, written)).rejects.toBeInstanceOf(WriteConflict);
    const again = await stores.tenants.get(organizationId, other.north.id);
    expect(again).toMatchObject({ name: 'North', version: read.version });
    await stores.tenants.delete(organizationId, again, written);
    expect(await stores.tenants.touch(organizationId, read._id)).toBeNull();
  });
});

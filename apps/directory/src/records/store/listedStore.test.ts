import { comparePositions, readConfig, readQuotas, type Page } from '@gatehouse/service';
import { randomRuns, startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GroupStore, type GroupFilter, type GroupPage } from '../../groups/store.js';
import { OrgUserStore, TenantUserStore, type UserFilter } from '../../people/store.js';
import { TenantStore } from '../../tenants/store.js';
import type { GroupDocument, TenantDocument, TenantUserDocument } from '../documents.js';
import { fold, foldPerson } from '../logic/foldedFields.js';
import { createIndexes } from './indexes.js';

const ORGANIZATION = 'org_one';
const OTHER = 'org_two';
const COUNT = 60;
const WORDS = ['Smith', 'harbour', 'CEDAR', 'ß', 'lee', 'O.Neil'];
/** Small limits, so that few records lead to each way of reading. */
const LIMITS = {
  window: 7,
  rare: [
    { most: 2, terms: 3 },
    { most: 9, terms: 2 },
  ],
};

const mongo = await startTestMongo();
const database = mongo.databases.of('directory');
const limitsOf = readQuotas(readConfig({}));
const stores = {
  tenantUsers: new TenantUserStore(database, limitsOf, LIMITS),
  orgUsers: new OrgUserStore(database, limitsOf, LIMITS),
  groups: new GroupStore(database, limitsOf, LIMITS),
  tenants: new TenantStore(database, limitsOf, LIMITS),
};
afterAll(() => mongo[Symbol.asyncDispose]());

const pick = <T>(items: readonly T[], index: number) => items[index % items.length] as T;
const numbered = (index: number) => String((index * 37) % COUNT).padStart(2, '0');
const nameOf = (index: number) => `${pick(WORDS, index)} ${pick(WORDS, index * 5 + 1)} ${index % 20}`;
const written = (index: number) => ({ events: [], now: new Date(Date.UTC(2026, 0, 1, 0, index % 7)) });

/** The third tenant has few users. */
const tenantOf = (index: number) => (index % 15 === 14 ? 2 : index % 2);

function userOf(index: number) {
  const person = foldPerson({ name: nameOf(index), email: `${pick(WORDS, index + 2)}${index}@acme.test` });
  const isActive = index % 12 !== 5;
  return { _id: `u:${numbered(index)}`, id: `tu_${index}`, ...person, role: 'VIEWER', isActive } as const;
}

function groupOf(index: number) {
  const tenant = index % 3 === 0 ? tenantOf(index) : null;
  return {
    _id: `grp_${numbered(index)}`,
    name: nameOf(index),
    nameFolded: fold(nameOf(index)),
    type: tenant === null ? ('ORG_GROUP' as const) : ('TENANT_GROUP' as const),
    description: '',
    tenantKey: tenant === null ? null : `t:${tenant}`,
    tenantId: tenant === null ? null : `t_${tenant}`,
    createdBy: null,
    memberCount: index % 4,
    members: [],
  };
}

const stored = {
  tenantUsers: [] as TenantUserDocument[],
  orgUsers: [] as Omit<TenantUserDocument, 'tenantKey' | 'tenantId'>[],
  groups: [] as GroupDocument[],
  tenants: [] as TenantDocument[],
};

beforeAll(async () => {
  await createIndexes(database);
  for (let index = 0; index < COUNT; index += 1) {
    const user = { ...userOf(index), department: '' };
    const tenant = tenantOf(index);
    const ofTenant = { ...user, tenantKey: `t:${tenant}`, tenantId: `t_${tenant}` };
    const named = { _id: `t:${numbered(index)}`, id: `t_${index}`, name: `${nameOf(index)} ${index}` };
    const tenantDraft = { ...named, nameFolded: fold(named.name), defaultOwner: null };
    for (const organizationId of [OTHER, ORGANIZATION]) {
      const own = <T extends { _id: string }>(draft: T) => {
        return organizationId === ORGANIZATION ? draft : { ...draft, _id: `other_${draft._id}` };
      };
      const at = written(index);
      const made = {
        tenantUsers: await stores.tenantUsers.insert(organizationId, own(ofTenant), at),
        orgUsers: await stores.orgUsers.insert(organizationId, own(user), at),
        groups: await stores.groups.insert(organizationId, own({ ...groupOf(index), name: `${index}` }), at),
        tenants: await stores.tenants.insert(organizationId, own(tenantDraft), at),
      };
      if (organizationId === OTHER) continue;
      stored.tenantUsers.push(made.tenantUsers);
      stored.orgUsers.push(made.orgUsers);
      stored.groups.push(made.groups);
      stored.tenants.push(made.tenants);
    }
  }
});

interface Found {
  records: readonly { _id: string }[];
  nextCursor: string | null;
  total: number;
}

/** Reads all pages by their cursors, and one page by the number of records before it. */
async function readAll(read: (page: Page) => Promise<Found>, limit: number, skip: number) {
  const ids: string[] = [];
  const totals = new Set<number>();
  let cursor: string | undefined;
  do {
    const found: Found = await read({ skip: 0, limit, cursor });
    ids.push(...found.records.map(({ _id }) => _id));
    totals.add(found.total);
    cursor = found.nextCursor ?? undefined;
  } while (cursor !== undefined);
  const later = await read({ skip, limit });
  return { ids, totals: [...totals], later: later.records.map(({ _id }) => _id) };
}

/** The slow reference: the ids of the matching records in order, and the same parts of them. */
function expectedOf<T extends { _id: string }>(
  records: readonly T[],
  matches: (record: T) => boolean,
  { by, sign, limit, skip }: { by: keyof T; sign: 1 | -1; limit: number; skip: number },
) {
  const position = (record: T) => ({ value: record[by] as string | number | Date, id: record._id });
  const found = records.filter(matches).toSorted((a, b) => sign * comparePositions(position(a), position(b)));
  const ids = found.map(({ _id }) => _id);
  return { ids, totals: [ids.length], later: ids.slice(skip, skip + limit) };
}

/** Mostly no value: with filters by all fields, nothing is left to search. */
const oneOf = <T>(...values: T[]) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, fc.constantFrom(...values));
const searches = [...WORDS, 'smith h', 'cedar', 'ee s', 'e', '@acme.', '7', 'absent', '.*', 'neil17@', 'z'];
/** Parts of names, which e-mails do not contain. */
const inNames = ['smith harbour', 'harbour smith 1', 'cedar o.neil', 'lee ß', 'neil cedar 5', 'ith harb'];
const search = fc.constantFrom(undefined, ...searches.map(fold), ...inNames, 'x'.repeat(200));
const idLists = oneOf(['tu_3', 't_3', 'tu_absent'], ['tu_5', 't_7', 'tu_7', 't_40']);
const places = fc.record({ limit: fc.integer({ min: 1, max: 12 }), skip: fc.integer({ min: 0, max: 30 }) });
const byName = { by: 'nameFolded', sign: 1 } as const;

const contains = (texts: readonly string[], wanted: string | undefined) =>
  wanted === undefined || texts.some((text) => text.includes(wanted));

const userFilters: fc.Arbitrary<UserFilter> = fc.record({
  searchFolded: search,
  ids: idLists,
  isActive: oneOf(true, false),
  withinTenantKey: fc.constantFrom(null, null, null, 't:0', 't:2', 't:absent'),
  tenantId: oneOf('t_1', 't_2', 't_absent'),
});

function matchesUser(filter: UserFilter) {
  const { searchFolded, ids, isActive } = filter;
  return ({ id, searchTexts, isActive: own }: Pick<TenantUserDocument, 'id' | 'searchTexts' | 'isActive'>) =>
    contains(searchTexts, searchFolded) &&
    (ids === undefined || ids.includes(id)) &&
    (isActive === undefined || own === isActive);
}

describe('a list with filters', () => {
  it('has the tenant users of the reference, on pages of every size, and counts them exactly', async () => {
    const property = fc.asyncProperty(userFilters, places, async (filter, { limit, skip }) => {
      const { withinTenantKey = null, tenantId } = filter;
      const matches = matchesUser(filter);
      const isSelected = (user: TenantUserDocument) =>
        matches(user) &&
        (withinTenantKey === null || user.tenantKey === withinTenantKey) &&
        (tenantId === undefined || user.tenantId === tenantId);
      const expected = expectedOf(stored.tenantUsers, isSelected, { ...byName, limit, skip });
      const { tenantUsers } = stores;
      const exact = (page: Page) => tenantUsers.pageWithExactTotal(ORGANIZATION, filter, page);
      expect(await readAll(exact, limit, skip)).toEqual(expected);
      const bounded = (page: Page) => tenantUsers.page(ORGANIZATION, filter, page);
      expect(await readAll(bounded, limit, skip)).toEqual(expected);
    });
    await fc.assert(property, { numRuns: randomRuns(100) });
  });

  it('has the org users of the reference', async () => {
    const property = fc.asyncProperty(userFilters, places, async (all, { limit, skip }) => {
      const { searchFolded, ids, isActive } = all;
      const filter = { searchFolded, ids, isActive };
      const expected = expectedOf(stored.orgUsers, matchesUser(filter), { ...byName, limit, skip });
      const read = (page: Page) => stores.orgUsers.page(ORGANIZATION, filter, page);
      expect(await readAll(read, limit, skip)).toEqual(expected);
    });
    await fc.assert(property, { numRuns: randomRuns(60) });
  });

  it('has the groups of the reference, in every order', async () => {
    const filters: fc.Arbitrary<GroupFilter> = fc.record({
      searchFolded: search,
      type: oneOf('ORG_GROUP' as const, 'TENANT_GROUP' as const),
      tenantId: oneOf('t_0', 't_2', 't_absent'),
      withinTenantKey: fc.constantFrom(null, null, null, 't:0', 't:2', 't:absent'),
    });
    const orders: fc.Arbitrary<Pick<GroupPage, 'sort' | 'order'>> = fc.record({
      sort: fc.constantFrom('name', 'created', 'members'),
      order: fc.constantFrom('asc', 'desc'),
    });
    const fields = { name: 'nameFolded', created: 'createdAt', members: 'memberCount' } as const;
    const property = fc.asyncProperty(filters, orders, places, async (filter, order, { limit, skip }) => {
      const { searchFolded, type, tenantId, withinTenantKey } = filter;
      const isSelected = (group: GroupDocument) =>
        contains([group.nameFolded], searchFolded) &&
        (type === undefined || group.type === type) &&
        (tenantId === undefined || group.tenantId === tenantId) &&
        (withinTenantKey === null || group.tenantKey === withinTenantKey);
      const sign = order.order === 'asc' ? 1 : -1;
      const place = { by: fields[order.sort], sign, limit, skip } as const;
      const read = (page: Page) => stores.groups.page(ORGANIZATION, filter, { ...page, ...order });
      expect(await readAll(read, limit, skip)).toEqual(expectedOf(stored.groups, isSelected, place));
    });
    await fc.assert(property, { numRuns: randomRuns(100) });
  });

  it('has the tenants of the reference', async () => {
    const filters = fc.record({
      searchFolded: search,
      ids: idLists,
      key: fc.constantFrom(null, null, null, 't:05', 't:absent'),
    });
    const property = fc.asyncProperty(filters, places, async (filter, { limit, skip }) => {
      const { searchFolded, ids, key } = filter;
      const isSelected = ({ _id, id, nameFolded }: TenantDocument) =>
        contains([nameFolded], searchFolded) &&
        (ids === undefined || ids.includes(id)) &&
        (key === null || key === _id);
      const read = (page: Page) => stores.tenants.page(ORGANIZATION, filter, page);
      const expected = expectedOf(stored.tenants, isSelected, { ...byName, limit, skip });
      expect(await readAll(read, limit, skip)).toEqual(expected);
    });
    await fc.assert(property, { numRuns: randomRuns(60) });
  });
});

describe('the terms of a record', () => {
  const users = database.collection<TenantUserDocument>('tenantUsers');
  const termsOf = async (_id: string) => (await users.findOne({ _id }))?.terms?.toSorted();
  const find = async (searchFolded: string) => {
    const found = await stores.tenantUsers.page(OTHER, { searchFolded }, { skip: 0, limit: 5 });
    return found.records.map(({ _id }) => _id);
  };

  it('follow a change of the fields that filters find it by, and are not read', async () => {
    const _id = 'other_u:05';
    const read = await stores.tenantUsers.getByKey(OTHER, _id);
    expect(read).not.toHaveProperty('terms');
    const set = { ...foldPerson({ name: 'Quite renamed', email: read.email }), isActive: false };
    const changed = await stores.tenantUsers.update(OTHER, read, { set, events: [], now: new Date() });
    expect(changed).not.toHaveProperty('terms');
    expect(await find('quite renamed')).toEqual([_id]);
    const terms = await termsOf(_id);
    await stores.tenantUsers.update(OTHER, changed, {
      set: { department: 'A' },
      events: [],
      now: new Date(),
    });
    expect(await termsOf(_id)).toEqual(terms);
    const again = await stores.tenantUsers.getByKey(OTHER, _id);
    await stores.tenantUsers.update(OTHER, again, { set: { isActive: true }, events: [], now: new Date() });
    expect(await termsOf(_id)).not.toEqual(terms);
  });

  it.each(['tenantUsers', 'orgUsers', 'groups', 'tenants'] as const)(
    'of %s are derived again for records of a former release, which are found meanwhile',
    async (name) => {
      const collection = database.collection<{ _id: string; terms?: number[] }>(name);
      const before = await collection.find({}, { sort: { _id: 1 } }).toArray();
      const { matchedCount } = await collection.updateMany({}, { $unset: { terms: '' } });
      expect(matchedCount).toBe(2 * COUNT);
      expect(await find('quite renamed')).toEqual(['other_u:05']);
      await stores[name].addMissingTerms();
      const after = await collection.find({}, { sort: { _id: 1 } }).toArray();
      expect(after).toEqual(before);
    },
  );
});

describe('a list of more records than the engine tries indexes for', () => {
  const MANY = 'org_many';
  const SIZE = 11_000;
  const filters: Record<string, UserFilter> = {
    none: {},
    'a search of one letter': { searchFolded: 'e' },
    'an absent search of one letter': { searchFolded: '%' },
    'a rare search': { searchFolded: 'user 1234 ' },
    'an absent search': { searchFolded: 'nowhere' },
    'rare activity': { isActive: false },
    'frequent activity': { isActive: true },
    'frequent activity in a tenant': { isActive: true, withinTenantKey: 't:1' },
    'a search in a tenant': { searchFolded: 'user', tenantId: 't_1' },
  };

  beforeAll(async () => {
    const users = Array.from({ length: SIZE }, (_, index) => {
      const person = foldPerson({ name: `User ${index} Smith`, email: `u${index}@acme.test` });
      const tenant = { tenantKey: `t:${index % 2}`, tenantId: `t_${index % 2}` };
      const isActive = index % 1000 !== 7;
      return { ...written(0), _id: `many_${index}`, id: `many_${index}`, ...person, ...tenant, isActive };
    });
    const documents = users.map((user) => ({ ...user, organizationId: MANY, version: 1, revision: 1 }));
    await database.collection<{ _id: string }>('tenantUsers').insertMany(documents);
    await stores.tenantUsers.addMissingTerms();
  });

  it.each(Object.entries(filters))('is read and counted with %s', async (_, filter) => {
    const { searchFolded, isActive, tenantId, withinTenantKey } = filter;
    const isSelected = (index: number) =>
      contains([`user ${index} smith`, `u${index}@acme.test`], searchFolded) &&
      (isActive === undefined || isActive === (index % 1000 !== 7)) &&
      (tenantId === undefined || tenantId === `t_${index % 2}`) &&
      (withinTenantKey == null || withinTenantKey === `t:${index % 2}`);
    const count = Array.from({ length: SIZE }, (__, index) => index).filter(isSelected).length;
    for (const skip of [0, 3, 10_500]) {
      const found = await stores.tenantUsers.pageWithExactTotal(MANY, filter, { skip, limit: 5 });
      expect(found.records).toHaveLength(Math.max(0, Math.min(5, count - skip)));
      expect(found.total).toBe(count);
    }
    const bounded = await stores.tenantUsers.page(MANY, filter, { skip: 0, limit: 1 });
    expect(bounded.total).toBe(Math.min(count, 10_000));
    expect(bounded.totalIsLowerBound ?? false).toBe(count > 10_000);
  });
});

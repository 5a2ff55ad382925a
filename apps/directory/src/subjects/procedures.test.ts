import type { Principal, UserFacts } from '@gatehouse/contract';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { addOrgUser, addTenantUser, populate, type Population } from '../testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { subjects, groups, tenantUsers, orgUsers } = platform.directory;

let acme: Population;
let elsewhere: Population;
/** Keys of tenants, which the API does not return. */
let northKey: string;
let southKey: string;
let groupIds: { org: string; north: string };

beforeAll(async () => {
  acme = await populate(platform);
  elsewhere = await populate(platform);
  northKey = acme.principals.northViewer.tenantKey;
  southKey = acme.principals.southPowerUser.tenantKey;
  for (let count = 0; count < 6; count += 1) {
    await addTenantUser(platform, acme, { tenantId: count % 2 === 0 ? acme.north.id : acme.south.id });
    await addOrgUser(platform, acme, 'VIEWER');
  }
  const inactive = await addTenantUser(platform, acme, { tenantId: acme.north.id, id: 'inactive' });
  await tenantUsers.update.mutate({ id: inactive.userId, isActive: false }, { context: acme.asAdmin });
  const off = await addOrgUser(platform, acme, 'AUTHOR');
  await orgUsers.update.mutate({ id: off.userId, isActive: false }, { context: acme.asAdmin });
  const org = await groups.create.mutate({ name: 'Org', type: 'ORG_GROUP' }, { context: acme.asAdmin });
  const north = await groups.create.mutate(
    {
      name: 'N',
      type: 'TENANT_GROUP',
      tenantId: acme.north.id,
    },
    { context: acme.asAdmin },
  );
  groupIds = { org: org.group.id, north: north.group.id };
  const { author, northViewer, southPowerUser } = acme.principals;
  const userIds = [author.userId, northViewer.userId, southPowerUser.userId, 'inactive'];
  await groups.addMembers.mutate({ id: groupIds.org, userIds }, { context: acme.asAdmin });
  await groups.addMembers.mutate(
    { id: groupIds.north, userIds: [northViewer.userId] },
    { context: acme.asAdmin },
  );
});

type Selectors = Omit<Parameters<typeof subjects.listUsers.query>[0], 'limit' | 'after'>;

/** All pages of a list, each of a few users. */
async function listAll(selectors: Selectors, limit: number): Promise<UserFacts[]> {
  const users: UserFacts[] = [];
  for (;;) {
    const last = users.at(-1);
    const after = last && { type: last.type, id: last.userId };
    const page = await subjects.listUsers.query({ ...selectors, after, limit }, { context: acme.asAdmin });
    users.push(...page.users);
    if (page.users.length < limit) return users;
  }
}
const keysOf = (users: UserFacts[]) => users.map((user) => user.userKey).toSorted();

describe('the users that selectors match', () => {
  it('are paged in any size, org users first, each kind by id', async () => {
    const everyone = { allOrgUsers: true, allTenantUsers: true };
    const all = await listAll(everyone, 1000);
    expect(all).toHaveLength(3 + 6 + 3 + 6);
    const ids = all.map(({ type, userId }) => `${type} ${userId}`);
    // The database compares by code unit, and a page must continue in the same order.
    expect(ids).toEqual(ids.toSorted());
    for (const limit of [1, 2, 5, 9, 18]) expect(await listAll(everyone, limit)).toEqual(all);
  });

  it('are only active users', async () => {
    const users = await listAll({ allOrgUsers: true, allTenantUsers: true, groupIds: [groupIds.org] }, 4);
    expect(users.every((user) => user.isActive)).toBe(true);
    expect(users.map((user) => user.userId)).not.toContain('inactive');
  });

  it('match at least one selector, and are listed once each', async () => {
    const { author, northViewer, northPowerUser, southPowerUser, viewer } = acme.principals;
    const users = await listAll(
      { userKeys: [viewer.userKey, northViewer.userKey], groupIds: [groupIds.org, groupIds.north] },
      2,
    );
    const expected = [viewer, author, northViewer, southPowerUser].map((user) => user.userKey);
    expect(keysOf(users)).toEqual(expected.toSorted());
    const south = await listAll({ tenantKeys: [southKey], userKeys: [northPowerUser.userKey] }, 3);
    expect(south).toHaveLength(5);
    expect(south.filter((user) => user.tenantKey !== southKey).map((user) => user.userId)).toEqual([
      northPowerUser.userId,
    ]);
  });

  it('include each active member of a group once, in pages of any size, beside other users', async () => {
    const people = await listAll({ allOrgUsers: true, allTenantUsers: true }, 1000);
    const created = await groups.create.mutate({ name: 'All', type: 'ORG_GROUP' }, { context: acme.asAdmin });
    const { id } = created.group;
    // Every second user is a member; the others are selected by key.
    const members = people.filter((_, index) => index % 2 === 0);
    const userIds = ['inactive', ...members.map(({ userId }) => userId)];
    await groups.addMembers.mutate({ id, userIds }, { context: acme.asAdmin });
    const others = people.filter((user) => !members.includes(user));
    const byKey = { userKeys: others.map(({ userKey }) => userKey) };
    for (const limit of [1, 2, 5, 9, 18]) {
      const found = await listAll({ groupIds: [id], ...byKey }, limit);
      expect(found.map(({ userId }) => userId)).toEqual(people.map(({ userId }) => userId));
      for (const user of found)
        expect(user.groupIds).toEqual(members.some(({ userId }) => userId === user.userId) ? [id] : []);
      const own = await listAll({ groupIds: [id] }, limit);
      expect(own.map(({ userId }) => userId)).toEqual(members.map(({ userId }) => userId));
    }
    await groups.delete.mutate({ id }, { context: acme.asAdmin });
  });

  it('are limited to one tenant on request', async () => {
    const everyone = { allOrgUsers: true, allTenantUsers: true, groupIds: [groupIds.org] };
    const users = await listAll({ ...everyone, withinTenantKey: northKey }, 2);
    expect(users).toHaveLength(5);
    expect(new Set(users.map((user) => user.tenantKey))).toEqual(new Set([northKey]));
    const crossed = await listAll({ tenantKeys: [southKey], withinTenantKey: northKey }, 2);
    expect(crossed).toEqual([]);
  });

  it('are empty without a selector, and exclude other organizations', async () => {
    expect(await listAll({}, 5)).toEqual([]);
    const { northViewer, admin } = elsewhere.principals;
    const foreign = { userKeys: [northViewer.userKey, admin.userKey], tenantKeys: [northViewer.tenantKey] };
    expect(await listAll(foreign, 5)).toEqual([]);
    const { groups: theirs } = await groups.list.query({}, { context: acme.asAdmin });
    const users = await subjects.listUsers.query(
      {
        groupIds: theirs.map((group) => group.id),
        limit: 9,
      },
      { context: elsewhere.asAdmin },
    );
    expect(users).toEqual({ users: [] });
  });

  it('include the facts for access decisions', async () => {
    const { northViewer } = acme.principals;
    const facts = { userKeys: [northViewer.userKey], groupIds: Object.values(groupIds) };
    const user = (await listAll(facts, 5)).find(({ userId }) => userId === northViewer.userId);
    expect(user).toMatchObject({
      userId: northViewer.userId,
      userKey: northViewer.userKey,
      type: 'tenant',
      email: northViewer.email,
      role: 'VIEWER',
      isActive: true,
      tenantId: acme.north.id,
      tenantKey: northKey,
      groupIds: [groupIds.org, groupIds.north].toSorted(),
    });
    expect(
      (await subjects.getUser.query({ userId: northViewer.userId }, { context: acme.asAdmin })).user,
    ).toEqual(user);
    const [ungrouped] = await listAll({ userKeys: [northViewer.userKey] }, 5);
    expect(ungrouped).toEqual({ ...user, groupIds: [] });
  });
});

describe('subjects by id', () => {
  it('are found only within the organization, with their keys', async () => {
    const { viewer, northViewer } = acme.principals;
    const found = await subjects.lookup.query(
      {
        tenantUserIds: [northViewer.userId, 'tu_none', elsewhere.principals.northViewer.userId],
        orgUserIds: [viewer.userId, elsewhere.admin.userId],
        tenantIds: [acme.north.id, elsewhere.north.id, 't_none'],
        groupIds: [groupIds.north, groupIds.org, 'grp_none'],
      },
      { context: acme.asAdmin },
    );
    expect(found.tenantUsers).toMatchObject([
      { id: northViewer.userId, key: northViewer.userKey, tenantId: acme.north.id, tenantKey: northKey },
    ]);
    expect(found.orgUsers).toMatchObject([{ id: viewer.userId, key: viewer.userKey, email: viewer.email }]);
    expect(found.tenants).toEqual([{ id: acme.north.id, key: northKey, name: 'North' }]);
    const byName = found.groups.toSorted((one, other) => one.name.localeCompare(other.name));
    expect(byName).toEqual([
      {
        id: groupIds.north,
        key: `g:${groupIds.north}`,
        name: 'N',
        type: 'TENANT_GROUP',
        tenantId: acme.north.id,
        tenantKey: northKey,
      },
      {
        id: groupIds.org,
        key: `g:${groupIds.org}`,
        name: 'Org',
        type: 'ORG_GROUP',
        tenantId: null,
        tenantKey: null,
      },
    ]);
  });

  it('are the same one by one and many at once, without users of other organizations', async () => {
    const { viewer, northViewer } = acme.principals;
    const known = [viewer.userId, northViewer.userId, 'inactive'];
    const userIds = [...known, ...known, 'tu_none', 'ou_none', elsewhere.admin.userId];
    const { users } = await subjects.getUsers.query({ userIds }, { context: acme.asAdmin });
    const single = await Promise.all(
      known.map(async (userId) => (await subjects.getUser.query({ userId }, { context: acme.asAdmin })).user),
    );
    const byId = <T extends { userId: string } | null>(list: T[]) =>
      list.toSorted((a, b) => String(a?.userId).localeCompare(String(b?.userId)));
    expect(byId(users)).toEqual(byId(single));
  });

  it('name only the groups of a request that limits them', async () => {
    const { userId } = acme.principals.northViewer;
    const groupsAmong = async (ids: string[]) =>
      (await subjects.getUser.query({ userId, groupIds: ids }, { context: acme.asAdmin })).user?.groupIds;
    expect(await groupsAmong([])).toEqual([]);
    expect(await groupsAmong([groupIds.north, 'grp_none'])).toEqual([groupIds.north]);
    const both = [groupIds.org, groupIds.north];
    expect(await groupsAmong(both)).toEqual(both.toSorted());
  });

  it('are named for a tenant user only if they are org users or of its tenant', async () => {
    const { admin, author, northViewer, southPowerUser } = acme.principals;
    const elsewhereUser = elsewhere.principals.author;
    const emails = [author, northViewer, southPowerUser, elsewhereUser].map(({ email }) => email);
    const namedFor = async (principal: Principal, asked: string[]) => {
      const context = await platform.originOf(principal);
      return (await subjects.listNames.query({ emails: asked }, { context })).people;
    };
    const named = async ({ userId, email }: { userId: string; email: string }) => {
      const { user } = await subjects.getUser.query({ userId }, { context: acme.asAdmin });
      return { email, name: user?.name };
    };
    const [byAuthor, byNorth, bySouth] = await Promise.all([author, northViewer, southPowerUser].map(named));
    expect(await namedFor(northViewer, emails)).toEqual([byAuthor, byNorth]);
    expect(await namedFor(southPowerUser, emails)).toEqual([byAuthor, bySouth]);
    expect(await namedFor(admin, emails)).toEqual([byAuthor]);
    const email = northViewer.email.toUpperCase();
    expect(await namedFor(northViewer, [email])).toEqual([{ ...byNorth, email }]);
  });

  it('include deactivated users, and return null for missing users', async () => {
    const { user } = await subjects.getUser.query({ userId: 'inactive' }, { context: acme.asAdmin });
    expect(user).toMatchObject({ isActive: false, groupIds: [groupIds.org] });
    for (const userId of ['tu_none', 'ou_none', elsewhere.admin.userId]) {
      expect(await subjects.getUser.query({ userId }, { context: acme.asAdmin })).toEqual({ user: null });
    }
  });
});

import { GROUP_MEMBERS_MAX, USER_GROUPS_MAX } from '@gatehouse/contract';
import { createLog, newId, readConfig, readQuotas, retryOnConflict } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { addOrgUser, addTenantUser, populate, type Population } from '../testing/population.js';
import { addGroupMembers, ensureUsersRemoved } from './manageMembers.js';
import { GroupMemberStore } from './store/members.js';

const { platform } = await usePlatform(startPlatform);
const { groups, tenantUsers, orgUsers } = platform.directory;

let acme: Population;
beforeEach(async () => {
  acme = await populate(platform);
});

const createOrgGroup = async (name = 'Team') =>
  (await groups.create.mutate({ name, type: 'ORG_GROUP' }, { context: acme.asAdmin })).group;
const createNorthGroup = async (name = 'North team') =>
  (
    await groups.create.mutate(
      { name, type: 'TENANT_GROUP', tenantId: acme.north.id },
      { context: acme.asAdmin },
    )
  ).group;

describe('groups', () => {
  it('are created by an AUTHOR, who gets all permissions on them', async () => {
    const origin = await platform.originOf(acme.principals.author);
    const { group } = await groups.create.mutate(
      { name: 'Team', type: 'ORG_GROUP', description: 'Ours' },
      { context: origin },
    );
    expect(group).toEqual({
      id: expect.stringMatching(/^grp_/) as string,
      name: 'Team',
      description: 'Ours',
      type: 'ORG_GROUP',
      organizationId: acme.organizationId,
      tenantId: null,
      createdBy: acme.principals.author.userId,
      memberCount: 0,
      permissions: { canEdit: true, canDelete: true, canManageMembers: true },
      version: 1,
      createdAt: expect.any(String) as string,
      updatedAt: expect.any(String) as string,
    });
    const { viewer } = acme.principals;
    const seen = await groups.get.query({ id: group.id }, { context: await platform.originOf(viewer) });
    expect(seen.group).toEqual({
      ...group,
      permissions: { canEdit: false, canDelete: false, canManageMembers: false },
    });
  });

  it('of type TENANT_GROUP require an existing tenant; of type ORG_GROUP allow none', async () => {
    const rejection = { code: 'INVALID_REQUEST', fieldErrors: [{ field: 'tenantId' }] };
    const elsewhere = await populate(platform);
    const tenantGroup = { name: 'G', type: 'TENANT_GROUP' } as const;
    const before = await platform.snapshot();
    await expect(groups.create.mutate(tenantGroup, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: rejection,
    });
    for (const tenantId of ['t_none', elsewhere.north.id]) {
      await expect(
        groups.create.mutate({ ...tenantGroup, tenantId }, { context: acme.asAdmin }),
      ).rejects.toMatchObject({ cause: rejection });
    }
    const orgGroup = { name: 'G', type: 'ORG_GROUP', tenantId: acme.north.id } as const;
    await expect(groups.create.mutate(orgGroup, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: rejection,
    });
    expect(await platform.snapshot()).toEqual(before);
  });

  it('have unique names within their scope: the organization or one tenant', async () => {
    const name = 'Same';
    await createOrgGroup(name);
    await createNorthGroup(name);
    await groups.create.mutate(
      { name, type: 'TENANT_GROUP', tenantId: acme.south.id },
      { context: acme.asAdmin },
    );
    const rejection = { code: 'CONFLICT', fieldErrors: [{ field: 'name' }] };
    await expect(createOrgGroup(name)).rejects.toMatchObject({ cause: rejection });
    await expect(createNorthGroup(name)).rejects.toMatchObject({ cause: rejection });
    const other = await createOrgGroup('Other');
    await expect(
      groups.update.mutate({ id: other.id, name }, { context: acme.asAdmin }),
    ).rejects.toMatchObject({ cause: rejection });
  });

  it('are changed and deleted only at the version that the caller read', async () => {
    const { id } = await createOrgGroup();
    const { group } = await groups.update.mutate({ id, description: 'New' }, { context: acme.asAdmin });
    expect(group).toMatchObject({ name: 'Team', description: 'New', version: 2 });
    const outdated = await platform.originOf(acme.admin, [1]);
    const rejection = { code: 'PRECONDITION_FAILED' };
    await expect(groups.update.mutate({ id, name: 'X' }, { context: outdated })).rejects.toMatchObject({
      cause: rejection,
    });
    await expect(groups.delete.mutate({ id }, { context: outdated })).rejects.toMatchObject({
      cause: rejection,
    });
    const { deletedGroup } = await groups.delete.mutate(
      { id },
      { context: await platform.originOf(acme.admin, [2]) },
    );
    expect(deletedGroup).toEqual({ id, name: 'Team' });
    await expect(groups.get.query({ id }, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: {
        code: 'NOT_FOUND',
      },
    });
  });

  it('are not deleted while a resource is shared with them', async () => {
    const { id } = await createOrgGroup();
    platform.access.usedGroupIds.add(id);
    const before = await platform.snapshot();
    await expect(groups.delete.mutate({ id }, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: {
        code: 'CONFLICT',
      },
    });
    expect(await platform.snapshot()).toEqual(before);
    platform.access.usedGroupIds.delete(id);
    const userIds = [acme.principals.viewer.userId];
    await groups.addMembers.mutate({ id, userIds }, { context: acme.asAdmin });
    await groups.delete.mutate({ id }, { context: acme.asAdmin });
    const [event] = await platform.eventsOf('management.group.deleted.v1', id);
    expect(event?.data).toEqual({ id, name: 'Team', type: 'ORG_GROUP', tenantId: null, userIds });
  });
});

describe('the list of groups', () => {
  const namesOf = async (query: Parameters<typeof groups.list.query>[0]) =>
    (await groups.list.query(query, { context: acme.asAdmin })).groups.map((group) => group.name);

  it('can be searched, filtered, sorted and paged, starting at page 1', async () => {
    const beta = await createOrgGroup('beta');
    await createNorthGroup('Alpha');
    await createOrgGroup('Gamma (x)');
    await groups.addMembers.mutate({ id: beta.id, userIds: [acme.admin.userId] }, { context: acme.asAdmin });
    expect(await namesOf({})).toEqual(['Alpha', 'beta', 'Gamma (x)']);
    expect(await namesOf({ order: 'desc' })).toEqual(['Gamma (x)', 'beta', 'Alpha']);
    expect(await namesOf({ sort: 'created' })).toEqual(['beta', 'Alpha', 'Gamma (x)']);
    expect((await namesOf({ sort: 'members', order: 'desc' }))[0]).toBe('beta');
    expect(await namesOf({ type: 'TENANT_GROUP' })).toEqual(['Alpha']);
    expect(await namesOf({ type: 'ORG_GROUP' })).toEqual(['beta', 'Gamma (x)']);
    expect(await namesOf({ tenantId: acme.north.id })).toEqual(['Alpha']);
    expect(await namesOf({ tenantId: acme.south.id })).toEqual([]);
    expect(await namesOf({ search: 'ETA' })).toEqual(['beta']);
    expect(await namesOf({ search: '(X' })).toEqual(['Gamma (x)']);
    expect(await namesOf({ search: '.' })).toEqual([]);
    const first = await groups.list.query({ limit: 2 }, { context: acme.asAdmin });
    expect(first).toMatchObject({ total: 3, page: 1, limit: 2, hasMore: true });
    const second = await groups.list.query({ limit: 2, page: 2 }, { context: acme.asAdmin });
    expect(second).toMatchObject({ total: 3, page: 2, hasMore: false, groups: [{ name: 'Gamma (x)' }] });
    const past = await groups.list.query(
      { page: Number.MAX_SAFE_INTEGER, limit: 100 },
      { context: acme.asAdmin },
    );
    expect(past).toMatchObject({ groups: [], total: 3, hasMore: false });
  });

  it('contains only the groups of its own tenant for a tenant user', async () => {
    await createOrgGroup();
    const north = await createNorthGroup();
    await groups.create.mutate(
      { name: 'S', type: 'TENANT_GROUP', tenantId: acme.south.id },
      { context: acme.asAdmin },
    );
    const listed = await groups.list.query(
      {},
      { context: await platform.originOf(acme.principals.northViewer) },
    );
    expect(listed.groups.map((group) => group.id)).toEqual([north.id]);
    expect(listed.total).toBe(1);
  });

  it('contains the members only on request', async () => {
    const { id } = await createOrgGroup();
    await createOrgGroup('Empty');
    const userIds = [acme.principals.northViewer.userId, acme.principals.viewer.userId];
    await groups.addMembers.mutate({ id, userIds }, { context: acme.asAdmin });
    const plain = await groups.list.query({ sort: 'members', order: 'desc' }, { context: acme.asAdmin });
    expect(plain.groups[0]).not.toHaveProperty('members');
    const full = await groups.list.query(
      { sort: 'members', order: 'desc', includeMembers: true },
      { context: acme.asAdmin },
    );
    expect(full.groups.map((group) => group.members?.length)).toEqual([2, 0]);
    expect(full.groups[0]?.members?.[0]).toMatchObject({
      userId: acme.principals.northViewer.userId,
      userType: 'tenant',
      email: acme.principals.northViewer.email,
    });
  });

  it('rejects a request for more than ten thousand members', async () => {
    const { id } = await createOrgGroup();
    const other = await createOrgGroup('Other');
    await groups.addMembers.mutate({ id: other.id, userIds: [acme.admin.userId] }, { context: acme.asAdmin });
    await fill(id, LISTED_MEMBERS_MAX);
    const rejection = groups.list.query({ includeMembers: true }, { context: acme.asAdmin });
    await expect(rejection).rejects.toMatchObject({
      cause: {
        code: 'INVALID_REQUEST',
        fieldErrors: [{ field: 'includeMembers' }],
      },
    });
    const one = await groups.list.query(
      {
        includeMembers: true,
        limit: 1,
        sort: 'members',
        order: 'desc',
      },
      { context: acme.asAdmin },
    );
    expect(one.groups[0]?.members).toHaveLength(LISTED_MEMBERS_MAX);
  });
});

const LISTED_MEMBERS_MAX = 10_000;

/** Adds a number of members to a group with few writes instead of a request per hundred. */
async function fill(groupId: string, count: number): Promise<void> {
  for (let first = 0; first < count; first += 5000)
    await addNew(groupId, first, Math.min(5000, count - first));
}

async function addNew(groupId: string, first: number, count: number): Promise<void> {
  const members = Array.from({ length: count }, (_, offset) => ({ index: first + offset })).map(
    ({ index }) => ({
      id: newId('groupMember'),
      userId: `tu_${index}`,
      userKey: `u:${groupId}-${index}`,
      userType: 'tenant' as const,
      addedAt: new Date(),
      addedBy: null,
    }),
  );
  const { groupMembers } = platform.dependencies.stores;
  await retryOnConflict(async () => {
    const { group } = await groupMembers.getSelected(acme.organizationId, groupId, { userKeys: [] });
    await groupMembers.add(acme.organizationId, group, { members, events: [], now: new Date() });
  });
}

describe('the members of a group', () => {
  it('are added once even if they are repeated, and the response contains the new ones', async () => {
    const { id } = await createOrgGroup();
    const [viewer, northViewer] = [acme.principals.viewer.userId, acme.principals.northViewer.userId];
    const first = await groups.addMembers.mutate(
      { id, userIds: [viewer, viewer, northViewer] },
      { context: acme.asAdmin },
    );
    expect(first.addedMembers.map((member) => member.userId)).toEqual([viewer, northViewer]);
    expect(first.addedMembers[0]).toMatchObject({
      id: expect.stringMatching(/^gm_/) as string,
      userType: 'organization',
      email: acme.principals.viewer.email,
      addedBy: acme.admin.userId,
    });
    const again = await groups.addMembers.mutate({ id, userIds: [viewer] }, { context: acme.asAdmin });
    expect(again.addedMembers).toEqual([]);
    const { group } = await groups.get.query({ id }, { context: acme.asAdmin });
    expect(group).toMatchObject({ memberCount: 2, version: 2 });
    const [event] = await platform.eventsOf('management.group_member.added.v1', id);
    expect(event?.data['members']).toHaveLength(2);
  });

  it('are all added or none, and the error names each missing user', async () => {
    const { id } = await createOrgGroup();
    const elsewhere = await populate(platform);
    const missing = ['tu_none', 'ou_none', elsewhere.admin.userId, elsewhere.principals.northViewer.userId];
    const before = await platform.snapshot();
    const adding = groups.addMembers.mutate(
      { id, userIds: [acme.admin.userId, ...missing] },
      { context: acme.asAdmin },
    );
    await expect(adding).rejects.toMatchObject({
      cause: {
        code: 'INVALID_REQUEST',
        fieldErrors: [1, 2, 3, 4].map((index) => ({ field: `userIds[${index}]` })),
      },
    });
    expect(await platform.snapshot()).toEqual(before);
  });

  it('of a tenant group must be users of that tenant', async () => {
    const { id } = await createNorthGroup();
    const { northViewer, southPowerUser, admin } = acme.principals;
    const mixed = [northViewer.userId, southPowerUser.userId, admin.userId];
    await expect(
      groups.addMembers.mutate({ id, userIds: mixed }, { context: acme.asAdmin }),
    ).rejects.toMatchObject({
      cause: {
        code: 'INVALID_REQUEST',
        fieldErrors: [{ field: 'userIds[1]' }, { field: 'userIds[2]' }],
      },
    });
    await groups.addMembers.mutate({ id, userIds: [northViewer.userId] }, { context: acme.asAdmin });
  });

  it('are limited to a hundred thousand', async () => {
    const { id } = await createOrgGroup();
    // As if it had that many: to add them would take half a minute.
    const stored = platform.database.collection<{ _id: string }>('groups');
    await stored.updateOne({ _id: id }, { $set: { memberCount: GROUP_MEMBERS_MAX - 1 } });
    const userIds = [acme.admin.userId, acme.principals.viewer.userId];
    const rejection = groups.addMembers.mutate({ id, userIds }, { context: acme.asAdmin });
    const tooMany = { code: 'INVALID_REQUEST', fieldErrors: [{ field: 'userIds' }] };
    await expect(rejection).rejects.toMatchObject({ cause: tooMany });
  });

  it('are in at most ten thousand groups, whose ids each of their requests carries', async () => {
    const { id } = await createOrgGroup();
    const { viewer, author } = acme.principals;
    const add = (groupId: string, userIds: string[]) =>
      groups.addMembers.mutate({ id: groupId, userIds }, { context: acme.asAdmin });
    await add(id, [viewer.userId]);
    // Copies of the group: to create them one by one would take a minute.
    const stored = platform.database.collection<{ _id: string }>('groups');
    const group = await stored.findOne({ _id: id });
    const copies = Array.from({ length: USER_GROUPS_MAX - 2 }, () => newId('group'));
    await stored.insertMany(copies.map((_id) => ({ ...group, _id, name: _id, outbox: [] })));
    const { id: last } = await createOrgGroup('Last');
    const { id: surplus } = await createOrgGroup('Surplus');
    await add(last, [viewer.userId]);
    await expect(add(surplus, [author.userId, viewer.userId])).rejects.toMatchObject({
      cause: { code: 'INVALID_REQUEST', fieldErrors: [{ field: 'userIds[1]', code: 'length' }] },
    });
    await expect(add(last, [viewer.userId, author.userId])).resolves.toMatchObject({
      addedMembers: [{ userId: author.userId }],
    });
    await groups.removeMembers.mutate({ id: last, userIds: [viewer.userId] }, { context: acme.asAdmin });
    await add(surplus, [viewer.userId]);
  });

  it('are all added by concurrent requests for one each', async () => {
    const { id } = await createOrgGroup();
    const users = await Promise.all(
      Array.from({ length: 20 }, () => addTenantUser(platform, acme, { tenantId: acme.north.id })),
    );
    await Promise.all(
      users.map((user) =>
        groups.addMembers.mutate({ id, userIds: [user.userId] }, { context: acme.asAdmin }),
      ),
    );
    const { group } = await groups.get.query({ id }, { context: acme.asAdmin });
    expect(group.memberCount).toBe(20);
    const { members } = await groups.members.query({ id, limit: 100 }, { context: acme.asAdmin });
    expect(new Set(members.map((member) => member.userId))).toEqual(
      new Set(users.map((user) => user.userId)),
    );
  });

  it('are removed by membership id or user id; a user who is not a member returns NOT_FOUND', async () => {
    const { id } = await createOrgGroup();
    const { viewer, author, northViewer } = acme.principals;
    const { addedMembers } = await groups.addMembers.mutate(
      {
        id,
        userIds: [viewer.userId, author.userId, northViewer.userId],
      },
      { context: acme.asAdmin },
    );
    const [first] = addedMembers;
    const byMembership = await groups.removeMember.mutate(
      { id, memberId: first?.id ?? '' },
      { context: acme.asAdmin },
    );
    expect(byMembership.removedMember).toEqual(first);
    const byUser = await groups.removeMember.mutate(
      { id, memberId: northViewer.userId },
      { context: acme.asAdmin },
    );
    expect(byUser.removedMember.userId).toBe(northViewer.userId);
    const before = await platform.snapshot();
    for (const memberId of [northViewer.userId, first?.id ?? '', 'gm_none']) {
      const rejection = groups.removeMember.mutate({ id, memberId }, { context: acme.asAdmin });
      await expect(rejection).rejects.toMatchObject({ cause: { code: 'NOT_FOUND' } });
    }
    expect(await platform.snapshot()).toEqual(before);
  });

  it('are not removed when If-Match names a former version of the group', async () => {
    const { id } = await createOrgGroup();
    const { userId } = acme.principals.viewer;
    await groups.addMembers.mutate({ id, userIds: [userId] }, { context: acme.asAdmin });
    const before = await platform.snapshot();
    const outdated = await platform.originOf(acme.admin, [1]);
    const rejection = { code: 'PRECONDITION_FAILED' };
    await expect(
      groups.removeMember.mutate({ id, memberId: userId }, { context: outdated }),
    ).rejects.toMatchObject({ cause: rejection });
    await expect(
      groups.removeMembers.mutate({ id, userIds: [userId] }, { context: outdated }),
    ).rejects.toMatchObject({ cause: rejection });
    expect(await platform.snapshot()).toEqual(before);
    const current = await platform.originOf(acme.admin, [2]);
    expect(
      (await groups.removeMember.mutate({ id, memberId: userId }, { context: current })).removedMember.userId,
    ).toBe(userId);
  });

  it('are removed in bulk, and users who are not members are ignored', async () => {
    const { id } = await createOrgGroup();
    const { viewer, author } = acme.principals;
    await groups.addMembers.mutate(
      { id, userIds: [viewer.userId, author.userId] },
      { context: acme.asAdmin },
    );
    const userIds = [viewer.userId, 'tu_none', acme.admin.userId];
    const { removedMembers } = await groups.removeMembers.mutate({ id, userIds }, { context: acme.asAdmin });
    expect(removedMembers.map((member) => member.userId)).toEqual([viewer.userId]);
    expect(
      (await groups.removeMembers.mutate({ id, userIds }, { context: acme.asAdmin })).removedMembers,
    ).toEqual([]);
    const { group } = await groups.get.query({ id }, { context: acme.asAdmin });
    expect(group).toMatchObject({ memberCount: 1, version: 3 });
    const [event] = await platform.eventsOf('management.group_member.removed.v1', id);
    expect(event?.data['members']).toMatchObject([{ userId: viewer.userId, userKey: viewer.userKey }]);
  });

  it('are removed when the user is deleted, once even if the event repeats', async () => {
    const groupIds = [(await createOrgGroup('A')).id, (await createOrgGroup('B')).id];
    const user = await addOrgUser(platform, acme, 'VIEWER');
    for (const id of groupIds)
      await groups.addMembers.mutate({ id, userIds: [user.userId] }, { context: acme.asAdmin });
    await orgUsers.delete.mutate({ id: user.userId }, { context: acme.asAdmin });
    for (const id of groupIds) {
      await platform.eventsOf('management.group_member.removed.v1', id);
      expect((await groups.get.query({ id }, { context: acme.asAdmin })).group).toMatchObject({
        memberCount: 0,
        version: 3,
      });
    }
    const [groupId = ''] = groupIds;
    const origin = { service: 'directory', organizationId: acme.organizationId, now: new Date() };
    const again = { organizationId: acme.organizationId, groupId, userKeys: [user.userKey] };
    const before = await platform.snapshot();
    await ensureUsersRemoved(platform.dependencies, again, origin);
    expect(await platform.snapshot()).toEqual(before);
  });

  it('never include a user who is deleted while being added', async () => {
    const { id } = await createOrgGroup();
    for (let round = 0; round < 10; round += 1) {
      const user = await addTenantUser(platform, acme, { tenantId: acme.north.id });
      await Promise.allSettled([
        groups.addMembers.mutate({ id, userIds: [user.userId] }, { context: acme.asAdmin }),
        tenantUsers.delete.mutate({ id: user.userId }, { context: acme.asAdmin }),
      ]);
      await platform.eventsOf('management.tenant_user.deleted.v1', user.userId);
    }
    await expect
      .poll(async () => (await groups.get.query({ id }, { context: acme.asAdmin })).group.memberCount)
      .toBe(0);
  });

  it('never include a user whose deletion was cleaned up just before the write', async () => {
    const { id } = await createOrgGroup();
    const user = await addTenantUser(platform, acme, { tenantId: acme.north.id });
    class LateStore extends GroupMemberStore {
      override async getSelected(...parameters: Parameters<GroupMemberStore['getSelected']>) {
        if (await platform.dependencies.stores.tenantUsers.findByKey(acme.organizationId, user.userKey)) {
          await tenantUsers.delete.mutate({ id: user.userId }, { context: acme.asAdmin });
          await platform.eventsOf('management.tenant_user.deleted.v1', user.userId);
        }
        return super.getSelected(...parameters);
      }
    }
    const stores = {
      ...platform.dependencies.stores,
      groupMembers: new LateStore(platform.database, readQuotas(readConfig({}))),
    };
    const log = createLog('directory', { LOG_LEVEL: 'silent' });
    const context = { ...acme.asAdmin, caller: acme.admin, principal: acme.admin, now: new Date(), log };
    await addGroupMembers({ ...platform.dependencies, stores }, { id, userIds: [user.userId] }, context);
    expect((await groups.get.query({ id }, { context: acme.asAdmin })).group).toMatchObject({
      memberCount: 0,
      version: 3,
    });
  });
});

import { GROUP_MEMBERS_MAX } from '@gatehouse/contract';
import { createLog, newId } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { addOrgUser, addTenantUser, populate, type Population } from '../testing/population.js';
import { GroupMemberStore } from '../store/groupMembers.js';
import { addGroupMembers } from './groupMembers.js';
import { dropMembers } from './groupWrites.js';

const platform = await startPlatform(await startTestMongo());
const { groups, tenantUsers, orgUsers } = platform.directory;
afterAll(() => platform.stop());

let acme: Population;
beforeEach(async () => {
  acme = await populate(platform);
});

const createOrgGroup = async (name = 'Team') =>
  (await groups.create(acme.asAdmin, { name, type: 'ORG_GROUP' })).group;
const createNorthGroup = async (name = 'North team') =>
  (await groups.create(acme.asAdmin, { name, type: 'TENANT_GROUP', tenantId: acme.north.id })).group;

describe('groups', () => {
  it('are created by an AUTHOR, who may then do everything with them', async () => {
    const origin = await platform.originOf(acme.principals.author);
    const { group } = await groups.create(origin, { name: 'Team', type: 'ORG_GROUP', description: 'Ours' });
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
    const seen = await groups.get(await platform.originOf(viewer), { id: group.id });
    expect(seen.group).toEqual({
      ...group,
      permissions: { canEdit: false, canDelete: false, canManageMembers: false },
    });
  });

  it('of a tenant need one that exists; of the organization have none', async () => {
    const refused = { code: 'INVALID_REQUEST', fieldErrors: [{ field: 'tenantId' }] };
    const elsewhere = await populate(platform);
    const tenantGroup = { name: 'G', type: 'TENANT_GROUP' } as const;
    const before = await platform.snapshot();
    await expect(groups.create(acme.asAdmin, tenantGroup)).rejects.toMatchObject(refused);
    for (const tenantId of ['t_none', elsewhere.north.id]) {
      await expect(groups.create(acme.asAdmin, { ...tenantGroup, tenantId })).rejects.toMatchObject(refused);
    }
    const orgGroup = { name: 'G', type: 'ORG_GROUP', tenantId: acme.north.id } as const;
    await expect(groups.create(acme.asAdmin, orgGroup)).rejects.toMatchObject(refused);
    expect(await platform.snapshot()).toEqual(before);
  });

  it('have names unique in their scope: the organization, or one tenant', async () => {
    const name = 'Same';
    await createOrgGroup(name);
    await createNorthGroup(name);
    await groups.create(acme.asAdmin, { name, type: 'TENANT_GROUP', tenantId: acme.south.id });
    const refused = { code: 'CONFLICT', fieldErrors: [{ field: 'name' }] };
    await expect(createOrgGroup(name)).rejects.toMatchObject(refused);
    await expect(createNorthGroup(name)).rejects.toMatchObject(refused);
    const other = await createOrgGroup('Other');
    await expect(groups.update(acme.asAdmin, { id: other.id, name })).rejects.toMatchObject(refused);
  });

  it('are changed and deleted at the version that the caller read', async () => {
    const { id } = await createOrgGroup();
    const { group } = await groups.update(acme.asAdmin, { id, description: 'New' });
    expect(group).toMatchObject({ name: 'Team', description: 'New', version: 2 });
    const outdated = await platform.originOf(acme.admin, [1]);
    const refused = { code: 'PRECONDITION_FAILED' };
    await expect(groups.update(outdated, { id, name: 'X' })).rejects.toMatchObject(refused);
    await expect(groups.delete(outdated, { id })).rejects.toMatchObject(refused);
    const { deletedGroup } = await groups.delete(await platform.originOf(acme.admin, [2]), { id });
    expect(deletedGroup).toEqual({ id, name: 'Team' });
    await expect(groups.get(acme.asAdmin, { id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('are not deleted while something is shared with them', async () => {
    const { id } = await createOrgGroup();
    platform.access.usedGroupIds.add(id);
    const before = await platform.snapshot();
    await expect(groups.delete(acme.asAdmin, { id })).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await platform.snapshot()).toEqual(before);
    platform.access.usedGroupIds.delete(id);
    const userIds = [acme.principals.viewer.userId];
    await groups.addMembers(acme.asAdmin, { id, userIds });
    await groups.delete(acme.asAdmin, { id });
    const [event] = await platform.eventsOf('management.group.deleted.v1', id);
    expect(event?.data).toEqual({ id, name: 'Team', type: 'ORG_GROUP', tenantId: null, userIds });
  });
});

describe('the list of groups', () => {
  const namesOf = async (query: Parameters<typeof groups.list>[1]) =>
    (await groups.list(acme.asAdmin, query)).groups.map((group) => group.name);

  it('is searched, filtered, sorted and paged from one', async () => {
    const beta = await createOrgGroup('beta');
    await createNorthGroup('Alpha');
    await createOrgGroup('Gamma (x)');
    await groups.addMembers(acme.asAdmin, { id: beta.id, userIds: [acme.admin.userId] });
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
    const first = await groups.list(acme.asAdmin, { limit: 2 });
    expect(first).toMatchObject({ total: 3, page: 1, limit: 2, hasMore: true });
    const second = await groups.list(acme.asAdmin, { limit: 2, page: 2 });
    expect(second).toMatchObject({ total: 3, page: 2, hasMore: false, groups: [{ name: 'Gamma (x)' }] });
    const past = await groups.list(acme.asAdmin, { page: Number.MAX_SAFE_INTEGER, limit: 100 });
    expect(past).toMatchObject({ groups: [], total: 3, hasMore: false });
  });

  it('shows a tenant user the groups of its own tenant', async () => {
    await createOrgGroup();
    const north = await createNorthGroup();
    await groups.create(acme.asAdmin, { name: 'S', type: 'TENANT_GROUP', tenantId: acme.south.id });
    const listed = await groups.list(await platform.originOf(acme.principals.northViewer), {});
    expect(listed.groups.map((group) => group.id)).toEqual([north.id]);
    expect(listed.total).toBe(1);
  });

  it('has the members only when they are asked for', async () => {
    const { id } = await createOrgGroup();
    await createOrgGroup('Empty');
    const userIds = [acme.principals.northViewer.userId, acme.principals.viewer.userId];
    await groups.addMembers(acme.asAdmin, { id, userIds });
    const plain = await groups.list(acme.asAdmin, { sort: 'members', order: 'desc' });
    expect(plain.groups[0]).not.toHaveProperty('members');
    const full = await groups.list(acme.asAdmin, { sort: 'members', order: 'desc', includeMembers: true });
    expect(full.groups.map((group) => group.members?.length)).toEqual([2, 0]);
    expect(full.groups[0]?.members?.[0]).toMatchObject({
      userId: acme.principals.northViewer.userId,
      userType: 'tenant',
      email: acme.principals.northViewer.email,
    });
  });

  it('refuses more members in one answer than one group may have', async () => {
    const { id } = await createOrgGroup();
    const other = await createOrgGroup('Other');
    await groups.addMembers(acme.asAdmin, { id: other.id, userIds: [acme.admin.userId] });
    await fill(id, GROUP_MEMBERS_MAX);
    const refused = groups.list(acme.asAdmin, { includeMembers: true });
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      fieldErrors: [{ field: 'includeMembers' }],
    });
    const one = await groups.list(acme.asAdmin, {
      includeMembers: true,
      limit: 1,
      sort: 'members',
      order: 'desc',
    });
    expect(one.groups[0]?.members).toHaveLength(GROUP_MEMBERS_MAX);
  });
});

/** Fills a group with members up to a count, without a request for every hundred. */
async function fill(groupId: string, count: number): Promise<void> {
  const members = Array.from({ length: count }, (_, index) => ({
    id: newId('groupMember'),
    userId: `tu_${index}`,
    userKey: `u:${groupId}-${index}`,
    userType: 'tenant' as const,
    addedAt: new Date(),
    addedBy: null,
  }));
  const { groupMembers, groups: stored } = platform.inner.stores;
  const group = await stored.get(acme.organizationId, groupId);
  await groupMembers.add(acme.organizationId, group, { members, events: [], now: new Date() });
}

describe('the members of a group', () => {
  it('are added once however often they are named, and the answer has the new ones', async () => {
    const { id } = await createOrgGroup();
    const [viewer, northViewer] = [acme.principals.viewer.userId, acme.principals.northViewer.userId];
    const first = await groups.addMembers(acme.asAdmin, { id, userIds: [viewer, viewer, northViewer] });
    expect(first.addedMembers.map((member) => member.userId)).toEqual([viewer, northViewer]);
    expect(first.addedMembers[0]).toMatchObject({
      id: expect.stringMatching(/^gm_/) as string,
      userType: 'organization',
      email: acme.principals.viewer.email,
      addedBy: acme.admin.userId,
    });
    const again = await groups.addMembers(acme.asAdmin, { id, userIds: [viewer] });
    expect(again.addedMembers).toEqual([]);
    const { group } = await groups.get(acme.asAdmin, { id });
    expect(group).toMatchObject({ memberCount: 2, version: 2 });
    const [event] = await platform.eventsOf('management.group_member.added.v1', id);
    expect(event?.data['members']).toHaveLength(2);
  });

  it('are all added or none: whoever does not exist is named', async () => {
    const { id } = await createOrgGroup();
    const elsewhere = await populate(platform);
    const strangers = ['tu_none', 'ou_none', elsewhere.admin.userId, elsewhere.principals.northViewer.userId];
    const before = await platform.snapshot();
    const adding = groups.addMembers(acme.asAdmin, { id, userIds: [acme.admin.userId, ...strangers] });
    await expect(adding).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      fieldErrors: [1, 2, 3, 4].map((index) => ({ field: `userIds[${index}]` })),
    });
    expect(await platform.snapshot()).toEqual(before);
  });

  it('of a tenant group are users of that tenant', async () => {
    const { id } = await createNorthGroup();
    const { northViewer, southPowerUser, admin } = acme.principals;
    const mixed = [northViewer.userId, southPowerUser.userId, admin.userId];
    await expect(groups.addMembers(acme.asAdmin, { id, userIds: mixed })).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      fieldErrors: [{ field: 'userIds[1]' }, { field: 'userIds[2]' }],
    });
    await groups.addMembers(acme.asAdmin, { id, userIds: [northViewer.userId] });
  });

  it('are at most ten thousand', async () => {
    const { id } = await createOrgGroup();
    await fill(id, GROUP_MEMBERS_MAX - 1);
    const userIds = [acme.admin.userId, acme.principals.viewer.userId];
    const refused = groups.addMembers(acme.asAdmin, { id, userIds });
    const tooMany = { code: 'INVALID_REQUEST', fieldErrors: [{ field: 'userIds' }] };
    await expect(refused).rejects.toMatchObject(tooMany);
    await groups.addMembers(acme.asAdmin, { id, userIds: [acme.admin.userId] });
    await groups.addMembers(acme.asAdmin, { id, userIds: [acme.admin.userId] });
    const last = await groups.members(acme.asAdmin, { id, page: 100, limit: 100 });
    expect(last).toMatchObject({ total: GROUP_MEMBERS_MAX, hasMore: false });
    expect(last.members.at(-1)).toMatchObject({ userId: acme.admin.userId });
    const past = await groups.members(acme.asAdmin, { id, page: Number.MAX_SAFE_INTEGER, limit: 100 });
    expect(past.members).toEqual([]);
  });

  it('are all there when many are added one by one at the same time', async () => {
    const { id } = await createOrgGroup();
    const users = await Promise.all(
      Array.from({ length: 20 }, () => addTenantUser(platform, acme, { tenantId: acme.north.id })),
    );
    await Promise.all(users.map((user) => groups.addMembers(acme.asAdmin, { id, userIds: [user.userId] })));
    const { group } = await groups.get(acme.asAdmin, { id });
    expect(group.memberCount).toBe(20);
    const { members } = await groups.members(acme.asAdmin, { id, limit: 100 });
    expect(new Set(members.map((member) => member.userId))).toEqual(
      new Set(users.map((user) => user.userId)),
    );
  });

  it('are removed by membership id or user id; whoever is no member is not found', async () => {
    const { id } = await createOrgGroup();
    const { viewer, author, northViewer } = acme.principals;
    const { addedMembers } = await groups.addMembers(acme.asAdmin, {
      id,
      userIds: [viewer.userId, author.userId, northViewer.userId],
    });
    const [first] = addedMembers;
    const byMembership = await groups.removeMember(acme.asAdmin, { id, memberId: first?.id ?? '' });
    expect(byMembership.removedMember).toEqual(first);
    const byUser = await groups.removeMember(acme.asAdmin, { id, memberId: northViewer.userId });
    expect(byUser.removedMember.userId).toBe(northViewer.userId);
    const before = await platform.snapshot();
    for (const memberId of [northViewer.userId, first?.id ?? '', 'gm_none']) {
      const refused = groups.removeMember(acme.asAdmin, { id, memberId });
      await expect(refused).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
    expect(await platform.snapshot()).toEqual(before);
  });

  it('are not removed, as they once were, when If-Match names a former version of the group', async () => {
    const { id } = await createOrgGroup();
    const { userId } = acme.principals.viewer;
    await groups.addMembers(acme.asAdmin, { id, userIds: [userId] });
    const before = await platform.snapshot();
    const outdated = await platform.originOf(acme.admin, [1]);
    const refused = { code: 'PRECONDITION_FAILED' };
    await expect(groups.removeMember(outdated, { id, memberId: userId })).rejects.toMatchObject(refused);
    await expect(groups.removeMembers(outdated, { id, userIds: [userId] })).rejects.toMatchObject(refused);
    expect(await platform.snapshot()).toEqual(before);
    const current = await platform.originOf(acme.admin, [2]);
    expect((await groups.removeMember(current, { id, memberId: userId })).removedMember.userId).toBe(userId);
  });

  it('are removed several at once, and those who are none are simply not among the removed', async () => {
    const { id } = await createOrgGroup();
    const { viewer, author } = acme.principals;
    await groups.addMembers(acme.asAdmin, { id, userIds: [viewer.userId, author.userId] });
    const userIds = [viewer.userId, 'tu_none', acme.admin.userId];
    const { removedMembers } = await groups.removeMembers(acme.asAdmin, { id, userIds });
    expect(removedMembers.map((member) => member.userId)).toEqual([viewer.userId]);
    expect((await groups.removeMembers(acme.asAdmin, { id, userIds })).removedMembers).toEqual([]);
    const { group } = await groups.get(acme.asAdmin, { id });
    expect(group).toMatchObject({ memberCount: 1, version: 3 });
    const [event] = await platform.eventsOf('management.group_member.removed.v1', id);
    expect(event?.data['members']).toMatchObject([{ userId: viewer.userId, userKey: viewer.userKey }]);
  });

  it('end with the user: deleting is done once, however often it is told', async () => {
    const groupIds = [(await createOrgGroup('A')).id, (await createOrgGroup('B')).id];
    const user = await addOrgUser(platform, acme, 'VIEWER');
    for (const id of groupIds) await groups.addMembers(acme.asAdmin, { id, userIds: [user.userId] });
    await orgUsers.delete(acme.asAdmin, { id: user.userId });
    for (const id of groupIds) {
      await platform.eventsOf('management.group_member.removed.v1', id);
      expect((await groups.get(acme.asAdmin, { id })).group).toMatchObject({ memberCount: 0, version: 3 });
    }
    const [groupId = ''] = groupIds;
    const origin = { service: 'directory', organizationId: acme.organizationId, now: new Date() };
    const again = { organizationId: acme.organizationId, groupId, userKeys: [user.userKey] };
    const before = await platform.snapshot();
    await dropMembers(platform.inner, again, origin);
    expect(await platform.snapshot()).toEqual(before);
  });

  it('never include someone deleted while being added', async () => {
    const { id } = await createOrgGroup();
    for (let round = 0; round < 10; round += 1) {
      const user = await addTenantUser(platform, acme, { tenantId: acme.north.id });
      await Promise.allSettled([
        groups.addMembers(acme.asAdmin, { id, userIds: [user.userId] }),
        tenantUsers.delete(acme.asAdmin, { id: user.userId }),
      ]);
      await platform.eventsOf('management.tenant_user.deleted.v1', user.userId);
    }
    await expect.poll(async () => (await groups.get(acme.asAdmin, { id })).group.memberCount).toBe(0);
  });
  it('never include someone who was deleted, and forgotten, just before the group was written', async () => {
    const { id } = await createOrgGroup();
    const user = await addTenantUser(platform, acme, { tenantId: acme.north.id });
    class LateStore extends GroupMemberStore {
      override async getSelected(...asked: Parameters<GroupMemberStore['getSelected']>) {
        if (await platform.inner.stores.tenantUsers.findByKey(acme.organizationId, user.userKey)) {
          await tenantUsers.delete(acme.asAdmin, { id: user.userId });
          await platform.eventsOf('management.tenant_user.deleted.v1', user.userId);
        }
        return super.getSelected(...asked);
      }
    }
    const stores = { ...platform.inner.stores, groupMembers: new LateStore(platform.database) };
    const log = createLog('directory', { LOG_LEVEL: 'silent' });
    const context = { ...acme.asAdmin, caller: acme.admin, principal: acme.admin, now: new Date(), log };
    await addGroupMembers({ ...platform.inner, stores }, { id, userIds: [user.userId] }, context);
    expect((await groups.get(acme.asAdmin, { id })).group).toMatchObject({ memberCount: 0, version: 3 });
  });
});

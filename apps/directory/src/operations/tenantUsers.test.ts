import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { addTenantUser, createOrganization, populate, type Population } from '../testing/population.js';
import { admitTenantUser } from './tenantUserWrites.js';

const platform = await startPlatform(await startTestMongo());
const { tenants, tenantUsers, groups } = platform.directory;
afterAll(() => platform.stop());

let acme: Population;
beforeEach(async () => {
  acme = await populate(platform);
});

describe('tenant users', () => {
  it('are created with what the request leaves out filled in', async () => {
    const { user } = await tenantUsers.create(acme.asAdmin, {
      tenantId: acme.north.id,
      email: 'Nell@North.test',
    });
    expect(user).toEqual({
      id: expect.stringMatching(/^tu_/) as string,
      email: 'Nell@North.test',
      name: 'Nell',
      role: 'VIEWER',
      department: '',
      isActive: true,
      tenantId: acme.north.id,
      tenantName: 'North',
      organizationName: 'Acme',
      type: 'tenant',
      version: 1,
      createdAt: expect.any(String) as string,
      updatedAt: expect.any(String) as string,
    });
    expect((await tenantUsers.get(acme.asAdmin, { id: user.id })).user).toEqual(user);
  });

  it('have e-mails unique in their tenant and ids unique in the organization', async () => {
    const email = 'same@acme.test';
    await tenantUsers.create(acme.asAdmin, { id: 'own', tenantId: acme.north.id, email });
    await tenantUsers.create(acme.asAdmin, { tenantId: acme.south.id, email });
    const sameEmail = tenantUsers.create(acme.asAdmin, { tenantId: acme.north.id, email: 'SAME@acme.test' });
    await expect(sameEmail).rejects.toMatchObject({ code: 'CONFLICT', fieldErrors: [{ field: 'email' }] });
    const sameId = tenantUsers.create(acme.asAdmin, {
      id: 'own',
      tenantId: acme.south.id,
      email: 'b@acme.test',
    });
    await expect(sameId).rejects.toMatchObject({ code: 'CONFLICT', fieldErrors: [{ field: 'id' }] });
    const elsewhere = await populate(platform);
    await tenantUsers.create(elsewhere.asAdmin, { id: 'own', tenantId: elsewhere.north.id, email });
  });

  it('never have an id that looks like that of an org user', async () => {
    const refused = tenantUsers.create(acme.asAdmin, {
      id: 'ou_x',
      tenantId: acme.north.id,
      email: 'a@b.test',
    });
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_REQUEST', fieldErrors: [{ field: 'id' }] });
  });

  it('are refused in a tenant that does not exist, or is of another organization', async () => {
    const elsewhere = await populate(platform);
    const before = await platform.snapshot();
    for (const tenantId of ['t_none', elsewhere.north.id]) {
      const refused = tenantUsers.create(acme.asAdmin, { tenantId, email: 'a@b.test' });
      const invalid = { code: 'INVALID_REQUEST', fieldErrors: [{ field: 'tenantId' }] };
      await expect(refused).rejects.toMatchObject(invalid);
    }
    expect(await platform.snapshot()).toEqual(before);
  });

  it('are taken back when their tenant went before they were there', async () => {
    const { tenant } = await tenants.create(acme.asAdmin, { name: 'Brief' });
    const stale = await platform.inner.stores.tenants.get(acme.organizationId, tenant.id);
    await tenants.delete(acme.asAdmin, { id: tenant.id });
    const origin = { service: 'directory', organizationId: acme.organizationId, now: new Date() };
    const settings = { role: 'VIEWER' as const, department: '', isActive: true };
    const person = { tenant: stale, id: 'late', email: 'late@acme.test', ...settings };
    expect(await admitTenantUser(platform.inner, person, origin)).toBeNull();
    await expect(tenantUsers.get(acme.asAdmin, { id: 'late' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await platform.eventsOf('management.tenant_user.deleted.v1', 'late');
  });

  it('are changed with events that tell what changed', async () => {
    const { userId: id } = acme.principals.northViewer;
    const { user } = await tenantUsers.update(acme.asAdmin, {
      id,
      role: 'POWER_USER',
      email: 'New@North.test',
    });
    expect(user).toMatchObject({
      role: 'POWER_USER',
      email: 'New@North.test',
      version: 2,
      tenantName: 'North',
    });
    const [event] = await platform.eventsOf('management.tenant_user.updated.v1', id);
    expect(event?.data).toMatchObject({
      key: acme.principals.northViewer.userKey,
      role: 'POWER_USER',
      changes: { role: { from: 'VIEWER', to: 'POWER_USER' } },
    });
    const outdated = await platform.originOf(acme.admin, [1]);
    const refused = { code: 'PRECONDITION_FAILED' };
    await expect(tenantUsers.update(outdated, { id, name: 'X' })).rejects.toMatchObject(refused);
    await expect(tenantUsers.delete(outdated, { id })).rejects.toMatchObject(refused);
    expect((await tenantUsers.list(acme.asAdmin, { search: 'new@' })).total).toBe(1);
  });

  it('leave their memberships and tell who inherits from them when they are deleted', async () => {
    const { northPowerUser, northViewer } = acme.principals;
    await tenants.update(acme.asAdmin, { id: acme.north.id, defaultOwnerId: northPowerUser.userId });
    const { group } = await groups.create(acme.asAdmin, { name: 'G', type: 'ORG_GROUP' });
    const userIds = [northViewer.userId, northPowerUser.userId];
    await groups.addMembers(acme.asAdmin, { id: group.id, userIds });
    const { deletedUser } = await tenantUsers.delete(acme.asAdmin, { id: northViewer.userId });
    expect(deletedUser).toMatchObject({ id: northViewer.userId, email: northViewer.email });
    const [deleted] = await platform.eventsOf('management.tenant_user.deleted.v1', northViewer.userId);
    const heir = { id: northPowerUser.userId, key: northPowerUser.userKey };
    expect(deleted?.data).toMatchObject({ key: northViewer.userKey, tenantId: acme.north.id, heir });
    const [removed] = await platform.eventsOf('management.group_member.removed.v1', group.id);
    expect(removed?.data).toMatchObject({ members: [{ userKey: northViewer.userKey }] });
    const left = await groups.members(acme.asAdmin, { id: group.id });
    expect(left.members.map((member) => member.userId)).toEqual([northPowerUser.userId]);
    expect((await groups.get(acme.asAdmin, { id: group.id })).group).toMatchObject({ memberCount: 1 });
  });

  it('are not deleted while they inherit for their tenant', async () => {
    const { userId } = acme.principals.northPowerUser;
    await tenants.update(acme.asAdmin, { id: acme.north.id, defaultOwnerId: userId });
    const before = await platform.snapshot();
    await expect(tenantUsers.delete(acme.asAdmin, { id: userId })).rejects.toMatchObject({
      code: 'CONFLICT',
      blockedBy: [{ id: acme.north.id, title: 'North' }],
    });
    expect(await platform.snapshot()).toEqual(before);
  });
});

describe('the list of tenant users', () => {
  const names = ['Ärne', 'Bea', 'Cid', 'Dan', 'Eve', 'Fay', 'Gus'];
  let crowd: Population;
  beforeAll(async () => {
    crowd = await populate(platform);
    const { tenant } = await tenants.create(crowd.asAdmin, { id: 'crowd', name: 'Crowd' });
    for (const [index, name] of names.entries()) {
      const email = `mail${index}@crowd.test`;
      await tenantUsers.create(crowd.asAdmin, {
        tenantId: tenant.id,
        email,
        name,
        isActive: index % 2 === 0,
      });
    }
  });
  const namesOf = (answer: { users: { name: string }[] }) => answer.users.map((user) => user.name);

  it('is filtered by tenant, by active status, and by a part of name or e-mail in any case', async () => {
    const list = (query: Parameters<typeof tenantUsers.list>[1]) =>
      tenantUsers.list(crowd.asAdmin, { tenantId: 'crowd', ...query });
    expect(await list({})).toMatchObject({ total: 7 });
    expect(namesOf(await list({ active: true }))).toEqual(['Cid', 'Eve', 'Gus', 'Ärne']);
    expect(namesOf(await list({ active: false }))).toEqual(['Bea', 'Dan', 'Fay']);
    expect(namesOf(await list({ search: 'äR' }))).toEqual(['Ärne']);
    expect(namesOf(await list({ search: 'MAIL3@' }))).toEqual(['Dan']);
    expect(namesOf(await list({ search: 'a' }))).toHaveLength(7);
    expect(namesOf(await list({ search: '.' }))).toHaveLength(7);
    expect(namesOf(await list({ search: 'mail.@' }))).toEqual([]);
    expect(namesOf(await list({ search: 'bea\nmail1' }))).toEqual([]);
    expect(await tenantUsers.list(crowd.asAdmin, { tenantId: 't_none' })).toMatchObject({
      users: [],
      total: 0,
    });
  });

  it('is paged by limit and offset or by page and page size, in a stable order', async () => {
    const all = namesOf(await tenantUsers.list(crowd.asAdmin, { tenantId: 'crowd' }));
    const paged: string[] = [];
    for (let page = 0; page < 4; page += 1) {
      const answer = await tenantUsers.list(crowd.asAdmin, { tenantId: 'crowd', page, pageSize: 2 });
      expect(answer.total).toBe(7);
      paged.push(...namesOf(answer));
    }
    expect(paged).toEqual(all);
    const offset = await tenantUsers.list(crowd.asAdmin, { tenantId: 'crowd', limit: 3, offset: 2 });
    expect(namesOf(offset)).toEqual(all.slice(2, 5));
    const past = await tenantUsers.list(crowd.asAdmin, { page: Number.MAX_SAFE_INTEGER, pageSize: 1000 });
    expect(past).toMatchObject({ users: [], total: 10 });
  });

  it('refuses a mixture of paging modes, half a pair and values out of range, naming the field', async () => {
    const cases = [
      [{ limit: 1, page: 0, pageSize: 1 }, 'limit'],
      [{ offset: 0, page: 0, pageSize: 1 }, 'offset'],
      [{ page: 0 }, 'pageSize'],
      [{ pageSize: 1 }, 'page'],
      [{ limit: 0 }, 'limit'],
      [{ limit: 1001 }, 'limit'],
      [{ offset: -1 }, 'offset'],
      [{ page: 0, pageSize: 1001 }, 'pageSize'],
    ] as const;
    for (const [query, field] of cases) {
      const refused = tenantUsers.list(crowd.asAdmin, query);
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_REQUEST', fieldErrors: [{ field }] });
    }
  });

  it('shows a tenant user its own tenant alone, whatever it asks for', async () => {
    const origin = await platform.originOf(crowd.principals.northPowerUser);
    const own = await tenantUsers.list(origin, {});
    expect(own.total).toBe(2);
    expect(new Set(own.users.map((user) => user.tenantId))).toEqual(new Set([crowd.north.id]));
    expect(await tenantUsers.list(origin, { tenantId: 'crowd' })).toMatchObject({ users: [], total: 0 });
  });

  it('describes the caller', async () => {
    const contextOf = async (name: keyof Population['principals']) =>
      (await tenantUsers.list(await platform.originOf(crowd.principals[name]), {})).userContext;
    const { organizationId } = crowd;
    expect(await contextOf('admin')).toEqual({
      type: 'organization',
      userId: crowd.admin.userId,
      tenantId: null,
      organizationId,
      role: 'ADMIN',
      isSuperAdmin: true,
      permissions: { canShareWithTenants: true, canShareWithOrgUsers: true, canShareWithOtherTenants: true },
    });
    expect(await contextOf('northPowerUser')).toMatchObject({
      type: 'tenant',
      tenantId: crowd.north.id,
      role: 'POWER_USER',
      isSuperAdmin: false,
      permissions: {
        canShareWithTenants: true,
        canShareWithOrgUsers: false,
        canShareWithOtherTenants: false,
      },
    });
    expect(await contextOf('service')).toEqual({
      type: 'project',
      userId: null,
      tenantId: null,
      organizationId,
      role: null,
      isSuperAdmin: false,
      permissions: {
        canShareWithTenants: false,
        canShareWithOrgUsers: false,
        canShareWithOtherTenants: false,
      },
    });
  });

  it('is the same for the service identity as for an ADMIN', async () => {
    const asService = await platform.originOf(crowd.principals.service);
    const { users } = await tenantUsers.list(asService, { limit: 1000 });
    expect(users).toEqual((await tenantUsers.list(crowd.asAdmin, { limit: 1000 })).users);
  });

  it('has fifty users unless more are asked for', async () => {
    const organization = await createOrganization(platform);
    await tenants.create(organization.asAdmin, { id: 'many', name: 'Many' });
    await Promise.all(
      Array.from({ length: 51 }, () => addTenantUser(platform, organization, { tenantId: 'many' })),
    );
    expect((await tenantUsers.list(organization.asAdmin, {})).users).toHaveLength(50);
    expect((await tenantUsers.list(organization.asAdmin, { limit: 1000 })).users).toHaveLength(51);
  });
});

import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { addTenantUser, createOrganization, populate, type Population } from '../testing/population.js';
import { insertTenantUser } from './insertTenantUser.js';

const { platform } = await usePlatform(startPlatform);
const { tenants, tenantUsers, groups } = platform.directory;

let acme: Population;
beforeEach(async () => {
  acme = await populate(platform);
});

describe('tenant users', () => {
  it('are created with defaults for omitted fields', async () => {
    const { user } = await tenantUsers.create.mutate(
      {
        tenantId: acme.north.id,
        email: 'Nell@North.test',
      },
      { context: acme.asAdmin },
    );
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
    expect((await tenantUsers.get.query({ id: user.id }, { context: acme.asAdmin })).user).toEqual(user);
  });

  it('have unique e-mails within their tenant and unique ids within the organization', async () => {
    const email = 'same@acme.test';
    await tenantUsers.create.mutate({ id: 'own', tenantId: acme.north.id, email }, { context: acme.asAdmin });
    await tenantUsers.create.mutate({ tenantId: acme.south.id, email }, { context: acme.asAdmin });
    const sameEmail = tenantUsers.create.mutate(
      { tenantId: acme.north.id, email: 'SAME@acme.test' },
      { context: acme.asAdmin },
    );
    await expect(sameEmail).rejects.toMatchObject({
      cause: { code: 'CONFLICT', fieldErrors: [{ field: 'email' }] },
    });
    const sameId = tenantUsers.create.mutate(
      {
        id: 'own',
        tenantId: acme.south.id,
        email: 'b@acme.test',
      },
      { context: acme.asAdmin },
    );
    await expect(sameId).rejects.toMatchObject({
      cause: { code: 'CONFLICT', fieldErrors: [{ field: 'id' }] },
    });
    const elsewhere = await populate(platform);
    await tenantUsers.create.mutate(
      { id: 'own', tenantId: elsewhere.north.id, email },
      { context: elsewhere.asAdmin },
    );
  });

  it('cannot have an id with the prefix of org users', async () => {
    const rejection = tenantUsers.create.mutate(
      {
        id: 'ou_x',
        tenantId: acme.north.id,
        email: 'a@b.test',
      },
      { context: acme.asAdmin },
    );
    await expect(rejection).rejects.toMatchObject({
      cause: {
        code: 'INVALID_REQUEST',
        fieldErrors: [{ field: 'id' }],
      },
    });
  });

  it('are rejected in a missing tenant or a tenant of another organization', async () => {
    const elsewhere = await populate(platform);
    const before = await platform.snapshot();
    for (const tenantId of ['t_none', elsewhere.north.id]) {
      const rejection = tenantUsers.create.mutate({ tenantId, email: 'a@b.test' }, { context: acme.asAdmin });
      const invalid = { code: 'INVALID_REQUEST', fieldErrors: [{ field: 'tenantId' }] };
      await expect(rejection).rejects.toMatchObject({ cause: invalid });
    }
    expect(await platform.snapshot()).toEqual(before);
  });

  it('are deleted again when their tenant was deleted before the insert', async () => {
    const { tenant } = await tenants.create.mutate({ name: 'Brief' }, { context: acme.asAdmin });
    const stale = await platform.dependencies.stores.tenants.get(acme.organizationId, tenant.id);
    await tenants.delete.mutate({ id: tenant.id }, { context: acme.asAdmin });
    const origin = { service: 'directory', organizationId: acme.organizationId, now: new Date() };
    const settings = { role: 'VIEWER' as const, department: '', isActive: true };
    const person = { tenant: stale, id: 'late', email: 'late@acme.test', ...settings };
    expect(await insertTenantUser(platform.dependencies, person, origin)).toBeNull();
    await expect(tenantUsers.get.query({ id: 'late' }, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: {
        code: 'NOT_FOUND',
      },
    });
    await platform.eventsOf('management.tenant_user.deleted.v1', 'late');
  });

  it('are updated with events that list the changes', async () => {
    const { userId: id } = acme.principals.northViewer;
    const { user } = await tenantUsers.update.mutate(
      {
        id,
        role: 'POWER_USER',
        email: 'New@North.test',
      },
      { context: acme.asAdmin },
    );
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
    const rejection = { code: 'PRECONDITION_FAILED' };
    await expect(tenantUsers.update.mutate({ id, name: 'X' }, { context: outdated })).rejects.toMatchObject({
      cause: rejection,
    });
    await expect(tenantUsers.delete.mutate({ id }, { context: outdated })).rejects.toMatchObject({
      cause: rejection,
    });
    expect((await tenantUsers.list.query({ search: 'new@' }, { context: acme.asAdmin })).total).toBe(1);
  });

  it('lose their memberships on deletion, and the event names their heir', async () => {
    const { northPowerUser, northViewer } = acme.principals;
    await tenants.update.mutate(
      { id: acme.north.id, defaultOwnerId: northPowerUser.userId },
      { context: acme.asAdmin },
    );
    const { group } = await groups.create.mutate({ name: 'G', type: 'ORG_GROUP' }, { context: acme.asAdmin });
    const userIds = [northViewer.userId, northPowerUser.userId];
    await groups.addMembers.mutate({ id: group.id, userIds }, { context: acme.asAdmin });
    const { deletedUser } = await tenantUsers.delete.mutate(
      { id: northViewer.userId },
      { context: acme.asAdmin },
    );
    expect(deletedUser).toMatchObject({ id: northViewer.userId, email: northViewer.email });
    const [deleted] = await platform.eventsOf('management.tenant_user.deleted.v1', northViewer.userId);
    const heir = { id: northPowerUser.userId, key: northPowerUser.userKey };
    expect(deleted?.data).toMatchObject({ key: northViewer.userKey, tenantId: acme.north.id, heir });
    const [removed] = await platform.eventsOf('management.group_member.removed.v1', group.id);
    expect(removed?.data).toMatchObject({ members: [{ userKey: northViewer.userKey }] });
    const left = await groups.members.query({ id: group.id }, { context: acme.asAdmin });
    expect(left.members.map((member) => member.userId)).toEqual([northPowerUser.userId]);
    expect((await groups.get.query({ id: group.id }, { context: acme.asAdmin })).group).toMatchObject({
      memberCount: 1,
    });
  });

  it('are not deleted while they are the default owner of their tenant', async () => {
    const { userId } = acme.principals.northPowerUser;
    await tenants.update.mutate({ id: acme.north.id, defaultOwnerId: userId }, { context: acme.asAdmin });
    const before = await platform.snapshot();
    await expect(tenantUsers.delete.mutate({ id: userId }, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: {
        code: 'CONFLICT',
        blockedBy: [{ id: acme.north.id, title: 'North' }],
      },
    });
    expect(await platform.snapshot()).toEqual(before);
  });
});

describe('the list of tenant users', () => {
  const names = ['Ärne', 'Bea', 'Cid', 'Dan', 'Eve', 'Fay', 'Gus'];
  let crowd: Population;
  beforeAll(async () => {
    crowd = await populate(platform);
    const { tenant } = await tenants.create.mutate(
      { id: 'crowd', name: 'Crowd' },
      { context: crowd.asAdmin },
    );
    for (const [index, name] of names.entries()) {
      const email = `mail${index}@crowd.test`;
      await tenantUsers.create.mutate(
        {
          tenantId: tenant.id,
          email,
          name,
          isActive: index % 2 === 0,
        },
        { context: crowd.asAdmin },
      );
    }
  });
  const namesOf = (response: { users: { name: string }[] }) => response.users.map((user) => user.name);

  it('can be filtered by tenant, by active status, and by a part of name or e-mail in any case', async () => {
    const list = (query: Parameters<typeof tenantUsers.list.query>[0]) =>
      tenantUsers.list.query({ tenantId: 'crowd', ...query }, { context: crowd.asAdmin });
    expect(await list({})).toMatchObject({ total: 7 });
    expect(namesOf(await list({ active: true }))).toEqual(['Cid', 'Eve', 'Gus', 'Ärne']);
    expect(namesOf(await list({ active: false }))).toEqual(['Bea', 'Dan', 'Fay']);
    expect(namesOf(await list({ search: 'äR' }))).toEqual(['Ärne']);
    expect(namesOf(await list({ search: 'MAIL3@' }))).toEqual(['Dan']);
    expect(namesOf(await list({ search: 'a' }))).toHaveLength(7);
    expect(namesOf(await list({ search: '.' }))).toHaveLength(7);
    expect(namesOf(await list({ search: 'mail.@' }))).toEqual([]);
    expect(namesOf(await list({ search: 'bea\nmail1' }))).toEqual([]);
    expect(await tenantUsers.list.query({ tenantId: 't_none' }, { context: crowd.asAdmin })).toMatchObject({
      users: [],
      total: 0,
    });
  });

  it('can be paged by limit and offset or by page and page size, in a stable order', async () => {
    const all = namesOf(await tenantUsers.list.query({ tenantId: 'crowd' }, { context: crowd.asAdmin }));
    const paged: string[] = [];
    for (let page = 0; page < 4; page += 1) {
      const response = await tenantUsers.list.query(
        { tenantId: 'crowd', page, pageSize: 2 },
        { context: crowd.asAdmin },
      );
      expect(response.total).toBe(7);
      paged.push(...namesOf(response));
    }
    expect(paged).toEqual(all);
    const offset = await tenantUsers.list.query(
      { tenantId: 'crowd', limit: 3, offset: 2 },
      { context: crowd.asAdmin },
    );
    expect(namesOf(offset)).toEqual(all.slice(2, 5));
    const past = await tenantUsers.list.query(
      { page: Number.MAX_SAFE_INTEGER, pageSize: 1000 },
      { context: crowd.asAdmin },
    );
    expect(past).toMatchObject({ users: [], total: 10 });
  });

  it('rejects mixed paging modes, half a pair and values out of range, with the field', async () => {
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
      const rejection = tenantUsers.list.query(query, { context: crowd.asAdmin });
      await expect(rejection).rejects.toMatchObject({
        cause: { code: 'INVALID_REQUEST', fieldErrors: [{ field }] },
      });
    }
  });

  it('contains only its own tenant for a tenant user, even with a tenant filter', async () => {
    const origin = await platform.originOf(crowd.principals.northPowerUser);
    const own = await tenantUsers.list.query({}, { context: origin });
    expect(own.total).toBe(2);
    expect(new Set(own.users.map((user) => user.tenantId))).toEqual(new Set([crowd.north.id]));
    expect(await tenantUsers.list.query({ tenantId: 'crowd' }, { context: origin })).toMatchObject({
      users: [],
      total: 0,
    });
  });

  it('describes the caller', async () => {
    const contextOf = async (name: keyof Population['principals']) =>
      (await tenantUsers.list.query({}, { context: await platform.originOf(crowd.principals[name]) }))
        .userContext;
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
    const { users } = await tenantUsers.list.query({ limit: 1000 }, { context: asService });
    expect(users).toEqual((await tenantUsers.list.query({ limit: 1000 }, { context: crowd.asAdmin })).users);
  });

  it('contains fifty users by default', async () => {
    const organization = await createOrganization(platform);
    await tenants.create.mutate({ id: 'many', name: 'Many' }, { context: organization.asAdmin });
    await Promise.all(
      Array.from({ length: 51 }, () => addTenantUser(platform, organization, { tenantId: 'many' })),
    );
    expect((await tenantUsers.list.query({}, { context: organization.asAdmin })).users).toHaveLength(50);
    expect(
      (await tenantUsers.list.query({ limit: 1000 }, { context: organization.asAdmin })).users,
    ).toHaveLength(51);
  });

  it.each(['tenantUsers', 'unifiedUsers'] as const)(
    'of another tenant are none for a tenant user, whose invalid cursor is rejected as elsewhere: %s',
    async (list) => {
      const user = await addTenantUser(platform, acme, { tenantId: acme.north.id, role: 'POWER_USER' });
      const context = await platform.originOf(user);
      const find = (cursor?: string) =>
        platform.directory[list].list.query({ tenantId: acme.south.id, cursor }, { context });
      expect(await find()).toMatchObject({ users: [], total: 0, nextCursor: null });
      await expect(find('zzz')).rejects.toMatchObject({ cause: { code: 'INVALID_REQUEST' } });
    },
  );
});

import { USER_ROLES } from '@gatehouse/contract';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeAll, describe, expect, it } from 'vitest';
import { permissionsOf } from '../authorization/logic/rolePermissions.js';
import { startPlatform } from '../testing/platform.js';
import { populate, type Population } from '../testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { unifiedUsers } = platform.directory;

let acme: Population;
beforeAll(async () => {
  acme = await populate(platform);
});

describe('unified users', () => {
  it('list org users first, then tenant users, and page without gaps or repeats', async () => {
    const all = await unifiedUsers.list.query({}, { context: acme.asAdmin });
    expect(all).toMatchObject({ total: 6, limit: 50, offset: 0 });
    expect(all.users.map((user) => user.type)).toEqual([
      ...Array.from({ length: 3 }, () => 'organization'),
      ...Array.from({ length: 3 }, () => 'tenant'),
    ]);
    for (const limit of [1, 2, 4, 5]) {
      const paged = [];
      for (let offset = 0; offset < 7; offset += limit) {
        const page = await unifiedUsers.list.query({ limit, offset }, { context: acme.asAdmin });
        expect(page.total).toBe(6);
        paged.push(...page.users);
      }
      expect(paged).toEqual(all.users);
    }
  });

  it('are found by name or e-mail, by type and by tenant', async () => {
    const idsOf = async (query: Parameters<typeof unifiedUsers.list.query>[0]) =>
      (await unifiedUsers.list.query(query, { context: acme.asAdmin })).users.map((user) => user.id);
    const { northViewer, northPowerUser, author, southPowerUser } = acme.principals;
    expect(await idsOf({ search: 'AUTHOR-' })).toEqual([author.userId]);
    expect(await idsOf({ search: northViewer.email })).toEqual([northViewer.userId]);
    expect(await idsOf({ type: 'organization' })).toHaveLength(3);
    expect(await idsOf({ type: 'tenant' })).toHaveLength(3);
    const north = [northViewer.userId, northPowerUser.userId].toSorted();
    expect((await idsOf({ tenantId: acme.north.id })).toSorted()).toEqual(north);
    expect(await idsOf({ tenantId: acme.south.id })).toEqual([southPowerUser.userId]);
    expect(await idsOf({ type: 'organization', tenantId: acme.south.id })).toEqual([]);
    expect(await idsOf({ search: 'no such user' })).toEqual([]);
  });

  it('are looked up by id, and those that the caller may not see are left out', async () => {
    const { northViewer, author, southPowerUser } = acme.principals;
    const wanted = [southPowerUser.userId, author.userId, northViewer.userId];
    const ids = [...wanted, author.userId, 'tu_none', 'ou_none'].join(',');
    const idsOf = async (context: typeof acme.asAdmin, filter: { search?: string } = {}) =>
      (await unifiedUsers.list.query({ ids, ...filter }, { context })).users.map((user) => user.id);
    expect((await idsOf(acme.asAdmin)).toSorted()).toEqual(wanted.toSorted());
    expect(await idsOf(acme.asAdmin, { search: author.email })).toEqual([author.userId]);
    const inNorth = await platform.originOf(northViewer);
    expect(await idsOf(inNorth)).toEqual([northViewer.userId]);
    const other = await populate(platform);
    expect(await idsOf(other.asAdmin)).toEqual([]);
  });

  it('reject what is no list of up to 100 ids', async () => {
    const many = Array.from({ length: 101 }, (_, index) => `u${index}`).join(',');
    for (const ids of ['', ',', 'a,', 'a b', '*', many])
      await expect(unifiedUsers.list.query({ ids }, { context: acme.asAdmin })).rejects.toMatchObject({
        cause: { code: 'INVALID_REQUEST', fieldErrors: [{ field: 'ids' }] },
      });
  });

  it('include the tenant of tenant users', async () => {
    const { users } = await unifiedUsers.list.query(
      { search: acme.principals.southPowerUser.email },
      { context: acme.asAdmin },
    );
    expect(users).toEqual([
      expect.objectContaining({
        type: 'tenant',
        tenantId: acme.south.id,
        tenantName: 'South',
        role: 'POWER_USER',
      }),
    ]);
    const [admin] = (await unifiedUsers.list.query({ search: 'ada@' }, { context: acme.asAdmin })).users;
    expect(admin).toMatchObject({ type: 'organization', tenantId: null, tenantName: null, role: 'ADMIN' });
  });

  it('are limited to its own tenant for a tenant user', async () => {
    const origin = await platform.originOf(acme.principals.northViewer);
    const { users, total } = await unifiedUsers.list.query({}, { context: origin });
    expect(total).toBe(2);
    expect(new Set(users.map((user) => user.tenantId))).toEqual(new Set([acme.north.id]));
    expect((await unifiedUsers.list.query({ tenantId: acme.south.id }, { context: origin })).total).toBe(0);
    expect((await unifiedUsers.list.query({ type: 'organization' }, { context: origin })).total).toBe(0);
  });
});

describe("a user's context", () => {
  it('contains the permissions of the role', async () => {
    const { author, northPowerUser } = acme.principals;
    expect(await unifiedUsers.get.query({ id: author.userId }, { context: acme.asAdmin })).toEqual({
      userId: author.userId,
      type: 'organization',
      role: 'AUTHOR',
      permissions: permissionsOf('AUTHOR'),
    });
    const origin = await platform.originOf(acme.principals.northViewer);
    expect(await unifiedUsers.get.query({ id: northPowerUser.userId }, { context: origin })).toMatchObject({
      type: 'tenant',
      role: 'POWER_USER',
    });
  });

  it('returns NOT_FOUND for a user that the caller may not see, as for a missing one', async () => {
    const origin = await platform.originOf(acme.principals.northViewer);
    const { admin, southPowerUser } = acme.principals;
    for (const id of [admin.userId, southPowerUser.userId, 'tu_none', 'ou_none']) {
      await expect(unifiedUsers.get.query({ id }, { context: origin })).rejects.toMatchObject({
        cause: {
          code: 'NOT_FOUND',
        },
      });
    }
  });
});

describe('the permissions of a role', () => {
  it('match the permission matrix', () => {
    const permitted = USER_ROLES.map((role) => [
      role,
      Object.entries(permissionsOf(role)).flatMap(([permission, isPermitted]) =>
        isPermitted ? [permission] : [],
      ),
    ]);
    const editing = ['canEdit', 'canCreateDashboard', 'canShare', 'canShareWithTenants'];
    const across = ['canShareWithOrgUsers', 'canShareWithOtherTenants', 'canManageGroups'];
    expect(permitted).toEqual([
      ['VIEWER', []],
      ['POWER_USER', editing],
      ['AUTHOR', [...editing, ...across]],
      ['ADMIN', [...editing, ...across, 'canManageUsers', 'canManageSecurity']],
    ]);
  });
});

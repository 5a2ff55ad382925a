import { USER_ROLES } from '@gatehouse/contract';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissionsOf } from '../logic/permissions.js';
import { startPlatform } from '../testing/platform.js';
import { populate, type Population } from '../testing/population.js';

const platform = await startPlatform(await startTestMongo());
const { unifiedUsers } = platform.directory;
afterAll(() => platform.stop());

let acme: Population;
beforeAll(async () => {
  acme = await populate(platform);
});

describe('all users together', () => {
  it('are org users first, then tenant users, and page without gaps or repeats', async () => {
    const all = await unifiedUsers.list(acme.asAdmin, {});
    expect(all).toMatchObject({ total: 6, limit: 50, offset: 0 });
    expect(all.users.map((user) => user.type)).toEqual([
      ...Array.from({ length: 3 }, () => 'organization'),
      ...Array.from({ length: 3 }, () => 'tenant'),
    ]);
    for (const limit of [1, 2, 4, 5]) {
      const paged = [];
      for (let offset = 0; offset < 7; offset += limit) {
        const page = await unifiedUsers.list(acme.asAdmin, { limit, offset });
        expect(page.total).toBe(6);
        paged.push(...page.users);
      }
      expect(paged).toEqual(all.users);
    }
  });

  it('are found by name or e-mail, by type and by tenant', async () => {
    const idsOf = async (query: Parameters<typeof unifiedUsers.list>[1]) =>
      (await unifiedUsers.list(acme.asAdmin, query)).users.map((user) => user.id);
    const { northViewer, northPowerUser, author, southPowerUser } = acme.principals;
    expect(await idsOf({ search: 'AUTHOR-' })).toEqual([author.userId]);
    expect(await idsOf({ search: northViewer.email })).toEqual([northViewer.userId]);
    expect(await idsOf({ type: 'organization' })).toHaveLength(3);
    expect(await idsOf({ type: 'tenant' })).toHaveLength(3);
    const north = [northViewer.userId, northPowerUser.userId].toSorted();
    expect((await idsOf({ tenantId: acme.north.id })).toSorted()).toEqual(north);
    expect(await idsOf({ tenantId: acme.south.id })).toEqual([southPowerUser.userId]);
    expect(await idsOf({ type: 'organization', tenantId: acme.south.id })).toEqual([]);
    expect(await idsOf({ search: 'nobody at all' })).toEqual([]);
  });

  it('carry the tenant of those who have one', async () => {
    const { users } = await unifiedUsers.list(acme.asAdmin, { search: acme.principals.southPowerUser.email });
    expect(users).toEqual([
      expect.objectContaining({
        type: 'tenant',
        tenantId: acme.south.id,
        tenantName: 'South',
        role: 'POWER_USER',
      }),
    ]);
    const [admin] = (await unifiedUsers.list(acme.asAdmin, { search: 'ada@' })).users;
    expect(admin).toMatchObject({ type: 'organization', tenantId: null, tenantName: null, role: 'ADMIN' });
  });

  it('are only those of its own tenant for a tenant user', async () => {
    const origin = await platform.originOf(acme.principals.northViewer);
    const { users, total } = await unifiedUsers.list(origin, {});
    expect(total).toBe(2);
    expect(new Set(users.map((user) => user.tenantId))).toEqual(new Set([acme.north.id]));
    expect((await unifiedUsers.list(origin, { tenantId: acme.south.id })).total).toBe(0);
    expect((await unifiedUsers.list(origin, { type: 'organization' })).total).toBe(0);
  });
});

describe("a user's context", () => {
  it('tells what the role permits', async () => {
    const { author, northPowerUser } = acme.principals;
    expect(await unifiedUsers.get(acme.asAdmin, { id: author.userId })).toEqual({
      userId: author.userId,
      type: 'organization',
      role: 'AUTHOR',
      permissions: permissionsOf('AUTHOR'),
    });
    const origin = await platform.originOf(acme.principals.northViewer);
    expect(await unifiedUsers.get(origin, { id: northPowerUser.userId })).toMatchObject({
      type: 'tenant',
      role: 'POWER_USER',
    });
  });

  it('of whoever the caller may not see is as that of nobody', async () => {
    const origin = await platform.originOf(acme.principals.northViewer);
    const { admin, southPowerUser } = acme.principals;
    for (const id of [admin.userId, southPowerUser.userId, 'tu_none', 'ou_none']) {
      await expect(unifiedUsers.get(origin, { id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });
});

describe('what a role permits', () => {
  it('is the permission matrix, role by role', () => {
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

import type { AppError } from '@gatehouse/contract';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { addTenantUser, populate, type Population } from '../testing/population.js';

const platform = await startPlatform(await startTestMongo());
const { tenants, tenantUsers, groups } = platform.directory;
afterAll(() => platform.stop());

let acme: Population;
beforeEach(async () => {
  acme = await populate(platform);
});

describe('reading tenants', () => {
  it('shows all of them to org users of any role and to the service identity, by name', async () => {
    for (const name of ['admin', 'author', 'viewer', 'service'] as const) {
      const listed = await tenants.list(await platform.originOf(acme.principals[name]), {});
      expect(listed).toMatchObject({ total: 2, limit: 50, offset: 0 });
      expect(listed.tenants.map((tenant) => tenant.name)).toEqual(['North', 'South']);
    }
  });

  it('shows a tenant user its own alone: another one is as one that does not exist', async () => {
    const origin = await platform.originOf(acme.principals.northViewer);
    expect((await tenants.list(origin, {})).tenants).toEqual([acme.north]);
    expect(await tenants.get(origin, { id: acme.north.id })).toEqual({ tenant: acme.north });
    const hidden = await tenants.get(origin, { id: acme.south.id }).catch((error: unknown) => error);
    const missing = await tenants.get(origin, { id: 't_none' }).catch((error: unknown) => error);
    expect(hidden).toMatchObject({ code: 'NOT_FOUND' });
    expect(hidden).toEqual(missing);
  });

  it('finds a part of the name in any case, and takes the search text as it stands', async () => {
    await tenants.create(acme.asAdmin, { name: 'ÄRGER & Co. (a|b) [x]' });
    const find = async (search: string) =>
      (await tenants.list(acme.asAdmin, { search })).tenants.map((tenant) => tenant.name);
    expect(await find('oR')).toEqual(['North']);
    expect(await find('ärger')).toEqual(['ÄRGER & Co. (a|b) [x]']);
    expect(await find('(a|b) [')).toEqual(['ÄRGER & Co. (a|b) [x]']);
    expect(await find('.*')).toEqual([]);
    expect(await find('^N')).toEqual([]);
  });
});

describe('writing tenants', () => {
  it('takes an id of the caller, which is free again after a deletion, with another key', async () => {
    const first = await tenants.create(acme.asAdmin, { id: 'east', name: 'East' });
    expect(first.tenant).toMatchObject({ id: 'east', name: 'East', defaultOwnerId: null, version: 1 });
    const again = tenants.create(acme.asAdmin, { id: 'east', name: 'East 2' });
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT', fieldErrors: [{ field: 'id' }] });
    const deleted = await tenants.delete(acme.asAdmin, { id: 'east' });
    expect(deleted.deletedTenant).toEqual({ id: 'east', name: 'East' });
    await tenants.create(acme.asAdmin, { id: 'east', name: 'East' });
    const [one, other] = await platform.eventsOf('management.tenant.created.v1', 'east', 2);
    expect(one?.data['key']).not.toBe(other?.data['key']);
  });

  it('refuses a name that another tenant of the organization has, on creation and on renaming', async () => {
    const refused = { code: 'CONFLICT', fieldErrors: [{ field: 'name' }] };
    await expect(tenants.create(acme.asAdmin, { name: 'North' })).rejects.toMatchObject(refused);
    const renaming = tenants.update(acme.asAdmin, { id: acme.south.id, name: 'North' });
    await expect(renaming).rejects.toMatchObject(refused);
    const elsewhere = await populate(platform);
    expect(elsewhere.north.name).toBe('North');
  });

  it('creates one of two tenants of the same name that are created at once', async () => {
    const both = await Promise.allSettled([1, 2].map(() => tenants.create(acme.asAdmin, { name: 'Twin' })));
    expect(both.map((outcome) => outcome.status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('counts versions, refuses an outdated one, and leaves the version alone when nothing changes', async () => {
    const { id } = acme.north;
    const renamed = await tenants.update(acme.asAdmin, { id, name: 'Far North' });
    expect(renamed.tenant).toMatchObject({ name: 'Far North', version: 2 });
    expect((await tenants.update(acme.asAdmin, { id, name: 'Far North' })).tenant).toEqual(renamed.tenant);
    const outdated = await platform.originOf(acme.admin, [1]);
    await expect(tenants.update(outdated, { id, name: 'X' })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
    });
    await expect(tenants.delete(outdated, { id })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' });
    const [event] = await platform.eventsOf('management.tenant.updated.v1', id);
    expect(event?.data['changes']).toEqual({ name: { from: 'North', to: 'Far North' } });
    expect(event).toMatchObject({ organizationid: acme.organizationId, actorid: acme.admin.userId });
  });

  it('names a user of its own as the default owner, and clears it with null', async () => {
    const owner = await addTenantUser(platform, acme, { tenantId: acme.north.id });
    const { id } = acme.north;
    const set = await tenants.update(acme.asAdmin, { id, defaultOwnerId: owner.userId });
    expect(set.tenant.defaultOwnerId).toBe(owner.userId);
    const stranger = await addTenantUser(platform, acme, { tenantId: acme.south.id });
    for (const defaultOwnerId of [stranger.userId, acme.admin.userId, 'tu_none']) {
      const refused = tenants.update(acme.asAdmin, { id, defaultOwnerId });
      await expect(refused).rejects.toMatchObject({
        code: 'INVALID_REQUEST',
        fieldErrors: [{ field: 'defaultOwnerId' }],
      });
    }
    const cleared = await tenants.update(acme.asAdmin, { id, defaultOwnerId: null });
    expect(cleared.tenant.defaultOwnerId).toBeNull();
  });
});

describe('deleting tenants', () => {
  it('is refused while the tenant has users', async () => {
    await expect(tenants.delete(acme.asAdmin, { id: acme.north.id })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    const left = await tenants.get(acme.asAdmin, { id: acme.north.id });
    expect(left.tenant).toEqual(acme.north);
  });

  it('takes the groups of the tenant along', async () => {
    const { tenant } = await tenants.create(acme.asAdmin, { name: 'Brief' });
    const { group } = await groups.create(acme.asAdmin, {
      name: 'Team',
      type: 'TENANT_GROUP',
      tenantId: tenant.id,
    });
    await tenants.delete(acme.asAdmin, { id: tenant.id });
    await platform.eventsOf('management.group.deleted.v1', group.id);
    await expect(groups.get(acme.asAdmin, { id: group.id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('never leaves a user in a tenant that is gone, when both happen at once', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { tenant } = await tenants.create(acme.asAdmin, { name: `Race ${round}` });
      const email = `racer-${round}@acme.test`;
      const [created, deleted] = await Promise.allSettled([
        tenantUsers.create(acme.asAdmin, { tenantId: tenant.id, email }),
        tenants.delete(acme.asAdmin, { id: tenant.id }),
      ]);
      // One of them wins, or, when each sees the other on its way, neither.
      expect(created.status === 'fulfilled' && deleted.status === 'fulfilled').toBe(false);
      const { total } = await tenantUsers.list(acme.asAdmin, { tenantId: tenant.id });
      expect(total).toBe(created.status === 'fulfilled' ? 1 : 0);
      const refusal = created.status === 'rejected' ? (created.reason as AppError) : undefined;
      expect([undefined, 'INVALID_REQUEST']).toContain(refusal?.code);
      expect([undefined, 'tenantId']).toContain(refusal?.fieldErrors?.[0]?.field);
    }
  });

  it('never leaves a default owner who is gone, when naming and deleting the user happen at once', async () => {
    for (let round = 0; round < 12; round += 1) {
      const user = await addTenantUser(platform, acme, { tenantId: acme.north.id });
      const [named, deleted] = await Promise.allSettled([
        tenants.update(acme.asAdmin, { id: acme.north.id, defaultOwnerId: user.userId }),
        tenantUsers.delete(acme.asAdmin, { id: user.userId }),
      ]);
      expect([named.status, deleted.status].toSorted()).toEqual(['fulfilled', 'rejected']);
      const { tenant } = await tenants.get(acme.asAdmin, { id: acme.north.id });
      expect(tenant.defaultOwnerId === user.userId).toBe(named.status === 'fulfilled');
      await tenants.update(acme.asAdmin, { id: acme.north.id, defaultOwnerId: null });
    }
  });
});

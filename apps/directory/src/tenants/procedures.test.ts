import { findAppError } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { createIndexes } from '../records/store/indexes.js';
import { startPlatform } from '../testing/platform.js';
import { addTenantUser, populate, type Population } from '../testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { tenants, tenantUsers, groups } = platform.directory;

let acme: Population;
beforeEach(async () => {
  acme = await populate(platform);
});

describe('reading tenants', () => {
  it('returns all tenants by name to org users of any role and to the service identity', async () => {
    for (const name of ['admin', 'author', 'viewer', 'service'] as const) {
      const listed = await tenants.list.query(
        {},
        { context: await platform.originOf(acme.principals[name]) },
      );
      expect(listed).toMatchObject({ total: 2, limit: 50, offset: 0 });
      expect(listed.tenants.map((tenant) => tenant.name)).toEqual(['North', 'South']);
    }
  });

  it('returns only its own tenant to a tenant user, and the same error for all others', async () => {
    const origin = await platform.originOf(acme.principals.northViewer);
    expect((await tenants.list.query({}, { context: origin })).tenants).toEqual([acme.north]);
    expect(await tenants.get.query({ id: acme.north.id }, { context: origin })).toEqual({
      tenant: acme.north,
    });
    const hidden = await tenants.get
      .query({ id: acme.south.id }, { context: origin })
      .catch((error: unknown) => error);
    const missing = await tenants.get
      .query({ id: 't_none' }, { context: origin })
      .catch((error: unknown) => error);
    expect(hidden).toMatchObject({ cause: { code: 'NOT_FOUND' } });
    expect(hidden).toEqual(missing);
  });

  it('searches for a part of the name in any case, and matches the search text literally', async () => {
    await tenants.create.mutate({ name: 'ÄRGER & Co. (a|b) [x]' }, { context: acme.asAdmin });
    const find = async (search: string) =>
      (await tenants.list.query({ search }, { context: acme.asAdmin })).tenants.map((tenant) => tenant.name);
    expect(await find('oR')).toEqual(['North']);
    expect(await find('ärger')).toEqual(['ÄRGER & Co. (a|b) [x]']);
    expect(await find('(a|b) [')).toEqual(['ÄRGER & Co. (a|b) [x]']);
    expect(await find('.*')).toEqual([]);
    expect(await find('^N')).toEqual([]);
  });

  it('looks tenants up by id, and leaves out those that the caller may not see', async () => {
    const { north, south } = acme;
    const ids = [south.id, 't_none', north.id, north.id].join(',');
    const find = async (context: typeof acme.asAdmin) =>
      (await tenants.list.query({ ids }, { context })).tenants.map(({ id }) => id).toSorted();
    expect(await find(acme.asAdmin)).toEqual([north.id, south.id].toSorted());
    expect(await find(await platform.originOf(acme.principals.northViewer))).toEqual([north.id]);
    expect(await find((await populate(platform)).asAdmin)).toEqual([]);
    await expect(tenants.list.query({ ids: 'a,' }, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: { code: 'INVALID_REQUEST', fieldErrors: [{ field: 'ids' }] },
    });
  });
});

describe('writing tenants', () => {
  it('accepts an id from the caller, and frees it on deletion for a tenant with another key', async () => {
    const first = await tenants.create.mutate({ id: 'east', name: 'East' }, { context: acme.asAdmin });
    expect(first.tenant).toMatchObject({ id: 'east', name: 'East', defaultOwnerId: null, version: 1 });
    const again = tenants.create.mutate({ id: 'east', name: 'East 2' }, { context: acme.asAdmin });
    await expect(again).rejects.toMatchObject({
      cause: { code: 'CONFLICT', fieldErrors: [{ field: 'id' }] },
    });
    const deleted = await tenants.delete.mutate({ id: 'east' }, { context: acme.asAdmin });
    expect(deleted.deletedTenant).toEqual({ id: 'east', name: 'East' });
    await tenants.create.mutate({ id: 'east', name: 'East' }, { context: acme.asAdmin });
    const [one, other] = await platform.eventsOf('management.tenant.created.v1', 'east', 2);
    expect(one?.data['key']).not.toBe(other?.data['key']);
  });

  it('rejects an id that differs from another only in case, until that tenant is deleted', async () => {
    await tenants.create.mutate({ id: 'west', name: 'West' }, { context: acme.asAdmin });
    const twin = { id: 'WEST', name: 'Another' };
    await expect(tenants.create.mutate(twin, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: {
        code: 'CONFLICT',
        fieldErrors: [{ field: 'id' }],
      },
    });
    await tenants.delete.mutate({ id: 'west' }, { context: acme.asAdmin });
    expect((await tenants.create.mutate(twin, { context: acme.asAdmin })).tenant).toMatchObject({
      id: 'WEST',
    });
    await expect(
      tenants.create.mutate({ id: 'West', name: 'Third' }, { context: acme.asAdmin }),
    ).rejects.toMatchObject({
      cause: {
        code: 'CONFLICT',
      },
    });
  });

  it('keeps stored ids that differ only in case readable, and rejects a third', async () => {
    await tenants.create.mutate({ id: 'mid', name: 'Mid' }, { context: acme.asAdmin });
    await tenants.create.mutate({ id: 'other', name: 'Other' }, { context: acme.asAdmin });
    const stored = platform.database.collection('tenants');
    const { organizationId } = acme.principals.admin;
    await stored.updateMany({ organizationId, id: { $in: ['mid', 'other'] } }, { $unset: { idFolded: '' } });
    await stored.updateOne({ organizationId, id: 'other' }, { $set: { id: 'MID' } });
    await createIndexes(platform.database);
    for (const id of ['mid', 'MID'])
      expect((await tenants.get.query({ id }, { context: acme.asAdmin })).tenant).toMatchObject({ id });
    expect(await stored.countDocuments({ organizationId, idFolded: 'mid' })).toBe(1);
    const renamed = await tenants.update.mutate({ id: 'MID', name: 'Renamed' }, { context: acme.asAdmin });
    expect(renamed.tenant).toMatchObject({ id: 'MID', name: 'Renamed' });
    const third = tenants.create.mutate({ id: 'Mid', name: 'Third' }, { context: acme.asAdmin });
    await expect(third).rejects.toMatchObject({
      cause: { code: 'CONFLICT', fieldErrors: [{ field: 'id' }] },
    });
  });

  it('rejects the name of another tenant of the organization, on creation and on renaming', async () => {
    const rejection = { code: 'CONFLICT', fieldErrors: [{ field: 'name' }] };
    await expect(tenants.create.mutate({ name: 'North' }, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: rejection,
    });
    const renaming = tenants.update.mutate({ id: acme.south.id, name: 'North' }, { context: acme.asAdmin });
    await expect(renaming).rejects.toMatchObject({ cause: rejection });
    const elsewhere = await populate(platform);
    expect(elsewhere.north.name).toBe('North');
  });

  it('creates only one of two tenants with the same name at once', async () => {
    const both = await Promise.allSettled(
      [1, 2].map(() => tenants.create.mutate({ name: 'Twin' }, { context: acme.asAdmin })),
    );
    expect(both.map((outcome) => outcome.status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });

  it('counts versions, rejects an outdated one, and keeps the version when nothing changes', async () => {
    const { id } = acme.north;
    const renamed = await tenants.update.mutate({ id, name: 'Far North' }, { context: acme.asAdmin });
    expect(renamed.tenant).toMatchObject({ name: 'Far North', version: 2 });
    expect(
      (await tenants.update.mutate({ id, name: 'Far North' }, { context: acme.asAdmin })).tenant,
    ).toEqual(renamed.tenant);
    const outdated = await platform.originOf(acme.admin, [1]);
    await expect(tenants.update.mutate({ id, name: 'X' }, { context: outdated })).rejects.toMatchObject({
      cause: {
        code: 'PRECONDITION_FAILED',
      },
    });
    await expect(tenants.delete.mutate({ id }, { context: outdated })).rejects.toMatchObject({
      cause: {
        code: 'PRECONDITION_FAILED',
      },
    });
    const [event] = await platform.eventsOf('management.tenant.updated.v1', id);
    expect(event?.data['changes']).toEqual({ name: { from: 'North', to: 'Far North' } });
    expect(event).toMatchObject({ organizationid: acme.organizationId, actorid: acme.admin.userId });
  });

  it('sets one of its users as the default owner, and clears it with null', async () => {
    const owner = await addTenantUser(platform, acme, { tenantId: acme.north.id });
    const { id } = acme.north;
    const set = await tenants.update.mutate({ id, defaultOwnerId: owner.userId }, { context: acme.asAdmin });
    expect(set.tenant.defaultOwnerId).toBe(owner.userId);
    const outsider = await addTenantUser(platform, acme, { tenantId: acme.south.id });
    for (const defaultOwnerId of [outsider.userId, acme.admin.userId, 'tu_none']) {
      const rejection = tenants.update.mutate({ id, defaultOwnerId }, { context: acme.asAdmin });
      await expect(rejection).rejects.toMatchObject({
        cause: {
          code: 'INVALID_REQUEST',
          fieldErrors: [{ field: 'defaultOwnerId' }],
        },
      });
    }
    const cleared = await tenants.update.mutate({ id, defaultOwnerId: null }, { context: acme.asAdmin });
    expect(cleared.tenant.defaultOwnerId).toBeNull();
  });
});

describe('deleting tenants', () => {
  it('fails while the tenant has users', async () => {
    await expect(
      tenants.delete.mutate({ id: acme.north.id }, { context: acme.asAdmin }),
    ).rejects.toMatchObject({
      cause: {
        code: 'CONFLICT',
      },
    });
    const left = await tenants.get.query({ id: acme.north.id }, { context: acme.asAdmin });
    expect(left.tenant).toEqual(acme.north);
  });

  it('deletes the groups of the tenant', async () => {
    const { tenant } = await tenants.create.mutate({ name: 'Brief' }, { context: acme.asAdmin });
    const { group } = await groups.create.mutate(
      {
        name: 'Team',
        type: 'TENANT_GROUP',
        tenantId: tenant.id,
      },
      { context: acme.asAdmin },
    );
    await tenants.delete.mutate({ id: tenant.id }, { context: acme.asAdmin });
    await platform.eventsOf('management.group.deleted.v1', group.id);
    await expect(groups.get.query({ id: group.id }, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: {
        code: 'NOT_FOUND',
      },
    });
  });

  it('never leaves a user in a deleted tenant, when both happen at once', async () => {
    for (let round = 0; round < 12; round += 1) {
      const { tenant } = await tenants.create.mutate({ name: `Race ${round}` }, { context: acme.asAdmin });
      const email = `racer-${round}@acme.test`;
      const [created, deleted] = await Promise.allSettled([
        tenantUsers.create.mutate({ tenantId: tenant.id, email }, { context: acme.asAdmin }),
        tenants.delete.mutate({ id: tenant.id }, { context: acme.asAdmin }),
      ]);
      // One of them succeeds, or neither, when each detects the other.
      expect(created.status === 'fulfilled' && deleted.status === 'fulfilled').toBe(false);
      const { total } = await tenantUsers.list.query({ tenantId: tenant.id }, { context: acme.asAdmin });
      expect(total).toBe(created.status === 'fulfilled' ? 1 : 0);
      const refusal = created.status === 'rejected' ? findAppError(created.reason) : undefined;
      expect([undefined, 'INVALID_REQUEST']).toContain(refusal?.code);
      expect([undefined, 'tenantId']).toContain(refusal?.fieldErrors?.[0]?.field);
    }
  });

  it('never leaves a deleted default owner, when setting and deleting the user happen at once', async () => {
    for (let round = 0; round < 12; round += 1) {
      const user = await addTenantUser(platform, acme, { tenantId: acme.north.id });
      const [named, deleted] = await Promise.allSettled([
        tenants.update.mutate({ id: acme.north.id, defaultOwnerId: user.userId }, { context: acme.asAdmin }),
        tenantUsers.delete.mutate({ id: user.userId }, { context: acme.asAdmin }),
      ]);
      expect([named.status, deleted.status].toSorted()).toEqual(['fulfilled', 'rejected']);
      const { tenant } = await tenants.get.query({ id: acme.north.id }, { context: acme.asAdmin });
      expect(tenant.defaultOwnerId === user.userId).toBe(named.status === 'fulfilled');
      await tenants.update.mutate({ id: acme.north.id, defaultOwnerId: null }, { context: acme.asAdmin });
    }
  });
});

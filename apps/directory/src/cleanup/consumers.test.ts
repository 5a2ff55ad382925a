import { newKey } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { foldPerson } from '../records/logic/foldedFields.js';
import { startPlatform } from '../testing/platform.js';
import { populate, type Population } from '../testing/population.js';
import { createDeletionConsumer } from './consumers.js';

const { platform } = await usePlatform(startPlatform);
const { tenants, groups, tenantUsers } = platform.directory;
const consumer = createDeletionConsumer(platform.dependencies);

let acme: Population;
beforeEach(async () => {
  acme = await populate(platform);
});

/** Inserts a user without the touch of its tenant, like a process that crashes in between. */
async function insertWithoutTouch(tenant: { key: string; id: string }): Promise<string> {
  const id = `tu_${newKey()}`;
  const person = foldPerson({ name: 'Late', email: `${id}@acme.test` });
  const settings = { role: 'VIEWER' as const, department: '', isActive: true };
  const draft = {
    _id: `u:${newKey()}`,
    id,
    ...person,
    ...settings,
    tenantKey: tenant.key,
    tenantId: tenant.id,
  };
  await platform.dependencies.stores.tenantUsers.insert(acme.organizationId, draft, {
    events: [],
    now: new Date(),
  });
  return id;
}

describe('the clean-up after deletions', () => {
  it('deletes a user that a crashed process inserted into a deleted tenant', async () => {
    const { tenant } = await tenants.create.mutate({ name: 'Brief' }, { context: acme.asAdmin });
    const { _id: key } = await platform.dependencies.stores.tenants.get(acme.organizationId, tenant.id);
    await tenants.delete.mutate({ id: tenant.id }, { context: acme.asAdmin });
    const [event] = await platform.eventsOf('management.tenant.deleted.v1', tenant.id);
    const id = await insertWithoutTouch({ key, id: tenant.id });
    if (!event) throw new Error('No event');
    await consumer.handle(event);
    await expect(tenantUsers.get.query({ id }, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: {
        code: 'NOT_FOUND',
      },
    });
    await platform.eventsOf('management.tenant_user.deleted.v1', id);
  });

  it('handles a repeated event without further changes', async () => {
    const { group } = await groups.create.mutate({ name: 'G', type: 'ORG_GROUP' }, { context: acme.asAdmin });
    const { userId } = acme.principals.southPowerUser;
    await groups.addMembers.mutate({ id: group.id, userIds: [userId] }, { context: acme.asAdmin });
    const tenantGroup = { name: 'S', type: 'TENANT_GROUP', tenantId: acme.south.id } as const;
    const { group: ofTenant } = await groups.create.mutate(tenantGroup, { context: acme.asAdmin });
    await tenantUsers.delete.mutate({ id: userId }, { context: acme.asAdmin });
    await tenants.delete.mutate({ id: acme.south.id }, { context: acme.asAdmin });
    await platform.eventsOf('management.group_member.removed.v1', group.id);
    await platform.eventsOf('management.group.deleted.v1', ofTenant.id);
    const before = await platform.snapshot();
    const [userDeleted] = await platform.eventsOf('management.tenant_user.deleted.v1', userId);
    const [tenantDeleted] = await platform.eventsOf('management.tenant.deleted.v1', acme.south.id);
    for (const event of [userDeleted, tenantDeleted]) if (event) await consumer.handle(event);
    expect(await platform.snapshot()).toEqual(before);
  });

  it('keeps the users and groups of other tenants', async () => {
    const { group } = await groups.create.mutate(
      {
        name: 'N',
        type: 'TENANT_GROUP',
        tenantId: acme.north.id,
      },
      { context: acme.asAdmin },
    );
    await tenantUsers.delete.mutate({ id: acme.principals.southPowerUser.userId }, { context: acme.asAdmin });
    await tenants.delete.mutate({ id: acme.south.id }, { context: acme.asAdmin });
    await platform.eventsOf('management.tenant.deleted.v1', acme.south.id);
    expect((await groups.get.query({ id: group.id }, { context: acme.asAdmin })).group.name).toBe('N');
    expect((await tenantUsers.list.query({}, { context: acme.asAdmin })).total).toBe(2);
  });
});

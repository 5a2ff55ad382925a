import { newKey } from '@gatehouse/service';
import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createTidyConsumer } from './consumers.js';
import { foldPerson } from './logic/personFields.js';
import { startPlatform } from './testing/platform.js';
import { populate, type Population } from './testing/population.js';

const platform = await startPlatform(await startTestMongo());
const { tenants, groups, tenantUsers } = platform.directory;
const consumer = createTidyConsumer(platform.inner);
afterAll(() => platform.stop());

let acme: Population;
beforeEach(async () => {
  acme = await populate(platform);
});

/** A user stored in a tenant without the touch that follows, as by a process that died in between. */
async function storeUnnoticed(tenant: { key: string; id: string }): Promise<string> {
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
  await platform.inner.stores.tenantUsers.insert(acme.organizationId, draft, { events: [], now: new Date() });
  return id;
}

describe('tidying up', () => {
  it('deletes a user that a process which died stored in a tenant on its way out', async () => {
    const { tenant } = await tenants.create(acme.asAdmin, { name: 'Brief' });
    const { _id: key } = await platform.inner.stores.tenants.get(acme.organizationId, tenant.id);
    await tenants.delete(acme.asAdmin, { id: tenant.id });
    const [event] = await platform.eventsOf('management.tenant.deleted.v1', tenant.id);
    const id = await storeUnnoticed({ key, id: tenant.id });
    if (!event) throw new Error('No event');
    await consumer.handle(event);
    await expect(tenantUsers.get(acme.asAdmin, { id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await platform.eventsOf('management.tenant_user.deleted.v1', id);
  });

  it('bears every event twice', async () => {
    const { group } = await groups.create(acme.asAdmin, { name: 'G', type: 'ORG_GROUP' });
    const { userId } = acme.principals.southPowerUser;
    await groups.addMembers(acme.asAdmin, { id: group.id, userIds: [userId] });
    const tenantGroup = { name: 'S', type: 'TENANT_GROUP', tenantId: acme.south.id } as const;
    const { group: ofTenant } = await groups.create(acme.asAdmin, tenantGroup);
    await tenantUsers.delete(acme.asAdmin, { id: userId });
    await tenants.delete(acme.asAdmin, { id: acme.south.id });
    await platform.eventsOf('management.group_member.removed.v1', group.id);
    await platform.eventsOf('management.group.deleted.v1', ofTenant.id);
    const before = await platform.snapshot();
    const [userDeleted] = await platform.eventsOf('management.tenant_user.deleted.v1', userId);
    const [tenantDeleted] = await platform.eventsOf('management.tenant.deleted.v1', acme.south.id);
    for (const event of [userDeleted, tenantDeleted]) if (event) await consumer.handle(event);
    expect(await platform.snapshot()).toEqual(before);
  });

  it('leaves the users and groups of other tenants alone', async () => {
    const { group } = await groups.create(acme.asAdmin, {
      name: 'N',
      type: 'TENANT_GROUP',
      tenantId: acme.north.id,
    });
    await tenantUsers.delete(acme.asAdmin, { id: acme.principals.southPowerUser.userId });
    await tenants.delete(acme.asAdmin, { id: acme.south.id });
    await platform.eventsOf('management.tenant.deleted.v1', acme.south.id);
    expect((await groups.get(acme.asAdmin, { id: group.id })).group.name).toBe('N');
    expect((await tenantUsers.list(acme.asAdmin, {})).total).toBe(2);
  });
});

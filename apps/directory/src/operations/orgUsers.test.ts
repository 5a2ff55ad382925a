import { startTestMongo } from '@gatehouse/testing';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { addOrgUser, createOrganization, type TestOrganization } from '../testing/population.js';

const platform = await startPlatform(await startTestMongo());
const { orgUsers } = platform.directory;
afterAll(() => platform.stop());

let acme: TestOrganization;
beforeEach(async () => {
  acme = await createOrganization(platform);
});

describe('org users', () => {
  it('are created, read, listed, changed and deleted by an ADMIN', async () => {
    const { user } = await orgUsers.create(acme.asAdmin, {
      email: 'Otto@Acme.test',
      name: 'Otto',
      role: 'AUTHOR',
      department: 'Sales',
    });
    expect(user).toMatchObject({
      email: 'Otto@Acme.test',
      role: 'AUTHOR',
      department: 'Sales',
      isActive: true,
      organizationId: acme.organizationId,
      organizationName: 'Acme',
      type: 'organization',
      version: 1,
    });
    expect((await orgUsers.get(acme.asAdmin, { id: user.id })).user).toEqual(user);
    const changed = await orgUsers.update(acme.asAdmin, { id: user.id, role: 'VIEWER', isActive: false });
    expect(changed.user).toMatchObject({
      role: 'VIEWER',
      isActive: false,
      email: 'Otto@Acme.test',
      version: 2,
    });
    const inactive = await orgUsers.list(acme.asAdmin, { active: false });
    expect(inactive).toMatchObject({ total: 1, users: [{ id: user.id }] });
    expect((await orgUsers.list(acme.asAdmin, { search: 'OTTO@' })).total).toBe(1);
    const { deletedUser } = await orgUsers.delete(acme.asAdmin, { id: user.id });
    expect(deletedUser).toEqual({ id: user.id, email: 'Otto@Acme.test', name: 'Otto' });
    await expect(orgUsers.get(acme.asAdmin, { id: user.id })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    const [event] = await platform.eventsOf('management.org_user.updated.v1', user.id);
    expect(event?.data['changes']).toEqual({
      role: { from: 'AUTHOR', to: 'VIEWER' },
      isActive: { from: true, to: false },
    });
  });

  it('have e-mails that are unique in the organization, whatever their case', async () => {
    const refused = { code: 'CONFLICT', fieldErrors: [{ field: 'email' }] };
    const twin = { email: 'ADA@acme.test', name: 'Twin', role: 'VIEWER' } as const;
    await expect(orgUsers.create(acme.asAdmin, twin)).rejects.toMatchObject(refused);
    const other = await addOrgUser(platform, acme, 'VIEWER');
    const changed = orgUsers.update(acme.asAdmin, { id: other.userId, email: 'ada@ACME.test' });
    await expect(changed).rejects.toMatchObject(refused);
  });

  it('keep what an update leaves undefined', async () => {
    const { userId: id } = await addOrgUser(platform, acme, 'AUTHOR');
    const { user } = await orgUsers.update(acme.asAdmin, { id, name: undefined, department: 'Law' });
    expect(user.name).toMatch(/^author-/);
    expect(user.department).toBe('Law');
  });
});

describe('the last active ADMIN', () => {
  it('can be neither deleted, demoted nor deactivated, and stays as it is', async () => {
    const id = acme.admin.userId;
    await orgUsers.create(acme.asAdmin, {
      email: 'off@acme.test',
      name: 'Off',
      role: 'ADMIN',
      isActive: false,
    });
    const before = await platform.snapshot();
    const refused = { code: 'CONFLICT' };
    await expect(orgUsers.delete(acme.asAdmin, { id })).rejects.toMatchObject(refused);
    await expect(orgUsers.update(acme.asAdmin, { id, role: 'AUTHOR' })).rejects.toMatchObject(refused);
    await expect(orgUsers.update(acme.asAdmin, { id, isActive: false })).rejects.toMatchObject(refused);
    expect(await platform.snapshot()).toEqual(before);
    const renamed = await orgUsers.update(acme.asAdmin, { id, name: 'Ada' });
    expect(renamed.user).toMatchObject({ name: 'Ada', role: 'ADMIN' });
  });

  it('may go once there is another, also by its own hand', async () => {
    await addOrgUser(platform, acme, 'ADMIN');
    await orgUsers.delete(acme.asAdmin, { id: acme.admin.userId });
    const { users } = await orgUsers.list(acme.asAdmin, {});
    expect(users.filter((user) => user.role === 'ADMIN')).toHaveLength(1);
  });

  it('stays when two ADMINs demote each other at once: exactly one succeeds', async () => {
    for (let round = 0; round < 15; round += 1) {
      const organization = await createOrganization(platform);
      const other = await addOrgUser(platform, organization, 'ADMIN');
      const asOther = await platform.originOf(other);
      const outcomes = await Promise.allSettled([
        orgUsers.update(organization.asAdmin, { id: other.userId, role: 'VIEWER' }),
        orgUsers.update(asOther, { id: organization.admin.userId, role: 'AUTHOR' }),
      ]);
      expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const { users } = await orgUsers.list(organization.asAdmin, {});
      expect(users.filter((user) => user.role === 'ADMIN' && user.isActive)).toHaveLength(1);
    }
  });

  it('stays when a ring of ADMINs is deleted, demoted and deactivated at once', async () => {
    const others = await Promise.all([1, 2, 3].map(() => addOrgUser(platform, acme, 'ADMIN')));
    const [first, second, third] = others.map((user) => user.userId);
    const outcomes = await Promise.allSettled([
      orgUsers.delete(acme.asAdmin, { id: first ?? '' }),
      orgUsers.update(acme.asAdmin, { id: second ?? '', role: 'VIEWER' }),
      orgUsers.update(acme.asAdmin, { id: third ?? '', isActive: false }),
      orgUsers.update(acme.asAdmin, { id: acme.admin.userId, role: 'AUTHOR' }),
    ]);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(3);
    const { users } = await orgUsers.list(acme.asAdmin, { active: true });
    expect(users.filter((user) => user.role === 'ADMIN')).toHaveLength(1);
  });
});

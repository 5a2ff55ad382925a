import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { addOrgUser, createOrganization, type TestOrganization } from '../testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { orgUsers } = platform.directory;

let acme: TestOrganization;
beforeEach(async () => {
  acme = await createOrganization(platform);
});

describe('org users', () => {
  it('are created, read, listed, changed and deleted by an ADMIN', async () => {
    const { user } = await orgUsers.create.mutate(
      {
        email: 'Otto@Acme.test',
        name: 'Otto',
        role: 'AUTHOR',
        department: 'Sales',
      },
      { context: acme.asAdmin },
    );
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
    expect((await orgUsers.get.query({ id: user.id }, { context: acme.asAdmin })).user).toEqual(user);
    const changed = await orgUsers.update.mutate(
      { id: user.id, role: 'VIEWER', isActive: false },
      { context: acme.asAdmin },
    );
    expect(changed.user).toMatchObject({
      role: 'VIEWER',
      isActive: false,
      email: 'Otto@Acme.test',
      version: 2,
    });
    const inactive = await orgUsers.list.query({ active: false }, { context: acme.asAdmin });
    expect(inactive).toMatchObject({ total: 1, users: [{ id: user.id }] });
    expect((await orgUsers.list.query({ search: 'OTTO@' }, { context: acme.asAdmin })).total).toBe(1);
    const { deletedUser } = await orgUsers.delete.mutate({ id: user.id }, { context: acme.asAdmin });
    expect(deletedUser).toEqual({ id: user.id, email: 'Otto@Acme.test', name: 'Otto' });
    await expect(orgUsers.get.query({ id: user.id }, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: {
        code: 'NOT_FOUND',
      },
    });
    const [event] = await platform.eventsOf('management.org_user.updated.v1', user.id);
    expect(event?.data['changes']).toEqual({
      role: { from: 'AUTHOR', to: 'VIEWER' },
      isActive: { from: true, to: false },
    });
  });

  it('have e-mails that are unique in the organization, regardless of case', async () => {
    const rejection = { code: 'CONFLICT', fieldErrors: [{ field: 'email' }] };
    const twin = { email: 'ADA@acme.test', name: 'Twin', role: 'VIEWER' } as const;
    await expect(orgUsers.create.mutate(twin, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: rejection,
    });
    const other = await addOrgUser(platform, acme, 'VIEWER');
    const changed = orgUsers.update.mutate(
      { id: other.userId, email: 'ada@ACME.test' },
      { context: acme.asAdmin },
    );
    await expect(changed).rejects.toMatchObject({ cause: rejection });
  });

  it('keep fields that an update leaves undefined', async () => {
    const { userId: id } = await addOrgUser(platform, acme, 'AUTHOR');
    const { user } = await orgUsers.update.mutate(
      { id, name: undefined, department: 'Law' },
      { context: acme.asAdmin },
    );
    expect(user.name).toMatch(/^author-/);
    expect(user.department).toBe('Law');
  });
});

describe('the last active ADMIN', () => {
  it('cannot be deleted, demoted or deactivated, but can be renamed', async () => {
    const id = acme.admin.userId;
    await orgUsers.create.mutate(
      {
        email: 'off@acme.test',
        name: 'Off',
        role: 'ADMIN',
        isActive: false,
      },
      { context: acme.asAdmin },
    );
    const before = await platform.snapshot();
    const rejection = { code: 'CONFLICT' };
    await expect(orgUsers.delete.mutate({ id }, { context: acme.asAdmin })).rejects.toMatchObject({
      cause: rejection,
    });
    await expect(
      orgUsers.update.mutate({ id, role: 'AUTHOR' }, { context: acme.asAdmin }),
    ).rejects.toMatchObject({ cause: rejection });
    await expect(
      orgUsers.update.mutate({ id, isActive: false }, { context: acme.asAdmin }),
    ).rejects.toMatchObject({ cause: rejection });
    expect(await platform.snapshot()).toEqual(before);
    const renamed = await orgUsers.update.mutate({ id, name: 'Ada' }, { context: acme.asAdmin });
    expect(renamed.user).toMatchObject({ name: 'Ada', role: 'ADMIN' });
  });

  it('can be deleted once another exists, even by itself', async () => {
    await addOrgUser(platform, acme, 'ADMIN');
    await orgUsers.delete.mutate({ id: acme.admin.userId }, { context: acme.asAdmin });
    const { users } = await orgUsers.list.query({}, { context: acme.asAdmin });
    expect(users.filter((user) => user.role === 'ADMIN')).toHaveLength(1);
  });

  it('remains when two ADMINs demote each other at once: exactly one succeeds', async () => {
    for (let round = 0; round < 15; round += 1) {
      const organization = await createOrganization(platform);
      const other = await addOrgUser(platform, organization, 'ADMIN');
      const asOther = await platform.originOf(other);
      const outcomes = await Promise.allSettled([
        orgUsers.update.mutate({ id: other.userId, role: 'VIEWER' }, { context: organization.asAdmin }),
        orgUsers.update.mutate({ id: organization.admin.userId, role: 'AUTHOR' }, { context: asOther }),
      ]);
      expect(outcomes.map((outcome) => outcome.status).toSorted()).toEqual(['fulfilled', 'rejected']);
      const { users } = await orgUsers.list.query({}, { context: organization.asAdmin });
      expect(users.filter((user) => user.role === 'ADMIN' && user.isActive)).toHaveLength(1);
    }
  });

  it('remains when a ring of ADMINs is deleted, demoted and deactivated at once', async () => {
    const others = await Promise.all([1, 2, 3].map(() => addOrgUser(platform, acme, 'ADMIN')));
    const [first, second, third] = others.map((user) => user.userId);
    const outcomes = await Promise.allSettled([
      orgUsers.delete.mutate({ id: first ?? '' }, { context: acme.asAdmin }),
      orgUsers.update.mutate({ id: second ?? '', role: 'VIEWER' }, { context: acme.asAdmin }),
      orgUsers.update.mutate({ id: third ?? '', isActive: false }, { context: acme.asAdmin }),
      orgUsers.update.mutate({ id: acme.admin.userId, role: 'AUTHOR' }, { context: acme.asAdmin }),
    ]);
    expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(3);
    const { users } = await orgUsers.list.query({ active: true }, { context: acme.asAdmin });
    expect(users.filter((user) => user.role === 'ADMIN')).toHaveLength(1);
  });
});

import type { CallOrigin } from '@gatehouse/service';
import { newKey } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { startPlatform } from '../testing/platform.js';
import { populate, type Population } from '../testing/population.js';

const { platform } = await usePlatform(startPlatform);
const { orgUsers, tenantUsers, tenants } = platform.directory;
const { stores } = platform.dependencies;

let acme: Population;
let context: CallOrigin;
beforeEach(async () => {
  acme = await populate(platform);
  context = { ...acme.asAdmin, operationKey: newKey() };
});

const ada = { name: 'Ada', email: 'ada@example.test' };
const organizationId = () => acme.admin.organizationId;

const KINDS = [
  {
    noun: 'an org user',
    create: async () => (await orgUsers.create.mutate({ ...ada, role: 'ADMIN' }, { context })).user.id,
    delete: (id: string) => orgUsers.delete.mutate({ id }, { context: acme.asAdmin }),
    keyOf: async (id: string) => (await stores.orgUsers.get(organizationId(), id))._id,
  },
  {
    noun: 'a tenant user',
    create: async () => {
      const fields = { ...ada, role: 'POWER_USER' as const, tenantId: acme.north.id };
      return (await tenantUsers.create.mutate(fields, { context })).user.id;
    },
    delete: (id: string) => tenantUsers.delete.mutate({ id }, { context: acme.asAdmin }),
    keyOf: async (id: string) => (await stores.tenantUsers.get(organizationId(), id))._id,
  },
  {
    noun: 'a tenant user with a chosen id',
    create: async () => {
      const fields = { ...ada, id: 'ada', role: 'VIEWER' as const, tenantId: acme.north.id };
      return (await tenantUsers.create.mutate(fields, { context })).user.id;
    },
    delete: (id: string) => tenantUsers.delete.mutate({ id }, { context: acme.asAdmin }),
    keyOf: async (id: string) => (await stores.tenantUsers.get(organizationId(), id))._id,
  },
  {
    noun: 'a tenant',
    create: async () => (await tenants.create.mutate({ name: 'East' }, { context })).tenant.id,
    delete: (id: string) => tenants.delete.mutate({ id }, { context: acme.asAdmin }),
    keyOf: async (id: string) => (await stores.tenants.get(organizationId(), id))._id,
  },
];

describe.each(KINDS)('the repeated creation of $noun', ({ create, delete: remove, keyOf }) => {
  it('finds what the first run created', async () => {
    const id = await create();
    const key = await keyOf(id);
    expect(await create()).toBe(id);
    expect(await keyOf(id)).toBe(key);
  });

  it('creates one record in concurrent runs', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, create));
    expect(new Set(ids).size).toBe(1);
  });

  it('has another key after the deletion, so that nothing of the deleted one comes back', async () => {
    const id = await create();
    const key = await keyOf(id);
    await remove(id);
    expect(await create()).toBe(id);
    expect(await keyOf(id)).not.toBe(key);
  });

  it('of another operation is a conflict', async () => {
    await create();
    context = { ...acme.asAdmin, operationKey: newKey() };
    await expect(create()).rejects.toMatchObject({ cause: { code: 'CONFLICT' } });
  });
});

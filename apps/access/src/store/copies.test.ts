import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openAccessStores, type AccessStores } from './resourceStore.js';

const now = new Date('2026-03-01T12:00:00Z');
const HERE = { organizationId: 'o_one', projectId: 'p_one' };
/** Another project of the organization, the project in another organization, and nowhere. */
const ELSEWHERE = [
  { organizationId: 'o_one', projectId: 'p_two' },
  { organizationId: 'o_two', projectId: 'p_one' },
  { organizationId: '', projectId: '' },
];

let mongo: TestMongo;
let stores: AccessStores;
beforeAll(async () => {
  mongo = await startTestMongo();
  stores = await openAccessStores(mongo.databases.of('access'));
});
afterAll(() => mongo[Symbol.asyncDispose]());

async function insertCopy(id: string): Promise<void> {
  const owner = {
    ownerId: 'ou_1',
    ownerKey: 'u:owner',
    ownerType: 'organization' as const,
    ownerTenantKey: null,
  };
  const times = { createdBy: 'ou_1', createdAt: now, updatedAt: now, version: 1 };
  const fields = { title: 'Title', description: '', isPrivate: true, tags: [], shares: [], tenantId: null };
  const resource = { _id: id, organizationId: 'o_one', ...fields, ...owner, ...times };
  const body = '{"visualId":"v_used"}';
  await stores.visuals.insertResource('p_one', { ...resource, body, copiedBy: 'mig_1' }, { events: [] });
}

describe('the store of copies', () => {
  it('finds and deletes nothing of another project or organization', async () => {
    await insertCopy('v_one');
    const { copies } = stores.visuals;
    const read = async (place: typeof HERE) => [
      ...(await copies.findHeaders(place, ['v_one'])),
      ...(await copies.findHolding(place, { ids: ['v_used'], exceptIds: [] })),
      ...(await copies.findTargets(place, { ids: ['v_one'], titles: ['Title'] }, ['u:owner'])),
    ];
    expect(await read(HERE)).toHaveLength(3);
    for (const place of ELSEWHERE) {
      expect(await read(place)).toEqual([]);
      expect(await copies.deleteCopy(place, { id: 'v_one', migrationId: 'mig_1' }, { events: [], now })).toBe(
        false,
      );
    }
    expect(await read(HERE)).toHaveLength(3);
  });

  it('deletes the copies of their own migration alone, and none that was written since', async () => {
    await insertCopy('v_two');
    const { copies } = stores.visuals;
    const remove = (migrationId: string) =>
      copies.deleteCopy(HERE, { id: 'v_two', migrationId }, { events: [], now });
    expect(await remove('mig_2')).toBe(false);
    const header = await stores.visuals.getHeader('p_one', 'v_two');
    await stores.visuals.changeResource('p_one', header, { change: { shares: [] }, events: [] });
    expect(await remove('mig_1')).toBe(false);
  });

  it('makes nothing again of what was undone, until the marks are old', async () => {
    const { copies } = stores.visuals;
    expect(await copies.markUndone('v_three', now)).toBe(true);
    await expect(insertCopy('v_three')).rejects.toMatchObject({ code: 11_000 });
    await insertCopy('v_four');
    expect(await copies.deleteCopy(HERE, { id: 'v_four', migrationId: 'mig_1' }, { events: [], now })).toBe(
      true,
    );
    await expect(insertCopy('v_four')).rejects.toMatchObject({ code: 11_000 });
    await copies.deleteMarks(now);
    expect(await copies.markUndone('v_four', now)).toBe(false);
    await copies.deleteMarks(new Date(now.getTime() + 1));
    expect(await copies.markUndone('v_four', now)).toBe(true);
  });
});

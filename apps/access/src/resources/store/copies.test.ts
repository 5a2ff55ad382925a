import { readConfig, readQuotas } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Share } from '../../sharing/logic/grants.js';
import { openAccessStores, type AccessStores } from './openStores.js';

const now = new Date('2026-03-01T12:00:00Z');
const HERE = { organizationId: 'o_one', projectId: 'p_one' };
/** Another project of the organization, the project in another organization, and an empty scope. */
const ELSEWHERE = [
  { organizationId: 'o_one', projectId: 'p_two' },
  { organizationId: 'o_two', projectId: 'p_one' },
  { organizationId: '', projectId: '' },
];

let mongo: TestMongo;
let stores: AccessStores;
beforeAll(async () => {
  mongo = await startTestMongo();
  stores = await openAccessStores(mongo.databases.of('access'), readQuotas(readConfig({})));
});
afterAll(() => mongo[Symbol.asyncDispose]());

async function insertCopy(id: string, shares: readonly Share[] = []): Promise<void> {
  const owner = {
    ownerId: 'ou_1',
    ownerKey: 'u:owner',
    ownerType: 'organization' as const,
    ownerTenantKey: null,
  };
  const times = { createdBy: 'ou_1', createdAt: now, updatedAt: now, version: 1 };
  const fields = { title: 'Title', description: '', isPrivate: true, tags: [], shares, tenantId: null };
  const resource = { _id: id, organizationId: 'o_one', ...fields, ...owner, ...times };
  const body = '{"visualId":"v_used"}';
  await stores.visuals.insertResource('p_one', { ...resource, body, copiedBy: 'mig_1' }, { events: [] });
}

const shareWith = (subject: string): Share => ({
  id: `s_${subject}`,
  scope: 'specific_org_user',
  role: 'VIEWER',
  targetId: subject,
  subject,
  tenantKey: null,
  expiresAt: null,
  createdAt: now,
  createdBy: 'ou_1',
});

describe('the store of copies', () => {
  it('finds no copy of another project or organization', async () => {
    await insertCopy('v_one');
    const { copies } = stores.visuals;
    const read = async (place: typeof HERE) => [
      ...(await copies.findHeaders(place, ['v_one'], [])),
      ...(await copies.findHolding(place, { ids: ['v_used'], exceptIds: [] }, ['u:owner'])),
      ...(await copies.findTargets(place, { ids: ['v_one'], titles: ['Title'] }, ['u:owner'])),
    ];
    for (const place of ELSEWHERE) expect(await read(place)).toEqual([]);
    expect(await read(HERE)).toHaveLength(3);
    expect(await copies.isGone('p_one', 'v_one')).toBe(false);
    expect(await copies.isGone('p_two', 'v_one')).toBe(true);
  });

  it('keeps the id of an undone copy taken until its mark is deleted', async () => {
    const { copies } = stores.visuals;
    expect(await copies.marks.insert('p_one', 'v_three', now)).toBe(true);
    await expect(insertCopy('v_three')).rejects.toMatchObject({ code: 11_000 });
    await insertCopy('v_four');
    const header = await stores.visuals.getHeader('p_one', 'v_four');
    await stores.visuals.deleteResource('p_one', header, { events: [], now, isUndo: true });
    expect(await copies.isGone('p_one', 'v_four')).toBe(true);
    await expect(insertCopy('v_four')).rejects.toMatchObject({ code: 11_000 });
    await copies.marks.deleteBefore(now);
    expect(await copies.marks.insert('p_one', 'v_four', now)).toBe(false);
    await copies.marks.deleteBefore(new Date(now.getTime() + 1));
    expect(await copies.marks.insert('p_one', 'v_four', now)).toBe(true);
  });

  it.each([3, 300])('finds what holds an id without the shares of others, of %i', async (count) => {
    const others = Array.from({ length: count }, (_, n) => shareWith(`u:${n}`));
    await insertCopy(`v_shared${count}`, [...others, shareWith('u:reader')]);
    const wanted = { ids: ['v_used'], exceptIds: [] };
    const found = await stores.visuals.copies.findHolding(HERE, wanted, ['u:reader']);
    const shared = found.find(({ _id }) => _id === `v_shared${count}`);
    expect(shared?.shares.map(({ subject }) => subject)).toEqual(['u:reader']);
  });
});

import { AppError } from '@gatehouse/contract';
import { readConfig, readQuotas } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newResource } from '../../testing/newResource.js';
import type { Share } from '../../sharing/logic/grants.js';
import type { ResourceHeader } from './document.js';
import { openAccessStores, type ResourceStore } from './openStores.js';

const now = new Date('2026-03-01T12:00:00Z');
const NOTHING = { events: [] };
const PROJECT = 'p_one';

let mongo: TestMongo;
let store: ResourceStore;
beforeAll(async () => {
  mongo = await startTestMongo();
  store = (await openAccessStores(mongo.databases.of('access'), readQuotas(readConfig({})))).dashboards;
});
afterAll(() => mongo[Symbol.asyncDispose]());

const sharesOf = (count: number): Share[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `sh_${index}`,
    scope: 'all_org_users',
    subject: 's',
    targetId: null,
    tenantKey: null,
    role: 'VIEWER',
    expiresAt: null,
    createdAt: now,
    createdBy: 'ou_a',
  }));

const insert = (id: string, { shareCount = 0, description = '' } = {}) =>
  store.insertResource(PROJECT, newResource(id, { description, shares: sharesOf(shareCount) }), NOTHING);

/** The cached header of a resource: a change decides on it first, and then on the stored one. */
async function findCached(projectId: string, id: string): Promise<ResourceHeader | undefined> {
  const seen: ResourceHeader[] = [];
  const decide = async (header: ResourceHeader) => {
    seen.push(header);
    return null;
  };
  await store.change(projectId, { id, decide }).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'NOT_FOUND') throw error;
  });
  return seen.length === 2 ? seen[0] : undefined;
}

describe('the cache of headers', () => {
  it('returns a recent header only in its project, until the resource is deleted', async () => {
    const header = await insert('d_deleted');
    expect(await findCached(PROJECT, 'd_deleted')).toMatchObject({ _id: 'd_deleted', revision: 1 });
    expect(await findCached('p_two', 'd_deleted')).toBeUndefined();
    await store.deleteResource(PROJECT, header, { events: [], now });
    expect(await findCached(PROJECT, 'd_deleted')).toBeUndefined();
  });

  it('returns the header of the last write, with the body', async () => {
    const header = await insert('d_written', { shareCount: 3 });
    await store.changeResourceWithBody(PROJECT, header, { change: { title: 'New' }, events: [] });
    const recent = await findCached(PROJECT, 'd_written');
    expect(recent).toMatchObject({ title: 'New', revision: 2 });
    expect(recent).toEqual(await store.getHeaderWithBody(PROJECT, 'd_written'));
  });

  it('returns no long body, which a change then reads', async () => {
    const body = JSON.stringify({ text: 'x'.repeat(20_000) });
    const header = await insert('d_long');
    await store.changeResource(PROJECT, header, { change: { body }, events: [] });
    expect(await findCached(PROJECT, 'd_long')).toEqual(await store.getHeader(PROJECT, 'd_long'));
    const decide = async () => ({ change: { title: 'New' }, events: [] });
    expect(await store.change(PROJECT, { id: 'd_long', readsBody: true, decide })).toMatchObject({ body });
  });

  it('decides again on the stored state if it denies a change on a cached header', async () => {
    const header = await insert('d_stale');
    const other = (await openAccessStores(mongo.databases.of('access'), readQuotas(readConfig({}))))
      .dashboards;
    await other.changeResource(PROJECT, header, { change: { title: 'Theirs' }, events: [] });
    const titles: string[] = [];
    const changed = await store.change(PROJECT, {
      id: 'd_stale',
      async decide({ title }) {
        titles.push(title);
        if (title === 'Title') throw new AppError('FORBIDDEN');
        return { change: { title: 'Ours' }, events: [] };
      },
    });
    expect(titles).toEqual(['Title', 'Theirs']);
    expect(changed).toMatchObject({ title: 'Ours', revision: 3 });
  });

  it('forgets a header when a write on it fails', async () => {
    const header = await insert('d_conflict');
    const stale = { ...header, revision: 7 };
    await expect(
      store.changeResource(PROJECT, stale, { change: { title: 'New' }, events: [] }),
    ).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await findCached(PROJECT, 'd_conflict')).toBeUndefined();
  });

  it('is bounded: evicts the least recently used headers and keeps no very large ones', async () => {
    const isKnown = async (index: number) => (await findCached(PROJECT, `d_${index}`)) !== undefined;
    const count = 900;
    for (let index = 0; index < count; index += 1)
      await insert(`d_${index}`, { shareCount: 100, description: 'x'.repeat(5000) });
    const kept: number[] = [];
    for (let index = 0; index < count; index += 1) if (await isKnown(index)) kept.push(index);
    expect(kept.length).toBeGreaterThan(500);
    expect(kept.length).toBeLessThan(800);
    expect(kept.at(-1)).toBe(count - 1);
    expect(kept).toHaveLength(count - (kept[0] ?? 0));
    await insert('d_large', { shareCount: 1000 });
    expect(await findCached(PROJECT, 'd_large')).toBeUndefined();
    expect(await isKnown(count - 1)).toBe(true);
  });
});

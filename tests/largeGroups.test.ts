import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api, type Session } from './src/api.js';
import { copyTenantUser } from './src/manyUsers.js';
import { startTestStandalone, type TestServer } from './src/servers.js';

/** More than the document of a group holds. */
const COUNT = 10_300;
const MEMBERS_AT_ONCE = 100;

interface MemberPage {
  members: { userId: string }[];
  total: number;
  hasMore: boolean;
  nextCursor: string | null;
}

const userId = (index: number) => `member${String(index).padStart(6, '0')}`;
const userIds = Array.from({ length: COUNT }, (_, index) => userId(index));
const chunksOf = <T>(items: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );

let mongo: TestMongo;
let server: TestServer;
let api: Api;
let groupId: string;
let dashboardId: string;

beforeAll(async () => {
  mongo = await startTestMongo();
  server = await startTestStandalone({ MONGODB_URL: mongo.url, MONGODB_PREFIX: mongo.prefix });
  api = await createApi(server.credentials);
  const { id: tenantId } = await api.createTenant();
  await copyTenantUser(mongo, (await api.createTenantUser(tenantId)).id, userIds);
  groupId = (await api.createGroup()).id;
  for (const ids of chunksOf(userIds, MEMBERS_AT_ONCE))
    succeeded(await api.admin.post(`/groups/${groupId}/members`, { userIds: ids }));
  dashboardId = (await api.createDashboard(api.admin)).id;
  await api.share(api.admin, dashboardId, [{ scope: 'group', role: 'VIEWER', groupId }]);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});

const readMembers = async (query: string): Promise<MemberPage> =>
  succeeded(await api.admin.get<MemberPage>(`/groups/${groupId}/members?limit=100${query}`));

async function listMembers(): Promise<string[]> {
  const read: string[] = [];
  let cursor = '';
  for (;;) {
    const { members, nextCursor } = await readMembers(cursor);
    read.push(...members.map((member) => member.userId));
    if (nextCursor === null) return read;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

const canRead = async (session: Session) => (await session.get(`/dashboards/${dashboardId}`)).status === 200;

/** The first and the last member, and those around the border of the document. */
const SAMPLE = [0, 1, 4999, 5000, 5001, 9999, 10_000, COUNT - 1].map(userId);

describe('a group with more members than one document holds', () => {
  it('lists each member once, by cursor and by page', async () => {
    expect((await listMembers()).toSorted()).toEqual(userIds);
    const last = await readMembers(`&page=${COUNT / 100}`);
    expect(last).toMatchObject({ total: COUNT, hasMore: false });
    expect(last.members).toHaveLength(100);
    expect(await readMembers(`&page=${Number.MAX_SAFE_INTEGER}`)).toMatchObject({
      total: COUNT,
      members: [],
    });
  });

  it('gives access to each member, and lists each as a viewer', async () => {
    for (const endUserId of SAMPLE) expect(await canRead(await api.openSession({ endUserId }))).toBe(true);
    const seen = new Set<string>();
    let cursor = '';
    do {
      const path = `/dashboards/${dashboardId}/viewers?limit=500${cursor}`;
      type Viewers = { viewers: { id: string }[]; nextCursor: string | null };
      const { viewers, nextCursor } = succeeded(await api.admin.get<Viewers>(path));
      for (const { id } of viewers) seen.add(id);
      cursor = nextCursor === null ? '' : `&cursor=${encodeURIComponent(nextCursor)}`;
    } while (cursor !== '');
    expect(userIds.filter((id) => !seen.has(id))).toEqual([]);
  });

  it('is not listed with its members', async () => {
    const { status, body } = await api.admin.get('/groups?includeMembers=true');
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('includeMembers');
  });

  it('takes access from those who are removed, and from no other', async () => {
    const removed = userIds.filter((_, index) => index % 103 === 7);
    const sessions = await Promise.all(
      [userId(7), userId(8)].map(async (endUserId) => api.openSession({ endUserId })),
    );
    const path = `/groups/${groupId}/members`;
    expect(removed).toHaveLength(100);
    succeeded(await api.admin.delete(path, { userIds: removed }));
    const left = userIds.filter((id) => !removed.includes(id));
    expect((await listMembers()).toSorted()).toEqual(left);
    await expect.poll(() => Promise.all(sessions.map(canRead)), { timeout: 20_000 }).toEqual([false, true]);
    succeeded(await api.admin.post(path, { userIds: removed }));
    expect((await listMembers()).toSorted()).toEqual(userIds);
    await expect.poll(() => Promise.all(sessions.map(canRead)), { timeout: 20_000 }).toEqual([true, true]);
  });

  it('loses a deleted user', async () => {
    succeeded(await api.admin.delete(`/tenant-users/${userId(0)}`));
    await expect.poll(async () => (await readMembers('')).total, { timeout: 60_000 }).toBe(COUNT - 1);
    expect(await listMembers()).not.toContain(userId(0));
  });

  it('gives no access after its deletion', async () => {
    const session = await api.openSession({ endUserId: userId(1) });
    expect(await canRead(session)).toBe(true);
    const shares = [{ scope: 'group', groupId }];
    succeeded(await api.admin.delete(`/dashboards/${dashboardId}/share`, { shares }));
    succeeded(await api.admin.delete(`/groups/${groupId}`));
    expect((await api.admin.get(`/groups/${groupId}`)).status).toBe(404);
    expect(await canRead(session)).toBe(false);
  });
});

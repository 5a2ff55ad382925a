import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOG, RECORDS } from '@gatehouse/scripts/installation/plan.mjs';
import { DatabaseWriter, readDatabases, type ArchiveItem } from '@gatehouse/service';
import { removeDataDir, startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApi, succeeded, type Api } from './src/api.js';
import { copyTenantUser, createShared, readSharedWith, targetOf } from './src/manyUsers.js';
import { DASHBOARDS, pathOf, VISUALS, type Kind } from './src/resourceKinds.js';
import { startTestStandalone } from './src/servers.js';

/** More than the document of a resource holds. */
const SHARES = 300;
/** More than the document of a group holds. */
const MEMBERS = 10_300;
const MEMBERS_AT_ONCE = 100;
/** The users whose shares and memberships change during the backup. */
const CHANGING = 40;

const userIds = Array.from({ length: MEMBERS }, (_, index) => `member${String(index).padStart(6, '0')}`);
const others = userIds.slice(CHANGING);
const userAt = (index: number) => userIds[index % CHANGING] ?? '';

interface Installation {
  api: Api;
  resources: { kind: Kind; id: string }[];
  groupId: string;
}

async function createRecords(api: Api, mongo: TestMongo): Promise<Installation> {
  const { id: tenantId } = await api.createTenant();
  await copyTenantUser(mongo, (await api.createTenantUser(tenantId)).id, userIds);
  const resources: Installation['resources'] = [];
  for (const kind of [DASHBOARDS, DASHBOARDS, DASHBOARDS, VISUALS, VISUALS, VISUALS])
    resources.push({ kind, ...(await createShared(kind, api.admin, userIds.slice(0, SHARES))) });
  // Other groups, so that the document of the large one is read some time before its turn.
  for (let index = 0; index < 10; index += 1) await api.createGroup();
  const { id: groupId } = await api.createGroup();
  for (let start = 0; start < MEMBERS; start += MEMBERS_AT_ONCE) {
    const body = { userIds: userIds.slice(start, start + MEMBERS_AT_ONCE) };
    succeeded(await api.admin.post(`/groups/${groupId}/members`, body));
  }
  return { api, resources, groupId };
}

/** Revokes or grants a share of each resource, or removes a member of the group. */
async function change({ api, resources, groupId }: Installation, collection: string, index: number) {
  if (collection.startsWith('group')) {
    const body = { userIds: [userAt(index)] };
    succeeded(
      await api.admin.send(index < CHANGING ? 'DELETE' : 'POST', `/groups/${groupId}/members`, { body }),
    );
    return;
  }
  const isRevoked = Math.floor(index / CHANGING) % 2 === 0;
  const share = { ...targetOf(userAt(index)), ...(isRevoked ? {} : { role: 'EDITOR' }) };
  for (const { kind, id } of resources) {
    const body = { shares: [share] };
    succeeded(await api.admin.send(isRevoked ? 'DELETE' : 'POST', pathOf(kind, id, '/share'), { body }));
  }
}

/** Collections that list parts, and those of the parts. */
const CHANGED = /^(dashboards|visuals|groups|.*Parts)$/;

/** Reads a backup. Shares and members change after each item of the collections that have them. */
async function readBackup(installation: Installation, mongo: TestMongo): Promise<ArchiveItem[]> {
  const items: ArchiveItem[] = [];
  const changes = new Map<string, number>();
  let collection = '';
  for await (const item of readDatabases(mongo.databases, [...RECORDS, ...LOG])) {
    items.push(item);
    if (item.kind === 'collection') collection = item.collection.name;
    if (!CHANGED.test(collection)) continue;
    const of = collection.startsWith('group') ? 'group' : 'resources';
    const index = changes.get(of) ?? 0;
    changes.set(of, index + 1);
    await change(installation, collection, index);
  }
  return items;
}

async function listMembers(api: Api, groupId: string): Promise<string[]> {
  const read: string[] = [];
  let cursor = '';
  for (;;) {
    type Page = { members: { userId: string }[]; nextCursor: string | null };
    const page = await api.admin.get<Page>(`/groups/${groupId}/members?limit=100${cursor}`);
    const { members, nextCursor } = succeeded(page);
    read.push(...members.map((member) => member.userId));
    if (nextCursor === null) return read;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

/** Starts a platform on the data of a database. */
const startOn = ({ url, prefix }: TestMongo, dataDir: string) =>
  startTestStandalone({ MONGODB_URL: url, MONGODB_PREFIX: prefix, DATA_DIR: dataDir });

describe('a backup during changes of very many shares and members', () => {
  let source: TestMongo;
  let target: TestMongo;
  let dataDir: string;
  let installation: Installation;
  let restored: Api;
  let stop: () => PromiseLike<void>;

  beforeAll(async () => {
    [source, target] = [await startTestMongo(), await startTestMongo()];
    dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-parts-'));
    let items: ArchiveItem[];
    {
      await using server = await startOn(source, dataDir);
      installation = await createRecords(await createApi(server.credentials), source);
      items = await readBackup(installation, source);
    }
    const writer = new DatabaseWriter(target.databases);
    for (const item of items) await writer.write(item);
    await writer.flush();
    const server = await startOn(target, dataDir);
    stop = () => server[Symbol.asyncDispose]();
    restored = await createApi(server.credentials);
  });
  afterAll(async () => {
    await stop();
    await removeDataDir(dataDir);
    await source[Symbol.asyncDispose]();
    await target[Symbol.asyncDispose]();
  });

  it('has every share that did not change', async () => {
    for (const { kind, id } of installation.resources) {
      const shared = await readSharedWith(restored.admin, kind, id);
      expect(others.slice(0, SHARES - CHANGING).filter((user) => shared.get(user) !== 'VIEWER')).toEqual([]);
    }
  });

  it('has every member who did not change', async () => {
    const members = new Set(await listMembers(restored, installation.groupId));
    expect(others.filter((user) => !members.has(user))).toEqual([]);
  });

  it('can be changed after its restore', async () => {
    const changed = { ...installation, api: restored };
    await expect(change(changed, 'dashboards', CHANGING)).resolves.toBeUndefined();
    await expect(change(changed, 'groups', CHANGING)).resolves.toBeUndefined();
  });

  it.each(['dashboardShareParts', 'visualShareParts'])('has no %s but the listed ones', async (name) => {
    const database = target.databases.of('access');
    const parts = await database
      .collection(name)
      .find({}, { projection: { resourceId: 1 } })
      .toArray();
    expect(parts.length).toBeGreaterThan(0);
    const resources = database.collection<{ _id: string; shareParts: { list: Record<string, string> } }>(
      name === 'visualShareParts' ? 'visuals' : 'dashboards',
    );
    for (const { _id, resourceId } of parts) {
      const resource = await resources.findOne({ _id: String(resourceId) });
      expect(resource?.shareParts.list).toHaveProperty(String(_id));
    }
  });
});

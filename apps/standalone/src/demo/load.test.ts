import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '@gatehouse/client';
import { ACCESS_LEVELS, GROUP_TYPES, SHARE_SCOPES, USER_ROLES } from '@gatehouse/contract';
import { childEnvironment, readConfig } from '@gatehouse/service';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunningForm } from '../program.js';
import { startStandalone } from '../standalone.js';
import { loadDemo } from './load.js';

let dataDir: string;
let running: RunningForm;
let admin: Client;

async function signIn(user: Record<string, string>): Promise<Client> {
  const { baseUrl, projectId, projectSecret } = running.credentials;
  const { accessToken } = await createClient({ baseUrl }).issueToken({ projectId, projectSecret, ...user });
  return createClient({ baseUrl, accessToken });
}

/** All records of the demo organization, as the API returns them. */
async function readAll() {
  const [{ dashboards }, { visuals }, { groups }, { users }] = await Promise.all([
    admin.listDashboards({ scope: 'organization' }),
    admin.listVisuals({ scope: 'organization' }),
    admin.listGroups({ includeMembers: true }),
    admin.listUnifiedUsers({}),
  ]);
  const owners = new Set([...dashboards, ...visuals].map(({ ownerId }) => ownerId));
  const shares = [];
  for (const ownerId of owners) {
    const isOrgUser = users.some(({ id, type }) => id === ownerId && type === 'organization');
    const owner = await signIn(isOrgUser ? { orgUserId: ownerId } : { endUserId: ownerId });
    for (const { id } of dashboards.filter((record) => record.ownerId === ownerId)) {
      const { owner: _owner, ...byKind } = await owner.listDashboardShares({ id });
      shares.push(...Object.values(byKind).flat());
    }
  }
  return { dashboards, visuals, groups, users, shares };
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-demo-'));
  const environment = { DATA_DIR: dataDir, PORT: '0', DEMO: '1', LOG_LEVEL: 'fatal', VALIDATE_OUTPUT: '1' };
  running = await startStandalone(
    readConfig(childEnvironment({ ...environment, MONGODB_URL: '', NATS_URL: '' })),
  );
  admin = await signIn({ orgUserId: running.credentials.adminOrgUserId });
});
afterAll(async () => {
  await running.stop();
  await rm(dataDir, { recursive: true });
});

describe('the demo organization', () => {
  it('shows every scope, level, role and group type', async () => {
    const { shares, users, groups } = await readAll();
    expect(new Set(shares.map(({ scope }) => scope))).toEqual(new Set(SHARE_SCOPES));
    expect(new Set(shares.map(({ role }) => role))).toEqual(new Set(ACCESS_LEVELS));
    expect(new Set(users.map(({ role }) => role))).toEqual(new Set(USER_ROLES));
    expect(new Set(groups.map(({ type }) => type))).toEqual(new Set(GROUP_TYPES));
    expect(groups.every(({ memberCount }) => memberCount > 0)).toBe(true);
  });

  it('shows a share that expires, a user who is deactivated, and private and open dashboards', async () => {
    const { shares, users, dashboards } = await readAll();
    expect(shares.filter(({ expiresAt }) => expiresAt !== null)).toHaveLength(1);
    expect(users.filter(({ isActive }) => !isActive).map(({ id }) => id)).toEqual(['lena-fischer']);
    expect(new Set(dashboards.map(({ isPrivate }) => isPrivate))).toEqual(new Set([true, false]));
    expect(dashboards).toHaveLength(8);
  });

  it('shows a role that caps a grant, and a visual that a dashboard makes visible', async () => {
    const { dashboards, visuals, users } = await readAll();
    const hugo = users.find(({ name }) => name === 'Hugo Brandt')?.id ?? '';
    const boardPack = dashboards.find(({ title }) => title === 'Board pack')?.id ?? '';
    const { access } = await admin.explainDashboardAccess({ id: boardPack, userId: hugo });
    expect(access).toMatchObject({ accessLevel: 'VIEWER', ceiling: 'VIEWER' });
    expect(access.grants[0]).toMatchObject({ level: 'EDITOR', wins: true });

    const linked = visuals.find(({ title }) => title === 'Revenue by month')?.id ?? '';
    const { visual } = await (await signIn({ endUserId: 'sofia-rossi' })).getVisual({ id: linked });
    expect(visual.accessLevel).toBe('VIEWER');
  });

  it('does not change when it is loaded again', async () => {
    const before = await readAll();
    await loadDemo(running.credentials.baseUrl, running.credentials);
    const after = await readAll();
    const titles = ({ dashboards, visuals }: typeof before) =>
      [...dashboards, ...visuals].map(({ id }) => id).toSorted();
    expect(titles(after)).toEqual(titles(before));
    expect(after.users).toEqual(before.users);
    expect(after.groups.map(({ memberCount }) => memberCount)).toEqual(
      before.groups.map(({ memberCount }) => memberCount),
    );
    expect(after.shares.map(({ id }) => id).toSorted()).toEqual(before.shares.map(({ id }) => id).toSorted());
  });
});

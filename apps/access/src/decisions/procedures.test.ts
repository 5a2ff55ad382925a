import { type AccessLevel, type GrantEntry, type PersonPrincipal, type Viewer } from '@gatehouse/contract';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFixture, dashboardBearer, type Fixture } from '../testing/directoryStub.js';
import { LATER, startPlatform, templateLinking, shareWith } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
let us: Fixture;
beforeEach(() => {
  us = createFixture(platform.directory);
});

const decisionsOf = (id: string) =>
  id.startsWith('v_') ? platform.access.visualDecisions : platform.access.dashboardDecisions;
const explain = async (caller: PersonPrincipal, id: string, userId?: string) =>
  (
    await decisionsOf(id).explain.query(
      {
        id,
        ...(userId === undefined ? {} : { userId }),
      },
      { context: await platform.as(caller) },
    )
  ).access;

async function viewersOf(caller: PersonPrincipal, id: string, limit = 100): Promise<Viewer[]> {
  const viewers = [];
  let cursor: string | undefined;
  do {
    const query = { id, limit, ...(cursor === undefined ? {} : { cursor }) };
    const page = await decisionsOf(id).viewers.query(query, { context: await platform.as(caller) });
    viewers.push(...page.viewers);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return viewers;
}

async function readLevel(caller: PersonPrincipal, id: string): Promise<AccessLevel | null> {
  const { access, as } = platform;
  const origin = await as(caller);
  try {
    if (id.startsWith('v_'))
      return (await access.visuals.get.query({ id }, { context: origin })).visual.accessLevel;
    return (await access.dashboards.get.query({ id }, { context: origin })).dashboard.accessLevel;
  } catch {
    return null;
  }
}

async function listedLevel(caller: PersonPrincipal, id: string): Promise<AccessLevel | null> {
  const { access, as } = platform;
  const origin = await as(caller);
  const { dashboards } = await access.dashboards.list.query({}, { context: origin });
  const { visuals } = await access.visuals.list.query({}, { context: origin });
  return [...dashboards, ...visuals].find((item) => item.id === id)?.accessLevel ?? null;
}

describe('read, list, explain and viewers', () => {
  it('agree on every user and resource of an organization with every scope, level and role', async () => {
    const { directory } = platform;
    const team = directory.group(directory.newId('grp_team'));
    const northTeam = directory.group(directory.newId('grp_north'), us.north);
    const { home } = us;
    const cast = [us.root, us.ada, us.otto, us.vera, us.nora, us.nils, us.nick, us.sara];
    const users = [
      ...cast,
      directory.orgUser(directory.newId('ou_member'), 'VIEWER', { home, groups: [team] }),
      directory.tenantUser(directory.newId('both'), 'POWER_USER', {
        home,
        tenant: us.north,
        groups: [team, northTeam],
      }),
    ];
    const entries: GrantEntry[] = [
      { scope: 'all_tenant_users', tenantId: us.north.id, role: 'EDITOR' },
      { scope: 'all_org_users', role: 'VIEWER' },
      { scope: 'org_users_only', role: 'CONTRIBUTOR' },
      { scope: 'all_tenants_only', role: 'VIEWER' },
      { scope: 'group', groupId: team.id, role: 'OWNER' },
      { scope: 'group', groupId: northTeam.id, role: 'CONTRIBUTOR' },
      shareWith(us.nick, 'OWNER'),
      shareWith(us.sara, 'EDITOR'),
    ];
    const owned: [string, PersonPrincipal][] = [];
    for (const [index, entry] of entries.entries()) {
      const visual = await platform.createVisual(us.ada, { isPrivate: index % 2 === 0 });
      const template = templateLinking(visual.id);
      const dashboard = await platform.createDashboard(us.ada, { template, isPrivate: index % 3 > 0 });
      await platform.share(us.ada, dashboard.id, entry);
      await platform.share(us.ada, visual.id, entries[(index + 3) % entries.length] ?? entry);
      owned.push([visual.id, us.ada], [dashboard.id, us.ada]);
    }
    for (const isPrivate of [true, false]) {
      owned.push([(await platform.createDashboard(us.nora, { isPrivate })).id, us.nora]);
    }
    const expected: string[] = [];
    const decided: string[] = [];
    for (const [id, owner] of owned) {
      const viewers = await viewersOf(owner, id);
      // A tenant user sees only its own tenant.
      const isVisible = (user: PersonPrincipal) =>
        owner.kind === 'orgUser' || (user.kind === 'tenantUser' && user.tenantKey === owner.tenantKey);
      for (const user of users) {
        const level = await readLevel(user, id);
        const levels = [await listedLevel(user, id)];
        if (level !== null) levels.push((await explain(user, id)).accessLevel);
        if (isVisible(user)) {
          levels.push((await explain(owner, id, user.userId)).accessLevel);
          levels.push(viewers.find((viewer) => viewer.id === user.userId)?.accessLevel ?? null);
        }
        decided.push(`${user.userId} on ${id}: ${levels.join()}`);
        expected.push(`${user.userId} on ${id}: ${levels.map(() => level).join()}`);
      }
    }
    expect(decided).toEqual(expected);
    expect(new Set(decided.map((line) => line.split(',')[0]?.split(': ')[1])).size).toBe(5);
  });
});

describe('an explanation', () => {
  it('contains every grant with its path, the effective grant first', async () => {
    const { directory } = platform;
    const team = directory.group(directory.newId('grp_team'));
    const member = directory.orgUser(directory.newId('ou_member'), 'AUTHOR', {
      home: us.home,
      groups: [team],
    });
    const { id } = await platform.createDashboard(us.ada, { isPrivate: false });
    const { shares } = await platform.share(
      us.ada,
      id,
      { scope: 'group', groupId: team.id, role: 'EDITOR' },
      shareWith(member, 'CONTRIBUTOR'),
      { scope: 'all_org_users', role: 'VIEWER' },
    );
    const [byGroup, direct, orgWide] = shares.map((share) => share.id);
    const explanation = await explain(member, id);
    expect(explanation).toEqual({
      userId: member.userId,
      accessLevel: 'CONTRIBUTOR',
      role: 'AUTHOR',
      ceiling: 'OWNER',
      grants: [
        { level: 'CONTRIBUTOR', path: 'share', shareId: direct, scope: 'specific_org_user', wins: true },
        { level: 'EDITOR', path: 'group', shareId: byGroup, scope: 'group', groupId: team.id, wins: false },
        { level: 'VIEWER', path: 'audience', wins: false },
        { level: 'VIEWER', path: 'audience', shareId: orgWide, scope: 'all_org_users', wins: false },
      ],
    });
    expect(await explain(us.ada, id, member.userId)).toEqual(explanation);
    // A user may be in thousands of other groups.
    expect(directory.groupsOfRequests.at(-1)).toEqual([team.id]);
    expect((await explain(us.ada, id, us.sara.userId)).grants).toEqual([]);
  });

  it('contains the ceiling of the role', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, shareWith(us.nick, 'OWNER'));
    expect(await explain(us.nick, id)).toMatchObject({
      accessLevel: 'VIEWER',
      ceiling: 'VIEWER',
      grants: [{ level: 'OWNER', wins: true }],
    });
  });

  it("includes the requester's dashboard token only for the requester", async () => {
    const { id } = await platform.createDashboard(us.ada);
    const bearer = dashboardBearer(id, us.nora);
    expect((await explain(bearer, id)).grants).toEqual([{ level: 'VIEWER', path: 'token', wins: true }]);
    expect((await explain(dashboardBearer(id, us.ada), id, us.nora.userId)).grants).toEqual([]);
  });

  it('names no dashboard that the requester may not see', async () => {
    const visual = await platform.createVisual(us.ada);
    await platform.share(us.ada, visual.id, shareWith(us.otto, 'CONTRIBUTOR'));
    const { id } = await platform.createDashboard(us.ada, { template: templateLinking(visual.id) });
    await platform.share(us.ada, id, shareWith(us.nora, 'EDITOR'));
    const grant = { level: 'VIEWER', path: 'linked dashboard', wins: true };
    expect((await explain(us.ada, visual.id, us.nora.userId)).grants).toEqual([
      { ...grant, dashboardId: id },
    ]);
    expect((await explain(us.otto, visual.id, us.nora.userId)).grants).toEqual([grant]);
    expect((await explain(us.nora, visual.id)).grants).toEqual([{ ...grant, dashboardId: id }]);
  });

  it('of another user requires CONTRIBUTOR and, for a tenant user, the same tenant', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, shareWith(us.nora, 'CONTRIBUTOR'), shareWith(us.nils, 'EDITOR'));
    const code = async (call: () => Promise<unknown>) => (await platform.rejectionOf(call)).code;
    expect(await code(() => explain(us.nils, id, us.nora.userId))).toBe('FORBIDDEN');
    expect(await code(() => explain(us.sara, id))).toBe('NOT_FOUND');
    expect(await code(() => explain(us.ada, id, 'absent'))).toBe('NOT_FOUND');
    expect(await code(() => explain(us.nora, id, us.sara.userId))).toBe('NOT_FOUND');
    expect(await code(() => explain(us.nora, id, us.ada.userId))).toBe('NOT_FOUND');
    expect((await explain(us.nora, id, us.nils.userId)).accessLevel).toBe('EDITOR');
    expect((await explain(us.nils, id, us.nils.userId)).accessLevel).toBe('EDITOR');
  });
});

describe('the reasons of many decisions', () => {
  it('are limited in number together, before they fill the memory', async () => {
    const { directory } = platform;
    const groups = Array.from({ length: 400 }, (_, index) =>
      directory.group(directory.newId(`grp_${index}_`)),
    );
    const member = directory.orgUser(directory.newId('ou_many'), 'VIEWER', { home: us.home, groups });
    const { id } = await platform.createDashboard(us.ada);
    const entries = groups.map(({ id: groupId }) => ({ scope: 'group', groupId, role: 'VIEWER' }) as const);
    await platform.share(us.ada, id, ...entries);
    const question = {
      resourceType: 'dashboard' as const,
      resourceId: id,
      userId: member.userId,
      level: 'VIEWER' as const,
    };
    const check = async (count: number, reasons: boolean) => {
      const checks = Array.from({ length: count }, () => question);
      return platform.access.checks.check.mutate({ checks, reasons }, { context: await platform.as(us.ada) });
    };
    const { results } = await check(50, true);
    expect(results.map((result) => 'access' in result && result.access?.grants.length)).toEqual(
      results.map(() => 400),
    );
    expect((await check(1000, false)).results).toHaveLength(1000);
    expect(await platform.rejectionOf(() => check(51, true))).toMatchObject({
      code: 'INVALID_REQUEST',
      fieldErrors: [{ field: 'checks', code: 'range' }],
    });
  });
});

describe('the viewers', () => {
  it('are paged, org users first, without inactive users and users without access', async () => {
    const { directory } = platform;
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(
      us.ada,
      id,
      { scope: 'all_tenants_only', role: 'EDITOR' },
      shareWith(us.otto, 'EDITOR'),
      { ...shareWith(us.vera, 'VIEWER'), expiresAt: LATER },
    );
    const inactive = directory.users.get(us.nils.userId);
    if (inactive !== undefined) inactive.facts.isActive = false;
    await platform.expireShares(us.projectId, id);
    const whole = await viewersOf(us.ada, id);
    const ours = new Set(
      Object.values(us).flatMap((value) =>
        typeof value === 'object' && 'userId' in value ? [value.userId] : [],
      ),
    );
    expect(whole.filter((viewer) => ours.has(viewer.id))).toEqual([
      {
        type: 'organization',
        id: us.ada.userId,
        name: `Name of ${us.ada.userId}`,
        email: expect.any(String),
        accessLevel: 'OWNER',
        path: 'ownership',
      },
      expect.objectContaining({ id: us.otto.userId, accessLevel: 'EDITOR', path: 'share' }),
      expect.objectContaining({
        type: 'tenant',
        id: us.nick.userId,
        accessLevel: 'VIEWER',
        path: 'audience',
      }),
      expect.objectContaining({ id: us.nora.userId, accessLevel: 'EDITOR' }),
      expect.objectContaining({ id: us.sara.userId }),
    ]);
    for (const limit of [1, 2, 3]) expect(await viewersOf(us.ada, id, limit)).toEqual(whole);
  });

  it('are the same if the resource names too many users for one lookup', async () => {
    const { directory } = platform;
    const team = directory.group(directory.newId('grp_many'));
    const home = { home: us.home, groups: [team] };
    const member = directory.orgUser(directory.newId('ou_many'), 'VIEWER', home);
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, { scope: 'group', groupId: team.id, role: 'VIEWER' });
    const before = await viewersOf(us.ada, id);
    expect(before.map((viewer) => viewer.id)).toContain(member.userId);
    const dashboards = platform.database.collection<{ _id: string; shares: object[] }>('dashboards');
    const [share] = (await dashboards.findOne({ _id: id }))?.shares ?? [];
    const absent = Array.from({ length: 20_001 }, (_, index) => {
      return { ...share, id: `sh_${index}`, scope: 'specific_org_user', subject: `u:absent${index}` };
    });
    await dashboards.updateOne({ _id: id }, { $push: { shares: { $each: absent } } });
    for (const limit of [2, 100]) expect(await viewersOf(us.ada, id, limit)).toEqual(before);
  });

  it('contain only the own tenant for a tenant user, and require CONTRIBUTOR', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, shareWith(us.nora, 'CONTRIBUTOR'), shareWith(us.sara, 'EDITOR'));
    expect((await viewersOf(us.nora, id)).map((viewer) => viewer.id)).toEqual([us.nora.userId]);
    expect((await platform.rejectionOf(() => viewersOf(us.sara, id))).code).toBe('FORBIDDEN');
    expect((await platform.rejectionOf(() => viewersOf(us.otto, id))).code).toBe('NOT_FOUND');
  });

  it('are read in few steps, though very many shares are for users of others or inactive ones', async () => {
    const { directory } = platform;
    const { home, north, south } = us;
    const { id } = await platform.createDashboard(us.ada);
    const others = Array.from({ length: 400 }, (_, index) =>
      directory.tenantUser(`many${index}-${id}`, 'VIEWER', { home, tenant: index < 200 ? south : north }),
    );
    for (const { userId } of others.slice(200)) {
      const known = directory.users.get(userId);
      if (known) known.facts.isActive = false;
    }
    const staff = Array.from({ length: 90 }, (_, index) =>
      directory.orgUser(`staff${index}-${id}`, 'VIEWER', { home }),
    );
    const shares = [...others, ...staff].map((user) => shareWith(user, 'VIEWER'));
    await platform.share(us.ada, id, ...shares, shareWith(us.nora, 'CONTRIBUTOR'));
    const before = directory.lists;
    const viewers = await viewersOf(us.nora, id, 1);
    expect(viewers.map((viewer) => viewer.id)).toEqual([us.nora.userId]);
    expect(directory.lists - before).toBeLessThanOrEqual(6);
  });

  it('reject an invalid cursor, naming the field', async () => {
    const { id } = await platform.createDashboard(us.ada);
    for (const cursor of ['x', Buffer.from('["organization"]').toString('base64url')]) {
      const error = await platform.rejectionOf(async () =>
        platform.access.dashboardDecisions.viewers.query(
          { id, cursor },
          { context: await platform.as(us.ada) },
        ),
      );
      expect(error.fieldErrors?.[0]?.field).toBe('cursor');
    }
  });
});

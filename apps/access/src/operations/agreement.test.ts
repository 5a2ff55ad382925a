import { type AccessLevel, type GrantEntry, type PersonPrincipal, type Viewer } from '@gatehouse/contract';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { castOf, dashboardBearer, type Cast } from '../testing/people.js';
import { LATER, startPlatform, templateLinking, toPerson, type TestPlatform } from '../testing/platform.js';

let mongo: TestMongo;
let platform: TestPlatform;
let us: Cast;
beforeAll(async () => {
  mongo = await startTestMongo();
  platform = await startPlatform(mongo.databases);
});
afterAll(async () => {
  await platform[Symbol.asyncDispose]();
  await mongo[Symbol.asyncDispose]();
});
beforeEach(() => {
  us = castOf(platform.people);
});

const decisionsOf = (id: string) =>
  id.startsWith('v_') ? platform.access.visualDecisions : platform.access.dashboardDecisions;
const explain = async (caller: PersonPrincipal, id: string, userId?: string) =>
  (
    await decisionsOf(id).explain(await platform.as(caller), {
      id,
      ...(userId === undefined ? {} : { userId }),
    })
  ).access;

async function viewersOf(caller: PersonPrincipal, id: string, limit = 100): Promise<Viewer[]> {
  const viewers = [];
  let cursor: string | undefined;
  do {
    const query = { id, limit, ...(cursor === undefined ? {} : { cursor }) };
    const page = await decisionsOf(id).viewers(await platform.as(caller), query);
    viewers.push(...page.viewers);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return viewers;
}

async function readLevel(caller: PersonPrincipal, id: string): Promise<AccessLevel | null> {
  const { access, as } = platform;
  const origin = await as(caller);
  try {
    if (id.startsWith('v_')) return (await access.visuals.get(origin, { id })).visual.accessLevel;
    return (await access.dashboards.get(origin, { id })).dashboard.accessLevel;
  } catch {
    return null;
  }
}

async function listedLevel(caller: PersonPrincipal, id: string): Promise<AccessLevel | null> {
  const { access, as } = platform;
  const origin = await as(caller);
  const { dashboards } = await access.dashboards.list(origin, {});
  const { visuals } = await access.visuals.list(origin, {});
  return [...dashboards, ...visuals].find((item) => item.id === id)?.accessLevel ?? null;
}

describe('read, list, explain and viewers', () => {
  it('agree on everybody and everything in an organization with every scope, level and role', async () => {
    const { people } = platform;
    const team = people.group(people.newId('grp_team'));
    const northTeam = people.group(people.newId('grp_north'), us.north);
    const { home } = us;
    const cast = [us.root, us.ada, us.otto, us.vera, us.nora, us.nils, us.nick, us.sara];
    const persons = [
      ...cast,
      people.orgUser(people.newId('ou_member'), 'VIEWER', { home, groups: [team] }),
      people.tenantUser(people.newId('both'), 'POWER_USER', {
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
      toPerson(us.nick, 'OWNER'),
      toPerson(us.sara, 'EDITOR'),
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
    const agreed: string[] = [];
    const told: string[] = [];
    for (const [id, owner] of owned) {
      const viewers = await viewersOf(owner, id);
      // A tenant user is told of its own tenant alone.
      const isTold = (person: PersonPrincipal) =>
        owner.kind === 'orgUser' || (person.kind === 'tenantUser' && person.tenantKey === owner.tenantKey);
      for (const person of persons) {
        const level = await readLevel(person, id);
        const answers = [await listedLevel(person, id)];
        if (level !== null) answers.push((await explain(person, id)).accessLevel);
        if (isTold(person)) {
          answers.push((await explain(owner, id, person.userId)).accessLevel);
          answers.push(viewers.find((viewer) => viewer.id === person.userId)?.accessLevel ?? null);
        }
        told.push(`${person.userId} on ${id}: ${answers.join()}`);
        agreed.push(`${person.userId} on ${id}: ${answers.map(() => level).join()}`);
      }
    }
    expect(told).toEqual(agreed);
    expect(new Set(told.map((line) => line.split(',')[0]?.split(': ')[1])).size).toBe(5);
  });
});

describe('an explanation', () => {
  it('names every grant with its path, the winning one first', async () => {
    const { people } = platform;
    const team = people.group(people.newId('grp_team'));
    const member = people.orgUser(people.newId('ou_member'), 'AUTHOR', { home: us.home, groups: [team] });
    const { id } = await platform.createDashboard(us.ada, { isPrivate: false });
    const { shares } = await platform.share(
      us.ada,
      id,
      { scope: 'group', groupId: team.id, role: 'EDITOR' },
      toPerson(member, 'CONTRIBUTOR'),
      { scope: 'all_org_users', role: 'VIEWER' },
    );
    const [byGroup, direct, everybody] = shares.map((share) => share.id);
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
        { level: 'VIEWER', path: 'audience', shareId: everybody, scope: 'all_org_users', wins: false },
      ],
    });
    expect(await explain(us.ada, id, member.userId)).toEqual(explanation);
    expect((await explain(us.ada, id, us.sara.userId)).grants).toEqual([]);
  });

  it('shows the ceiling of a role', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, toPerson(us.nick, 'OWNER'));
    expect(await explain(us.nick, id)).toMatchObject({
      accessLevel: 'VIEWER',
      ceiling: 'VIEWER',
      grants: [{ level: 'OWNER', wins: true }],
    });
  });

  it('counts the dashboard token of the one who asks, for itself alone', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const bearer = dashboardBearer(id, us.nora);
    expect((await explain(bearer, id)).grants).toEqual([{ level: 'VIEWER', path: 'token', wins: true }]);
    expect((await explain(dashboardBearer(id, us.ada), id, us.nora.userId)).grants).toEqual([]);
  });

  it('names no dashboard that the asker may not see', async () => {
    const visual = await platform.createVisual(us.ada);
    await platform.share(us.ada, visual.id, toPerson(us.otto, 'CONTRIBUTOR'));
    const { id } = await platform.createDashboard(us.ada, { template: templateLinking(visual.id) });
    await platform.share(us.ada, id, toPerson(us.nora, 'EDITOR'));
    const grant = { level: 'VIEWER', path: 'linked dashboard', wins: true };
    expect((await explain(us.ada, visual.id, us.nora.userId)).grants).toEqual([
      { ...grant, dashboardId: id },
    ]);
    expect((await explain(us.otto, visual.id, us.nora.userId)).grants).toEqual([grant]);
    expect((await explain(us.nora, visual.id)).grants).toEqual([{ ...grant, dashboardId: id }]);
  });

  it('about others needs CONTRIBUTOR, and of a tenant user an own tenant', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, toPerson(us.nora, 'CONTRIBUTOR'), toPerson(us.nils, 'EDITOR'));
    const code = async (call: () => Promise<unknown>) => (await platform.refusalOf(call)).code;
    expect(await code(() => explain(us.nils, id, us.nora.userId))).toBe('FORBIDDEN');
    expect(await code(() => explain(us.sara, id))).toBe('NOT_FOUND');
    expect(await code(() => explain(us.ada, id, 'absent'))).toBe('NOT_FOUND');
    expect(await code(() => explain(us.nora, id, us.sara.userId))).toBe('NOT_FOUND');
    expect(await code(() => explain(us.nora, id, us.ada.userId))).toBe('NOT_FOUND');
    expect((await explain(us.nora, id, us.nils.userId)).accessLevel).toBe('EDITOR');
    expect((await explain(us.nils, id, us.nils.userId)).accessLevel).toBe('EDITOR');
  });
});

describe('the viewers', () => {
  it('come in pages of any size, org users first, without those who are inactive or have no access any more', async () => {
    const { people } = platform;
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(
      us.ada,
      id,
      { scope: 'all_tenants_only', role: 'EDITOR' },
      toPerson(us.otto, 'EDITOR'),
      { ...toPerson(us.vera, 'VIEWER'), expiresAt: LATER },
    );
    const asleep = people.users.get(us.nils.userId);
    if (asleep !== undefined) asleep.facts.isActive = false;
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

  it('are shown to a tenant user of its own tenant alone, and to nobody below CONTRIBUTOR', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await platform.share(us.ada, id, toPerson(us.nora, 'CONTRIBUTOR'), toPerson(us.sara, 'EDITOR'));
    expect((await viewersOf(us.nora, id)).map((viewer) => viewer.id)).toEqual([us.nora.userId]);
    expect((await platform.refusalOf(() => viewersOf(us.sara, id))).code).toBe('FORBIDDEN');
    expect((await platform.refusalOf(() => viewersOf(us.otto, id))).code).toBe('NOT_FOUND');
  });

  it('refuse a cursor that is none, by its name', async () => {
    const { id } = await platform.createDashboard(us.ada);
    for (const cursor of ['x', Buffer.from('["organization"]').toString('base64url')]) {
      const refusal = await platform.refusalOf(async () =>
        platform.access.dashboardDecisions.viewers(await platform.as(us.ada), { id, cursor }),
      );
      expect(refusal.fieldErrors?.[0]?.field).toBe('cursor');
    }
  });
});

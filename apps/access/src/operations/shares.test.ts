import { SHARES_MAX, type GrantEntry, type PersonPrincipal, type RevokeEntry } from '@gatehouse/contract';
import { newId } from '@gatehouse/service';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { castOf, serviceIdentity, type Cast } from '../testing/people.js';
import { LATER, startPlatform, toPerson, type TestPlatform } from '../testing/platform.js';

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

const grant = async (caller: PersonPrincipal, id: string, shares: GrantEntry[]) =>
  platform.access.dashboardShares.grant(await platform.as(caller), { id, shares });
const revoke = async (caller: PersonPrincipal, id: string, shares: RevokeEntry[]) =>
  platform.access.dashboardShares.revoke(await platform.as(caller), { id, shares });
const list = async (caller: PersonPrincipal, id: string) =>
  platform.access.dashboardShares.list(await platform.as(caller), { id });
const levelOf = async (caller: PersonPrincipal, id: string) =>
  (await platform.access.dashboards.get(await platform.as(caller), { id })).dashboard.accessLevel;
const refusalCode = async (call: () => Promise<unknown>) => (await platform.refusalOf(call)).code;

describe('granting', () => {
  it('answers a record for each entry, in order, and tells of all of them at once', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { people } = platform;
    const group = people.group(people.newId('grp_team'));
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const entries: GrantEntry[] = [
      { ...toPerson(us.nora, 'EDITOR'), expiresAt },
      { scope: 'all_tenant_users', tenantId: us.south.id, role: 'VIEWER' },
      toPerson(us.otto, 'OWNER'),
      { scope: 'all_org_users', role: 'VIEWER' },
      { scope: 'org_users_only', role: 'EDITOR' },
      { scope: 'all_tenants_only', role: 'VIEWER' },
      { scope: 'group', groupId: group.id, role: 'CONTRIBUTOR' },
    ];
    const { message, shares } = await grant(us.ada, id, entries);
    expect(message).toBe('Dashboard shared successfully');
    expect(shares).toEqual(
      entries.map((entry) => ({
        expiresAt: null,
        ...entry,
        id: expect.stringMatching(/^sh_/),
        resourceId: id,
        resourceType: 'dashboard',
        createdAt: expect.any(String),
        createdBy: us.ada.userId,
      })),
    );
    const events = await platform.eventsOf('management.dashboard_share.granted.v1', id);
    expect(events).toHaveLength(1);
    expect(events[0]?.data['shares']).toHaveLength(entries.length);
    expect(await levelOf(us.nora, id)).toBe('EDITOR');
    expect(await levelOf(us.sara, id)).toBe('VIEWER');
    expect(await levelOf(us.otto, id)).toBe('OWNER');
    expect(await levelOf(us.vera, id)).toBe('VIEWER');
  });

  it('again to the same target changes the role and keeps the id; to the same role it writes nothing', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { shares: first } = await grant(us.ada, id, [toPerson(us.nora, 'VIEWER')]);
    const { shares: second } = await grant(us.ada, id, [toPerson(us.nora, 'EDITOR')]);
    expect(second).toEqual([{ ...first[0], role: 'EDITOR' }]);
    const { shares: third } = await grant(us.ada, id, [toPerson(us.nora, 'EDITOR')]);
    expect(third).toEqual(second);
    expect(await platform.eventsOf('management.dashboard_share.granted.v1', id, 2)).toHaveLength(2);
  });

  it('takes all entries or none', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const absent: GrantEntry[] = [
      toPerson(us.nora, 'VIEWER'),
      { scope: 'specific_tenant_user', tenantUserId: 'absent', role: 'VIEWER' },
      { scope: 'group', groupId: 'grp_absent', role: 'VIEWER' },
      { ...toPerson(us.otto, 'VIEWER'), expiresAt: '2020-01-01T00:00:00Z' },
    ];
    const refusal = await platform.refusalOf(() => grant(us.ada, id, absent));
    expect(refusal.code).toBe('INVALID_REQUEST');
    expect(refusal.fieldErrors?.map(({ field }) => field)).toEqual([
      'shares[1].tenantUserId',
      'shares[2].groupId',
      'shares[3].expiresAt',
    ]);
  });

  it('never exceeds the own access of the granter', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await grant(us.ada, id, [toPerson(us.otto, 'CONTRIBUTOR'), toPerson(us.nora, 'EDITOR')]);
    const refusal = await platform.refusalOf(() =>
      grant(us.otto, id, [toPerson(us.sara, 'VIEWER'), toPerson(us.nils, 'OWNER')]),
    );
    expect(refusal).toMatchObject({
      code: 'FORBIDDEN',
      message: 'shares[1]: A share cannot exceed your own access',
    });
    await grant(us.otto, id, [toPerson(us.nils, 'CONTRIBUTOR')]);
    expect(await refusalCode(() => grant(us.nora, id, [toPerson(us.nick, 'VIEWER')]))).toBe('FORBIDDEN');
    expect(await refusalCode(() => grant(us.sara, id, [toPerson(us.nick, 'VIEWER')]))).toBe('NOT_FOUND');
    expect(await refusalCode(() => grant(us.root, id, [toPerson(us.nick, 'VIEWER')]))).toBe('NOT_FOUND');
    expect(
      await refusalCode(async () =>
        platform.access.dashboardShares.grant(await platform.as(serviceIdentity(us.home)), {
          id,
          shares: [toPerson(us.nick, 'VIEWER')],
        }),
      ),
    ).toBe('FORBIDDEN');
  });

  it('by a tenant user stays in its tenant', async () => {
    const { id } = await platform.createDashboard(us.nora);
    const { people } = platform;
    const own = people.group(people.newId('grp_own'), us.north);
    const foreign = people.group(people.newId('grp_foreign'), us.south);
    const ofOrganization = people.group(people.newId('grp_org'));
    const inside: GrantEntry[] = [
      toPerson(us.nick, 'EDITOR'),
      { scope: 'all_tenant_users', tenantId: us.north.id, role: 'VIEWER' },
      { scope: 'group', groupId: own.id, role: 'VIEWER' },
    ];
    expect((await grant(us.nora, id, inside)).shares).toHaveLength(3);
    const outside: GrantEntry[] = [
      toPerson(us.sara, 'VIEWER'),
      toPerson(us.otto, 'VIEWER'),
      { scope: 'all_tenant_users', tenantId: us.south.id, role: 'VIEWER' },
      { scope: 'group', groupId: foreign.id, role: 'VIEWER' },
      { scope: 'group', groupId: ofOrganization.id, role: 'VIEWER' },
      { scope: 'all_org_users', role: 'VIEWER' },
      { scope: 'org_users_only', role: 'VIEWER' },
      { scope: 'all_tenants_only', role: 'VIEWER' },
    ];
    for (const entry of outside) {
      expect(await refusalCode(() => grant(us.nora, id, [entry])), `to ${entry.scope}`).toBe('FORBIDDEN');
    }
  });

  it.each(['again', newId('tenantUser')])(
    'to somebody who was created again as %s reaches the new one',
    async (userId) => {
      const { people } = platform;
      const { id } = await platform.createDashboard(us.ada);
      const first = people.tenantUser(userId, 'POWER_USER', { home: us.home, tenant: us.north });
      await grant(us.ada, id, [toPerson(first, 'EDITOR')]);
      const second = people.tenantUser(userId, 'POWER_USER', { home: us.home, tenant: us.north });
      expect(await refusalCode(() => levelOf(second, id))).toBe('NOT_FOUND');
      await grant(us.ada, id, [toPerson(second, 'VIEWER')]);
      expect(await levelOf(second, id)).toBe('VIEWER');
      const { removed } = await revoke(us.ada, id, [toPerson(second, 'VIEWER')]);
      expect(removed).toHaveLength(2);
    },
  );

  it('asks about its targets each time, as one of them may just have been deleted', async () => {
    const { people } = platform;
    const { id } = await platform.createDashboard(us.ada);
    const before = people.lookups;
    await grant(us.ada, id, [toPerson(us.otto, 'VIEWER')]);
    await grant(us.ada, id, [toPerson(us.otto, 'EDITOR')]);
    expect(people.lookups).toBe(before + 2);
  });

  it('asks once for all who share at the same time, and gives each the targets of its own', async () => {
    const { people } = platform;
    const ids = await Promise.all(
      [us.ada, us.ada, us.ada].map(async (ada) => (await platform.createDashboard(ada)).id),
    );
    const before = people.lookups;
    const targets = [us.otto, us.nora, us.otto];
    const granted = await Promise.all(
      ids.map((id, index) => grant(us.ada, id, [toPerson(targets[index] ?? us.otto, 'VIEWER')])),
    );
    expect(people.lookups).toBe(before + 1);
    const reached = granted.map(({ shares }) => shares.map((share) => share.orgUserId ?? share.tenantUserId));
    expect(reached).toEqual(targets.map(({ userId }) => [userId]));
  });

  it('says to use a group when a resource has too many shares', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { people, stores } = platform;
    const header = await stores.dashboards.getHeader(us.projectId, id);
    const now = new Date();
    const shares = Array.from({ length: SHARES_MAX }, (_, index) => ({
      id: `sh_${index}`,
      scope: 'specific_org_user' as const,
      subject: `u:many${index}`,
      targetId: `ou_many${index}`,
      tenantKey: null,
      role: 'VIEWER' as const,
      expiresAt: null,
      createdAt: now,
      createdBy: us.ada.userId,
    }));
    await stores.dashboards.changeResource(us.projectId, header, { change: { shares }, events: [] });
    const refusal = await platform.refusalOf(() => grant(us.ada, id, [toPerson(us.otto, 'VIEWER')]));
    expect(refusal.code).toBe('INVALID_REQUEST');
    expect(refusal.fieldErrors?.[0]?.message).toContain('group');
    expect((await list(us.ada, id)).specificOrgUsers).toHaveLength(SHARES_MAX);
    expect(people.lookups).toBeGreaterThan(0);
    const entry: RevokeEntry = { scope: 'specific_org_user', orgUserId: 'ou_many7' };
    expect((await revoke(us.ada, id, [entry])).removed).toMatchObject([{ id: 'sh_7' }]);
    expect(await grant(us.ada, id, [toPerson(us.otto, 'VIEWER')])).toMatchObject({
      shares: [{ role: 'VIEWER' }],
    });
  });

  it('of many callers at once loses none', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { people } = platform;
    const others = Array.from({ length: 20 }, () =>
      people.orgUser(people.newId('ou_other'), 'AUTHOR', { home: us.home }),
    );
    await using second = await startPlatform(mongo.databases);
    for (const [userId, user] of people.users) second.people.users.set(userId, user);
    const origins = [await platform.as(us.ada), await second.as(us.ada)] as const;
    const grants = others.map((other, index) => {
      const shares = [toPerson(other, 'VIEWER')];
      return index % 2 === 0
        ? platform.access.dashboardShares.grant(origins[0], { id, shares })
        : second.access.dashboardShares.grant(origins[1], { id, shares });
    });
    await Promise.all(grants);
    expect((await list(us.ada, id)).specificOrgUsers).toHaveLength(others.length);
  });
});

describe('a share that expires', () => {
  it('grants nothing from its time on, in any answer, before it is swept', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const expiresAt = LATER;
    await grant(us.ada, id, [{ ...toPerson(us.nora, 'EDITOR'), expiresAt }]);
    const { access, as } = platform;
    expect(await levelOf(us.nora, id)).toBe('EDITOR');
    expect((await list(us.ada, id)).specificTenantUsers).toMatchObject([{ expiresAt }]);
    await platform.expireShares(us.projectId, id);
    expect(await refusalCode(() => levelOf(us.nora, id))).toBe('NOT_FOUND');
    expect((await list(us.ada, id)).specificTenantUsers).toEqual([]);
    const listed = await access.dashboards.list(await as(us.nora), { includeTotal: true });
    expect(listed).toEqual({ dashboards: [], nextCursor: null, total: 0 });
    expect(
      await refusalCode(async () => access.dashboards.update(await as(us.nora), { id, title: 'x' })),
    ).toBe('NOT_FOUND');
  });
});

describe('revoking', () => {
  it('matches scope and target, ignores the role, and takes access away', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { shares } = await grant(us.ada, id, [
      toPerson(us.nora, 'EDITOR'),
      { scope: 'all_org_users', role: 'VIEWER' },
    ]);
    const answer = await revoke(us.ada, id, [
      toPerson(us.nora, 'VIEWER'),
      toPerson(us.nils, 'VIEWER'),
      { scope: 'org_users_only' },
    ]);
    expect(answer).toEqual({ message: 'Dashboard access revoked successfully', removed: [shares[0]] });
    expect(await refusalCode(() => levelOf(us.nora, id))).toBe('NOT_FOUND');
    expect(await levelOf(us.vera, id)).toBe('VIEWER');
    const [event] = await platform.eventsOf('management.dashboard_share.revoked.v1', id);
    expect(event?.data['shares']).toHaveLength(1);
  });

  it('needs no target that exists', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await grant(us.ada, id, [toPerson(us.nora, 'EDITOR')]);
    platform.people.users.delete(us.nora.userId);
    expect((await revoke(us.ada, id, [toPerson(us.nora, 'VIEWER')])).removed).toHaveLength(1);
    expect((await revoke(us.ada, id, [toPerson(us.nora, 'VIEWER')])).removed).toEqual([]);
  });

  it('is refused below CONTRIBUTOR and above the own access', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const shares = [
      toPerson(us.otto, 'CONTRIBUTOR'),
      toPerson(us.nora, 'OWNER'),
      toPerson(us.nils, 'EDITOR'),
    ];
    await grant(us.ada, id, shares);
    expect(await refusalCode(() => revoke(us.nils, id, [toPerson(us.nick, 'VIEWER')]))).toBe('FORBIDDEN');
    expect(
      await refusalCode(() =>
        revoke(us.otto, id, [toPerson(us.nils, 'VIEWER'), toPerson(us.nora, 'VIEWER')]),
      ),
    ).toBe('FORBIDDEN');
    expect((await revoke(us.otto, id, [toPerson(us.nils, 'VIEWER')])).removed).toHaveLength(1);
  });

  it('by a tenant user is refused outside its tenant, alike for what is shared and what is not', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await grant(us.ada, id, [
      toPerson(us.nora, 'OWNER'),
      toPerson(us.sara, 'VIEWER'),
      { scope: 'all_org_users', role: 'VIEWER' },
    ]);
    const outside: RevokeEntry[] = [
      toPerson(us.sara, 'VIEWER'),
      toPerson(us.otto, 'VIEWER'),
      { scope: 'all_org_users' },
      { scope: 'org_users_only' },
      { scope: 'all_tenant_users', tenantId: us.south.id },
    ];
    const wires = [];
    for (const entry of outside) {
      const refusal = await platform.refusalOf(() => revoke(us.nora, id, [entry]));
      expect(refusal.code).toBe('FORBIDDEN');
      wires.push(refusal.toWire());
    }
    expect(new Set(wires.map((wire) => JSON.stringify(wire))).size).toBe(1);
    expect((await revoke(us.nora, id, [toPerson(us.nick, 'VIEWER')])).removed).toEqual([]);
  });
});

describe('the list of shares', () => {
  it('groups them with their targets and names the owner', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { people } = platform;
    const group = people.group(people.newId('grp_team'));
    await grant(us.ada, id, [
      toPerson(us.nora, 'CONTRIBUTOR'),
      toPerson(us.sara, 'VIEWER'),
      toPerson(us.vera, 'VIEWER'),
      { scope: 'all_tenant_users', tenantId: us.north.id, role: 'VIEWER' },
      { scope: 'group', groupId: group.id, role: 'VIEWER' },
      { scope: 'all_org_users', role: 'VIEWER' },
      { scope: 'org_users_only', role: 'VIEWER' },
      { scope: 'all_tenants_only', role: 'VIEWER' },
    ]);
    const mail = (userId: string) => `${userId}@example.test`.toLowerCase();
    const named = (userId: string) => ({ id: userId, name: `Name of ${userId}`, email: mail(userId) });
    const shares = await list(us.ada, id);
    expect(shares).toMatchObject({
      owner: { ...named(us.ada.userId), type: 'organization' },
      specificTenantUsers: [
        {
          type: 'dashboard',
          scope: 'specific_tenant_user',
          role: 'CONTRIBUTOR',
          target: named(us.nora.userId),
          grantedBy: us.ada.userId,
        },
        { target: named(us.sara.userId) },
      ],
      tenantWide: [{ target: { id: us.north.id, name: `Tenant ${us.north.id}` } }],
      specificOrgUsers: [{ target: named(us.vera.userId) }],
      orgWide: [{ target: null }],
      orgUsersOnly: [{ target: null }],
      allTenantsOnly: [{ target: null }],
      specificGroups: [{ target: { id: group.id, name: `Group ${group.id}` } }],
    });
    expect((await list(us.vera, id)).specificTenantUsers[0]).not.toHaveProperty('grantedBy');

    const asNora = await list(us.nora, id);
    expect(asNora.owner).toEqual({
      id: us.ada.userId,
      name: `Name of ${us.ada.userId}`,
      type: 'organization',
    });
    expect(asNora.specificTenantUsers.map(({ target }) => target?.id)).toEqual([us.nora.userId]);
    expect(asNora.tenantWide).toHaveLength(1);
    for (const hidden of [
      'specificOrgUsers',
      'orgWide',
      'orgUsersOnly',
      'allTenantsOnly',
      'specificGroups',
    ] as const) {
      expect(asNora[hidden], `no ${hidden}`).toEqual([]);
    }
  });

  it('hides an owner of another tenant, and the names of those who are gone', async () => {
    const { id } = await platform.createDashboard(us.sara);
    const { access, as, people } = platform;
    await access.dashboards.takeOwnership(await as(us.root), { id });
    await grant(us.root, id, [
      toPerson(us.nora, 'VIEWER'),
      toPerson(us.nick, 'VIEWER'),
      toPerson(us.sara, 'OWNER'),
    ]);
    people.users.delete(us.nick.userId);
    expect((await list(us.root, id)).specificTenantUsers.map(({ target }) => target?.name)).toContain('');
    const { id: ofSara } = await platform.createDashboard(us.sara);
    await access.dashboards.takeOwnership(await as(us.root), { id: ofSara });
    const { id: shared } = await platform.createDashboard(us.sara);
    const header = await platform.stores.dashboards.getHeader(us.projectId, shared);
    const borrowed = (await platform.stores.dashboards.getHeader(us.projectId, id)).shares;
    const write = { change: { shares: borrowed }, events: [] };
    await platform.stores.dashboards.changeResource(us.projectId, header, write);
    expect((await list(us.nora, shared)).owner).toBeNull();
  });

  it('is refused to those who may not see the resource', async () => {
    const { id } = await platform.createDashboard(us.ada);
    expect(await refusalCode(() => list(us.otto, id))).toBe('NOT_FOUND');
    expect(await refusalCode(() => list(us.root, id))).toBe('NOT_FOUND');
  });
});

describe('shares of a visual', () => {
  it('work as those of a dashboard', async () => {
    const { id } = await platform.createVisual(us.ada);
    const { message, shares } = await platform.share(us.ada, id, toPerson(us.nora, 'EDITOR'));
    expect(message).toBe('Visual shared successfully');
    expect(shares).toMatchObject([{ resourceId: id, resourceType: 'visual' }]);
    const { access, as } = platform;
    expect((await access.visuals.get(await as(us.nora), { id })).visual.accessLevel).toBe('EDITOR');
    expect((await access.visualShares.list(await as(us.nora), { id })).specificTenantUsers).toHaveLength(1);
    await platform.eventsOf('management.visual_share.granted.v1', id);
    const revoked = await access.visualShares.revoke(await as(us.ada), {
      id,
      shares: [toPerson(us.nora, 'VIEWER')],
    });
    expect(revoked).toMatchObject({
      message: 'Visual access revoked successfully',
      removed: [{ id: shares[0]?.id }],
    });
  });
});

describe('what is shared with a group', () => {
  it('is answered as far as the caller sees it, and to an ADMIN in full', async () => {
    const { people, access, as } = platform;
    const group = people.group(people.newId('grp_team'));
    const member = people.orgUser(people.newId('ou_member'), 'VIEWER', { home: us.home, groups: [group] });
    const toGroup: GrantEntry = { scope: 'group', groupId: group.id, role: 'EDITOR' };
    expect(await access.groups.isUsed(await as(us.ada), { id: group.id })).toEqual({ isUsed: false });
    const dashboard = await platform.createDashboard(us.ada, { title: 'For the team' });
    const visual = await platform.createVisual(us.otto);
    const { shares } = await platform.share(us.ada, dashboard.id, toGroup);
    await platform.share(us.otto, visual.id, toGroup);
    expect(await access.groups.isUsed(await as(us.ada), { id: group.id })).toEqual({ isUsed: true });
    const elsewhere = { ...us.ada, organizationId: 'o_other' };
    expect(await access.groups.isUsed(await as(elsewhere), { id: group.id })).toEqual({ isUsed: false });

    const permissions = async (caller: PersonPrincipal) =>
      (await access.groups.permissions(await as(caller), { id: group.id })).permissions;
    const ofDashboard = {
      shareId: shares[0]?.id,
      resourceType: 'dashboard',
      resourceId: dashboard.id,
      title: 'For the team',
      role: 'EDITOR',
      grantedAt: shares[0]?.createdAt,
      expiresAt: null,
    };
    expect(await permissions(us.root)).toMatchObject([ofDashboard, { resourceId: visual.id }]);
    expect(await permissions(member)).toMatchObject([ofDashboard, { resourceId: visual.id }]);
    expect(await permissions(us.ada)).toEqual([ofDashboard]);
    expect(await permissions(us.vera)).toEqual([]);
    expect(await permissions({ ...us.root, projectId: 'p_other' })).toEqual([]);
    expect(await refusalCode(() => permissions(us.nora))).toBe('NOT_FOUND');
    const absent = async () => access.groups.permissions(await as(us.root), { id: 'grp_absent' });
    expect(await refusalCode(absent)).toBe('NOT_FOUND');
    expect(
      await refusalCode(async () =>
        access.groups.isUsed(await as(serviceIdentity(us.home)), { id: group.id }),
      ),
    ).toBe('FORBIDDEN');
  });
});

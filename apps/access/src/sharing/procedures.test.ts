import { SHARES_MAX, type GrantEntry, type PersonPrincipal, type RevokeEntry } from '@gatehouse/contract';
import { newId } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { createFixture, serviceIdentity, type Fixture } from '../testing/directoryStub.js';
import { LATER, startPlatform, shareWith } from '../testing/platform.js';

const { platform, mongo } = await usePlatform(startPlatform);
let us: Fixture;
beforeEach(() => {
  us = createFixture(platform.directory);
});

const grant = async (caller: PersonPrincipal, id: string, shares: GrantEntry[]) =>
  platform.access.dashboardShares.grant.mutate({ id, shares }, { context: await platform.as(caller) });
const revoke = async (caller: PersonPrincipal, id: string, shares: RevokeEntry[]) =>
  platform.access.dashboardShares.revoke.mutate({ id, shares }, { context: await platform.as(caller) });
const list = async (caller: PersonPrincipal, id: string, query: { scope?: 'organization' } = {}) =>
  platform.access.dashboardShares.list.query({ id, ...query }, { context: await platform.as(caller) });
const levelOf = async (caller: PersonPrincipal, id: string) =>
  (await platform.access.dashboards.get.query({ id }, { context: await platform.as(caller) })).dashboard
    .accessLevel;
const errorCode = async (call: () => Promise<unknown>) => (await platform.rejectionOf(call)).code;

const batch = async (
  caller: PersonPrincipal,
  id: string,
  operation: ({ op: 'create' } & GrantEntry) | ({ op: 'delete' } & RevokeEntry),
) =>
  platform.access.dashboardShares.batch.mutate(
    { id, mode: 'each', operations: [operation] },
    { context: await platform.as(caller) },
  );

/** The response or the error of a call, without the ids that it was given. */
const answerOf = async (call: () => Promise<unknown>): Promise<unknown> =>
  call().catch(async (error: unknown) => (await platform.rejectionOf(() => Promise.reject(error))).toWire());

/** Targets that a user of the north does not see, each with a target of the same kind that does not exist. */
const hiddenTargets = ({ sara, otto, south }: Fixture, groupId: string): [RevokeEntry, RevokeEntry][] => [
  [shareWith(sara, 'VIEWER'), { scope: 'specific_tenant_user', tenantUserId: 'absent' }],
  [shareWith(otto, 'VIEWER'), { scope: 'specific_org_user', orgUserId: 'absent' }],
  [
    { scope: 'all_tenant_users', tenantId: south.id },
    { scope: 'all_tenant_users', tenantId: 'absent' },
  ],
  [
    { scope: 'group', groupId },
    { scope: 'group', groupId: 'grp_absent' },
  ],
];

describe('granting shares', () => {
  it('returns a record for each entry, in order, and publishes one event for all', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { directory } = platform;
    const group = directory.group(directory.newId('grp_team'));
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const entries: GrantEntry[] = [
      { ...shareWith(us.nora, 'EDITOR'), expiresAt },
      { scope: 'all_tenant_users', tenantId: us.south.id, role: 'VIEWER' },
      shareWith(us.otto, 'OWNER'),
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

  it('changes the role of a share, keeps its id, and writes nothing for the same role', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { shares: first } = await grant(us.ada, id, [shareWith(us.nora, 'VIEWER')]);
    const { shares: second } = await grant(us.ada, id, [shareWith(us.nora, 'EDITOR')]);
    expect(second).toEqual([{ ...first[0], role: 'EDITOR' }]);
    const { shares: third } = await grant(us.ada, id, [shareWith(us.nora, 'EDITOR')]);
    expect(third).toEqual(second);
    expect(await platform.eventsOf('management.dashboard_share.granted.v1', id, 2)).toHaveLength(2);
  });

  it('applies all entries or none', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const absent: GrantEntry[] = [
      shareWith(us.nora, 'VIEWER'),
      { scope: 'specific_tenant_user', tenantUserId: 'absent', role: 'VIEWER' },
      { scope: 'group', groupId: 'grp_absent', role: 'VIEWER' },
      { ...shareWith(us.otto, 'VIEWER'), expiresAt: '2020-01-01T00:00:00Z' },
    ];
    const error = await platform.rejectionOf(() => grant(us.ada, id, absent));
    expect(error.code).toBe('INVALID_REQUEST');
    expect(error.fieldErrors?.map(({ field }) => field)).toEqual([
      'shares[1].tenantUserId',
      'shares[2].groupId',
      'shares[3].expiresAt',
    ]);
  });

  it("never exceeds the granter's own access", async () => {
    const { id } = await platform.createDashboard(us.ada);
    await grant(us.ada, id, [shareWith(us.otto, 'CONTRIBUTOR'), shareWith(us.nora, 'EDITOR')]);
    const error = await platform.rejectionOf(() =>
      grant(us.otto, id, [shareWith(us.sara, 'VIEWER'), shareWith(us.nils, 'OWNER')]),
    );
    expect(error).toMatchObject({
      code: 'FORBIDDEN',
      message: 'shares[1]: A share cannot exceed your own access',
    });
    await grant(us.otto, id, [shareWith(us.nils, 'CONTRIBUTOR')]);
    expect(await errorCode(() => grant(us.nora, id, [shareWith(us.nick, 'VIEWER')]))).toBe('FORBIDDEN');
    expect(await errorCode(() => grant(us.sara, id, [shareWith(us.nick, 'VIEWER')]))).toBe('NOT_FOUND');
    expect(await errorCode(() => grant(us.root, id, [shareWith(us.nick, 'VIEWER')]))).toBe('NOT_FOUND');
    expect(
      await errorCode(async () =>
        platform.access.dashboardShares.grant.mutate(
          {
            id,
            shares: [shareWith(us.nick, 'VIEWER')],
          },
          { context: await platform.as(serviceIdentity(us.home)) },
        ),
      ),
    ).toBe('FORBIDDEN');
  });

  it('by a tenant user is limited to its tenant', async () => {
    const { id } = await platform.createDashboard(us.nora);
    const { directory } = platform;
    const own = directory.group(directory.newId('grp_own'), us.north);
    const foreign = directory.group(directory.newId('grp_foreign'), us.south);
    const ofOrganization = directory.group(directory.newId('grp_org'));
    const inside: GrantEntry[] = [
      shareWith(us.nick, 'EDITOR'),
      { scope: 'all_tenant_users', tenantId: us.north.id, role: 'VIEWER' },
      { scope: 'group', groupId: own.id, role: 'VIEWER' },
    ];
    expect((await grant(us.nora, id, inside)).shares).toHaveLength(3);
    const outside: GrantEntry[] = [
      shareWith(us.sara, 'VIEWER'),
      shareWith(us.otto, 'VIEWER'),
      { scope: 'all_tenant_users', tenantId: us.south.id, role: 'VIEWER' },
      { scope: 'group', groupId: foreign.id, role: 'VIEWER' },
      { scope: 'group', groupId: ofOrganization.id, role: 'VIEWER' },
      { scope: 'all_org_users', role: 'VIEWER' },
      { scope: 'org_users_only', role: 'VIEWER' },
      { scope: 'all_tenants_only', role: 'VIEWER' },
    ];
    for (const entry of outside) {
      expect(await errorCode(() => grant(us.nora, id, [entry])), `to ${entry.scope}`).toBe('FORBIDDEN');
    }
  });

  it('by a tenant user does not disclose which targets other tenants and the organization have', async () => {
    const { id } = await platform.createDashboard(us.nora);
    const { directory } = platform;
    const foreign = directory.group(directory.newId('grp_foreign'), us.south);
    const expiresAt = '2020-01-01T00:00:00Z';
    for (const [there, missing] of hiddenTargets(us, foreign.id)) {
      const requests = (target: RevokeEntry): (() => Promise<unknown>)[] => {
        const entry: GrantEntry = { ...target, role: 'VIEWER' };
        const inside = shareWith(us.nick, 'VIEWER');
        return [
          () => grant(us.nora, id, [entry]),
          () => grant(us.nora, id, [inside, entry]),
          () => grant(us.nora, id, [{ ...entry, expiresAt }]),
          () => grant(us.nora, id, [entry, { ...inside, expiresAt }]),
          () => batch(us.nora, id, { op: 'create', ...entry }),
          () => batch(us.nora, id, { op: 'delete', ...target }),
        ];
      };
      const answers = await Promise.all(
        [there, missing].map((target) => Promise.all(requests(target).map(answerOf))),
      );
      expect(answers[1]).toEqual(answers[0]);
    }
  });

  it.each(['again', newId('tenantUser')])(
    'to a user who was created again as %s reaches the new user',
    async (userId) => {
      const { directory } = platform;
      const { id } = await platform.createDashboard(us.ada);
      const first = directory.tenantUser(userId, 'POWER_USER', { home: us.home, tenant: us.north });
      await grant(us.ada, id, [shareWith(first, 'EDITOR')]);
      const second = directory.tenantUser(userId, 'POWER_USER', { home: us.home, tenant: us.north });
      expect(await errorCode(() => levelOf(second, id))).toBe('NOT_FOUND');
      await grant(us.ada, id, [shareWith(second, 'VIEWER')]);
      expect(await levelOf(second, id)).toBe('VIEWER');
      const { removed } = await revoke(us.ada, id, [shareWith(second, 'VIEWER')]);
      expect(removed).toHaveLength(2);
    },
  );

  it('looks up its targets each time, because a target may have been deleted', async () => {
    const { directory } = platform;
    const { id } = await platform.createDashboard(us.ada);
    const before = directory.lookups;
    await grant(us.ada, id, [shareWith(us.otto, 'VIEWER')]);
    await grant(us.ada, id, [shareWith(us.otto, 'EDITOR')]);
    expect(directory.lookups).toBe(before + 2);
  });

  it('batches the lookups of concurrent calls and returns each its own targets', async () => {
    const { directory } = platform;
    const ids = await Promise.all(
      [us.ada, us.ada, us.ada].map(async (ada) => (await platform.createDashboard(ada)).id),
    );
    const before = directory.lookups;
    const targets = [us.otto, us.nora, us.otto];
    const granted = await Promise.all(
      ids.map((id, index) => grant(us.ada, id, [shareWith(targets[index] ?? us.otto, 'VIEWER')])),
    );
    expect(directory.lookups).toBe(before + 1);
    const reached = granted.map(({ shares }) => shares.map((share) => share.orgUserId ?? share.tenantUserId));
    expect(reached).toEqual(targets.map(({ userId }) => [userId]));
  });

  it('suggests a group if a resource has too many shares', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { directory, stores } = platform;
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
    const error = await platform.rejectionOf(() => grant(us.ada, id, [shareWith(us.otto, 'VIEWER')]));
    expect(error.code).toBe('INVALID_REQUEST');
    expect(error.fieldErrors?.[0]?.message).toContain('group');
    const part = await list(us.ada, id);
    expect(part.specificOrgUsers).toHaveLength(1000);
    expect(part.nextCursor).toBeDefined();
    expect(directory.lookups).toBeGreaterThan(0);
    const entry: RevokeEntry = { scope: 'specific_org_user', orgUserId: 'ou_many7' };
    expect((await revoke(us.ada, id, [entry])).removed).toMatchObject([{ id: 'sh_7' }]);
    expect(await grant(us.ada, id, [shareWith(us.otto, 'VIEWER')])).toMatchObject({
      shares: [{ role: 'VIEWER' }],
    });
  });

  it('loses no share of concurrent callers', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { directory } = platform;
    const others = Array.from({ length: 20 }, () =>
      directory.orgUser(directory.newId('ou_other'), 'AUTHOR', { home: us.home }),
    );
    await using second = await startPlatform(mongo.databases);
    for (const [userId, user] of directory.users) second.directory.users.set(userId, user);
    const origins = [await platform.as(us.ada), await second.as(us.ada)] as const;
    const grants = others.map((other, index) => {
      const shares = [shareWith(other, 'VIEWER')];
      return index % 2 === 0
        ? platform.access.dashboardShares.grant.mutate({ id, shares }, { context: origins[0] })
        : second.access.dashboardShares.grant.mutate({ id, shares }, { context: origins[1] });
    });
    await Promise.all(grants);
    expect((await list(us.ada, id)).specificOrgUsers).toHaveLength(others.length);
  });
});

describe('an expired share', () => {
  it('grants nothing in any response, before it is swept', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const expiresAt = LATER;
    await grant(us.ada, id, [{ ...shareWith(us.nora, 'EDITOR'), expiresAt }]);
    const { access, as } = platform;
    expect(await levelOf(us.nora, id)).toBe('EDITOR');
    expect((await list(us.ada, id)).specificTenantUsers).toMatchObject([{ expiresAt }]);
    await platform.expireShares(us.projectId, id);
    expect(await errorCode(() => levelOf(us.nora, id))).toBe('NOT_FOUND');
    expect((await list(us.ada, id)).specificTenantUsers).toEqual([]);
    const listed = await access.dashboards.list.query({ includeTotal: true }, { context: await as(us.nora) });
    expect(listed).toEqual({ dashboards: [], nextCursor: null, total: 0 });
    expect(
      await errorCode(async () =>
        access.dashboards.update.mutate({ id, title: 'x' }, { context: await as(us.nora) }),
      ),
    ).toBe('NOT_FOUND');
  });
});

describe('revoking shares', () => {
  it('matches scope and target, ignores the role, and revokes access', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { shares } = await grant(us.ada, id, [
      shareWith(us.nora, 'EDITOR'),
      { scope: 'all_org_users', role: 'VIEWER' },
    ]);
    const response = await revoke(us.ada, id, [
      shareWith(us.nora, 'VIEWER'),
      shareWith(us.nils, 'VIEWER'),
      { scope: 'org_users_only' },
    ]);
    expect(response).toEqual({ message: 'Dashboard access revoked successfully', removed: [shares[0]] });
    expect(await errorCode(() => levelOf(us.nora, id))).toBe('NOT_FOUND');
    expect(await levelOf(us.vera, id)).toBe('VIEWER');
    const [event] = await platform.eventsOf('management.dashboard_share.revoked.v1', id);
    expect(event?.data['shares']).toHaveLength(1);
  });

  it('works for a deleted target', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await grant(us.ada, id, [shareWith(us.nora, 'EDITOR')]);
    platform.directory.users.delete(us.nora.userId);
    expect((await revoke(us.ada, id, [shareWith(us.nora, 'VIEWER')])).removed).toHaveLength(1);
    expect((await revoke(us.ada, id, [shareWith(us.nora, 'VIEWER')])).removed).toEqual([]);
  });

  it("is denied below CONTRIBUTOR and above the caller's own access", async () => {
    const { id } = await platform.createDashboard(us.ada);
    const shares = [
      shareWith(us.otto, 'CONTRIBUTOR'),
      shareWith(us.nora, 'OWNER'),
      shareWith(us.nils, 'EDITOR'),
    ];
    await grant(us.ada, id, shares);
    expect(await errorCode(() => revoke(us.nils, id, [shareWith(us.nick, 'VIEWER')]))).toBe('FORBIDDEN');
    expect(
      await errorCode(() =>
        revoke(us.otto, id, [shareWith(us.nils, 'VIEWER'), shareWith(us.nora, 'VIEWER')]),
      ),
    ).toBe('FORBIDDEN');
    expect((await revoke(us.otto, id, [shareWith(us.nils, 'VIEWER')])).removed).toHaveLength(1);
  });

  it('by a tenant user is denied outside its tenant, with or without a share', async () => {
    const { id } = await platform.createDashboard(us.ada);
    await grant(us.ada, id, [
      shareWith(us.nora, 'OWNER'),
      shareWith(us.sara, 'VIEWER'),
      { scope: 'all_org_users', role: 'VIEWER' },
    ]);
    const outside: RevokeEntry[] = [
      shareWith(us.sara, 'VIEWER'),
      shareWith(us.otto, 'VIEWER'),
      { scope: 'all_org_users' },
      { scope: 'org_users_only' },
      { scope: 'all_tenant_users', tenantId: us.south.id },
    ];
    const wires = [];
    for (const entry of outside) {
      const error = await platform.rejectionOf(() => revoke(us.nora, id, [entry]));
      expect(error.code).toBe('FORBIDDEN');
      wires.push(error.toWire());
    }
    expect(new Set(wires.map((wire) => JSON.stringify(wire))).size).toBe(1);
    expect((await revoke(us.nora, id, [shareWith(us.nick, 'VIEWER')])).removed).toEqual([]);
  });

  it('by a tenant user does not disclose which targets and shares exist outside its tenant', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { directory } = platform;
    const foreign = directory.group(directory.newId('grp_foreign'), us.south);
    const tooHigh = shareWith(us.nils, 'OWNER');
    await grant(us.ada, id, [
      shareWith(us.nora, 'CONTRIBUTOR'),
      tooHigh,
      ...hiddenTargets(us, foreign.id).map(([there]): GrantEntry => ({ ...there, role: 'VIEWER' })),
    ]);
    const unshared = { scope: 'specific_org_user', orgUserId: us.vera.userId } as const;
    for (const [there, missing] of hiddenTargets(us, foreign.id)) {
      const answers = await Promise.all(
        [there, missing, unshared].map((target) =>
          Promise.all([
            answerOf(() => revoke(us.nora, id, [target])),
            answerOf(() => revoke(us.nora, id, [target, tooHigh])),
            answerOf(() => revoke(us.nora, id, [tooHigh, target])),
          ]),
        ),
      );
      expect(answers[1]).toEqual(answers[0]);
      expect(answers[2]).toEqual(answers[0]);
    }
    const deleted = shareWith(us.nick, 'VIEWER');
    await grant(us.ada, id, [deleted]);
    directory.users.delete(us.nick.userId);
    expect((await revoke(us.nora, id, [deleted])).removed).toHaveLength(1);
  });
});

describe('the list of shares', () => {
  it('groups shares by scope with their targets, and names the owner', async () => {
    const { id } = await platform.createDashboard(us.ada);
    const { directory } = platform;
    const group = directory.group(directory.newId('grp_team'));
    await grant(us.ada, id, [
      shareWith(us.nora, 'CONTRIBUTOR'),
      shareWith(us.sara, 'VIEWER'),
      shareWith(us.vera, 'VIEWER'),
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

  it('hides an owner of another tenant, and the names of deleted targets', async () => {
    const { id } = await platform.createDashboard(us.sara);
    const { access, as, directory } = platform;
    await access.dashboards.takeOwnership.mutate({ id }, { context: await as(us.root) });
    await grant(us.root, id, [
      shareWith(us.nora, 'VIEWER'),
      shareWith(us.nick, 'VIEWER'),
      shareWith(us.sara, 'OWNER'),
    ]);
    directory.users.delete(us.nick.userId);
    expect((await list(us.root, id)).specificTenantUsers.map(({ target }) => target?.name)).toContain('');
    const { id: ofSara } = await platform.createDashboard(us.sara);
    await access.dashboards.takeOwnership.mutate({ id: ofSara }, { context: await as(us.root) });
    const { id: shared } = await platform.createDashboard(us.sara);
    const header = await platform.stores.dashboards.getHeader(us.projectId, shared);
    const borrowed = (await platform.stores.dashboards.getHeader(us.projectId, id)).shares;
    const write = { change: { shares: borrowed }, events: [] };
    await platform.stores.dashboards.changeResource(us.projectId, header, write);
    expect((await list(us.nora, shared)).owner).toBeNull();
  });

  it('returns NOT_FOUND for a caller without access to the resource', async () => {
    const { id } = await platform.createDashboard(us.ada);
    expect(await errorCode(() => list(us.otto, id))).toBe('NOT_FOUND');
    expect(await errorCode(() => list(us.root, id))).toBe('NOT_FOUND');
  });

  describe('for an ADMIN with scope=organization', () => {
    const scope = 'organization';

    it('contains all shares of a dashboard without access for the ADMIN, without the granters', async () => {
      const { id } = await platform.createDashboard(us.ada);
      await grant(us.ada, id, [
        shareWith(us.nora, 'EDITOR'),
        { ...shareWith(us.sara, 'VIEWER'), expiresAt: LATER },
        { scope: 'all_tenants_only', role: 'VIEWER' },
      ]);
      const { grantedBy: _grantedBy, ...first } = (await list(us.ada, id)).specificTenantUsers[0] ?? {};
      const seen = await list(us.root, id, { scope });
      expect(seen.owner?.id).toBe(us.ada.userId);
      expect(seen.specificTenantUsers[0]).toEqual(first);
      expect(seen.specificTenantUsers.map(({ target }) => target?.id)).toEqual([
        us.nora.userId,
        us.sara.userId,
      ]);
      expect(seen.allTenantsOnly).toHaveLength(1);
      expect(await errorCode(() => list(us.root, id))).toBe('NOT_FOUND');
      expect(await errorCode(() => levelOf(us.root, id))).toBe('NOT_FOUND');
      await platform.expireShares(us.projectId, id);
      expect((await list(us.root, id, { scope })).specificTenantUsers).toHaveLength(1);
    });

    it('is the same as without it for a dashboard that the ADMIN may share', async () => {
      const { id } = await platform.createDashboard(us.root);
      await grant(us.root, id, [shareWith(us.nora, 'EDITOR')]);
      expect(await list(us.root, id, { scope })).toEqual(await list(us.root, id));
    });

    it('is denied to all others in the same way, for every dashboard', async () => {
      const { id } = await platform.createDashboard(us.ada, { isPrivate: false });
      await grant(us.ada, id, [shareWith(us.nora, 'CONTRIBUTOR')]);
      const others = [
        us.ada,
        us.vera,
        us.nora,
        us.nick,
        { ...us.root, tokenType: 'dashboard' as const, dashboardId: id },
      ];
      for (const caller of others)
        for (const asked of [id, 'd_absent'])
          expect(await errorCode(() => list(caller, asked, { scope }))).toBe('FORBIDDEN');
    });

    it('finds no dashboard of another project or organization', async () => {
      const { id } = await platform.createDashboard(us.ada);
      const { id: elsewhere } = await platform.createDashboard({ ...us.ada, projectId: 'p_other' });
      const stranger = { ...us.root, projectId: 'p_foreign', organizationId: 'org_foreign' };
      for (const [caller, asked] of [
        [us.root, elsewhere],
        [us.root, 'd_absent'],
        [stranger, id],
      ] as const)
        expect(await errorCode(() => list(caller, asked, { scope }))).toBe('NOT_FOUND');
    });
  });
});

describe('shares of a visual', () => {
  it('work like those of a dashboard', async () => {
    const { id } = await platform.createVisual(us.ada);
    const { message, shares } = await platform.share(us.ada, id, shareWith(us.nora, 'EDITOR'));
    expect(message).toBe('Visual shared successfully');
    expect(shares).toMatchObject([{ resourceId: id, resourceType: 'visual' }]);
    const { access, as } = platform;
    expect((await access.visuals.get.query({ id }, { context: await as(us.nora) })).visual.accessLevel).toBe(
      'EDITOR',
    );
    expect(
      (await access.visualShares.list.query({ id }, { context: await as(us.nora) })).specificTenantUsers,
    ).toHaveLength(1);
    await platform.eventsOf('management.visual_share.granted.v1', id);
    const revoked = await access.visualShares.revoke.mutate(
      {
        id,
        shares: [shareWith(us.nora, 'VIEWER')],
      },
      { context: await as(us.ada) },
    );
    expect(revoked).toMatchObject({
      message: 'Visual access revoked successfully',
      removed: [{ id: shares[0]?.id }],
    });
  });
});

describe('the permissions of a group', () => {
  it('contain the resources that the caller may see, and all of them for an ADMIN', async () => {
    const { directory, access, as } = platform;
    const group = directory.group(directory.newId('grp_team'));
    const member = directory.orgUser(directory.newId('ou_member'), 'VIEWER', {
      home: us.home,
      groups: [group],
    });
    const toGroup: GrantEntry = { scope: 'group', groupId: group.id, role: 'EDITOR' };
    expect(await access.groups.isUsed.query({ id: group.id }, { context: await as(us.ada) })).toEqual({
      isUsed: false,
    });
    const dashboard = await platform.createDashboard(us.ada, { title: 'For the team' });
    const visual = await platform.createVisual(us.otto);
    const { shares } = await platform.share(us.ada, dashboard.id, toGroup);
    await platform.share(us.otto, visual.id, toGroup);
    expect(await access.groups.isUsed.query({ id: group.id }, { context: await as(us.ada) })).toEqual({
      isUsed: true,
    });
    const elsewhere = { ...us.ada, organizationId: 'o_other' };
    expect(await access.groups.isUsed.query({ id: group.id }, { context: await as(elsewhere) })).toEqual({
      isUsed: false,
    });

    const permissions = async (caller: PersonPrincipal) =>
      (await access.groups.permissions.query({ id: group.id }, { context: await as(caller) })).permissions;
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
    expect(await errorCode(() => permissions(us.nora))).toBe('NOT_FOUND');
    const absent = async () =>
      access.groups.permissions.query({ id: 'grp_absent' }, { context: await as(us.root) });
    expect(await errorCode(absent)).toBe('NOT_FOUND');
    expect(
      await errorCode(async () =>
        access.groups.isUsed.query({ id: group.id }, { context: await as(serviceIdentity(us.home)) }),
      ),
    ).toBe('FORBIDDEN');
  });
});

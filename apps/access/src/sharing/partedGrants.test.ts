import { ACCESS_LEVELS, type GrantEntry, type PersonPrincipal } from '@gatehouse/contract';
import { findAppError } from '@gatehouse/service';
import { usePlatform } from '@gatehouse/testing/platform';
import { expect, it } from 'vitest';
import { createFixture, type Fixture } from '../testing/directoryStub.js';
import { shareWith, startPlatform } from '../testing/platform.js';
import type { Share } from './logic/grants.js';

const { platform } = await usePlatform(startPlatform);

/** More than the document of a resource holds. */
const OTHERS = 230;

/** Adds shares of other users, before and after every other share in the order of the parts. */
async function addOthers({ projectId, ada }: Fixture, id: string): Promise<void> {
  const store = platform.stores.dashboards;
  const header = await store.getHeader(projectId, id);
  const others = Array.from({ length: OTHERS }, (_, index): Share => {
    const name = `${index % 2 === 0 ? '0' : 'z'}other${index}`;
    const scope = index % 4 < 2 ? 'specific_org_user' : 'specific_tenant_user';
    const target = { scope, subject: `u:${name}`, targetId: name, tenantKey: null } as const;
    const state = { role: 'VIEWER', expiresAt: null, createdAt: new Date(), createdBy: ada.userId } as const;
    return { id: `sh_${name}`, ...target, ...state };
  });
  await store.changeResource(projectId, header, {
    change: { shares: [...header.shares, ...others] },
    events: [],
  });
}

type Role = GrantEntry['role'];
/** How a granter gets its level, by the name of the way. */
const WAYS: Record<string, (us: Fixture, role: Role) => [PersonPrincipal, GrantEntry]> = {
  'an own share of an org user': (us, role) => [us.otto, shareWith(us.otto, role)],
  'an own share of a tenant user': (us, role) => [us.nora, shareWith(us.nora, role)],
  'a share with the tenant': (us, role) => [
    us.nora,
    { scope: 'all_tenant_users', tenantId: us.north.id, role },
  ],
  'a share with all tenants': (us, role) => [us.nora, { scope: 'all_tenants_only', role }],
  'a share with the organization': (us, role) => [us.otto, { scope: 'all_org_users', role }],
};

it.each(Object.keys(WAYS))(
  'a granter by %s may do with very many shares what it may with few',
  async (way) => {
    for (const role of ACCESS_LEVELS.filter((level) => level !== 'OWNER') as Role[]) {
      const us = createFixture(platform.directory);
      const outcomes: unknown[] = [];
      for (const isParted of [false, true]) {
        const { id } = await platform.createDashboard(us.ada);
        const [granter, own] = WAYS[way]?.(us, role) ?? [us.otto, shareWith(us.otto, role)];
        await platform.share(us.ada, id, own, shareWith(us.nick, 'EDITOR'));
        if (isParted) await addOthers(us, id);
        const context = await platform.as(granter);
        const { dashboardShares } = platform.access;
        const outcomeOf = (call: Promise<unknown>) =>
          call.then(
            () => 'done',
            (error: unknown) => findAppError(error)?.code,
          );
        const grant = (to: PersonPrincipal, level: Role) =>
          outcomeOf(dashboardShares.grant.mutate({ id, shares: [shareWith(to, level)] }, { context }));
        const revoke = (from: PersonPrincipal) => {
          const { role: _role, ...entry } = shareWith(from, 'VIEWER');
          return outcomeOf(dashboardShares.revoke.mutate({ id, shares: [entry] }, { context }));
        };
        const steps = [
          await grant(us.nils, 'VIEWER'),
          await grant(us.nils, 'EDITOR'),
          await grant(us.nils, 'CONTRIBUTOR'),
          await grant(us.sara, 'VIEWER'),
          await revoke(us.nick),
          await revoke(us.sara),
        ];
        const { shares } = await platform.stores.dashboards.getHeader(us.projectId, id);
        const named = shares.filter(({ subject }) => !subject.includes('other'));
        const left = named.map(({ scope, targetId, role: level }) => `${scope} ${targetId} ${level}`);
        outcomes.push([steps, left.toSorted()]);
      }
      expect(outcomes[1]).toEqual(outcomes[0]);
      expect(JSON.stringify(outcomes[0])).toContain(role === 'CONTRIBUTOR' ? 'done' : 'FORBIDDEN');
    }
  },
);

it('very many shares are listed in the order of their grants', async () => {
  const us = createFixture(platform.directory);
  const { id } = await platform.createDashboard(us.ada);
  await addOthers(us, id);
  const later = [us.sara, us.nora, us.nils, us.nick];
  for (const user of later) {
    await platform.share(us.ada, id, shareWith(user, 'VIEWER'));
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  const context = await platform.as(us.ada);
  const query = { id, limit: 1000 };
  const { specificTenantUsers } = await platform.access.dashboardShares.list.query(query, { context });
  const listed = specificTenantUsers.slice(-later.length).map(({ target }) => target?.id);
  expect(listed).toEqual(later.map(({ userId }) => userId));
});

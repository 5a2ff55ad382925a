import { ACCESS_LEVELS, type AccessLevel, type ShareList } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { succeeded } from '../api.js';
import { addOrgUser, addTenantUser } from '../people.js';
import { createResource, kinds, listedIds, pathOf, seenAs, shareResource } from '../resourceKinds.js';
import { targetsOf, VIEWERS, type ScopeWorld, type TargetName } from '../scopeWorld.js';
import type { Form } from '../servers.js';
import { rowsOf } from '../turns.js';

/** The scopes and their reach: 1 sees the resource, 0 gets 404. */
type Row = readonly [number, number, number, number, number, number, number, number];
const REACH: Record<TargetName, Row> = {
  // the tenant user, its colleague, a user of another tenant, the org user, another org user, then an org
  // user and a user of another tenant in the ORG_GROUP, and a user of the tenant in the TENANT_GROUP
  specific_tenant_user: [1, 0, 0, 0, 0, 0, 0, 0],
  all_tenant_users: [1, 1, 0, 0, 0, 0, 0, 1],
  specific_org_user: [0, 0, 0, 1, 0, 0, 0, 0],
  all_org_users: [0, 0, 0, 1, 1, 1, 0, 0],
  org_users_only: [0, 0, 0, 1, 1, 1, 0, 0],
  all_tenants_only: [1, 1, 1, 0, 0, 0, 1, 1],
  'group (ORG_GROUP)': [0, 0, 0, 0, 0, 1, 1, 0],
  'group (TENANT_GROUP)': [0, 0, 0, 0, 0, 0, 0, 1],
};

/** Where the list of shares shows each scope. */
const LISTED_UNDER: Record<TargetName, Exclude<keyof ShareList, 'owner'>> = {
  specific_tenant_user: 'specificTenantUsers',
  all_tenant_users: 'tenantWide',
  specific_org_user: 'specificOrgUsers',
  all_org_users: 'orgWide',
  org_users_only: 'orgUsersOnly',
  all_tenants_only: 'allTenantsOnly',
  'group (ORG_GROUP)': 'specificGroups',
  'group (TENANT_GROUP)': 'specificGroups',
};

/** The ceilings: what a grant of VIEWER, EDITOR, CONTRIBUTOR and OWNER comes to. */
const CEILINGS = {
  'tenant VIEWER': ['VIEWER', 'VIEWER', 'VIEWER', 'VIEWER'],
  'tenant POWER_USER': ['VIEWER', 'EDITOR', 'CONTRIBUTOR', 'OWNER'],
  'org VIEWER': ['VIEWER', 'VIEWER', 'VIEWER', 'VIEWER'],
  'org AUTHOR': ['VIEWER', 'EDITOR', 'CONTRIBUTOR', 'OWNER'],
  'org ADMIN': ['VIEWER', 'EDITOR', 'CONTRIBUTOR', 'OWNER'],
} as const;
type RoleName = keyof typeof CEILINGS;

const rows = kinds.flatMap((kind) =>
  (Object.keys(REACH) as TargetName[]).flatMap((target) =>
    ACCESS_LEVELS.map((role) => ({ kind, type: kind.type, target, role })),
  ),
);

async function addUserOf(roleName: RoleName, { api, tenantId }: ScopeWorld) {
  switch (roleName) {
    case 'tenant VIEWER':
      return addTenantUser(api, tenantId, 'VIEWER');
    case 'tenant POWER_USER':
      return addTenantUser(api, tenantId, 'POWER_USER');
    case 'org VIEWER':
      return addOrgUser(api, 'VIEWER');
    case 'org AUTHOR':
      return addOrgUser(api, 'AUTHOR');
    case 'org ADMIN':
      return addOrgUser(api, 'ADMIN');
  }
}

/** Whom each scope reaches, and at which level. */
export function describeReach(form: Form, findWorld: () => ScopeWorld): void {
  it.each(rowsOf(form, rows))(
    'a $type shared to $target as $role is seen by just those',
    async ({ kind, target, role }) => {
      const world = findWorld();
      const { owner, viewers } = world;
      const { id } = await createResource(kind, owner);
      const share = { ...targetsOf(world)[target], role };
      await shareResource(kind, id, { by: owner, shares: [share] });
      const reached = (level: AccessLevel) => REACH[target].map((sees) => (sees ? level : '404'));

      const seen = await Promise.all(VIEWERS.map((name) => seenAs(kind, id, viewers[name].session)));
      expect(seen).toEqual(reached(role));
      const lists = await Promise.all(VIEWERS.map((name) => listedIds(kind, viewers[name].session)));
      expect(lists.map((ids) => (ids.includes(id) ? role : '404'))).toEqual(reached(role));

      await owner.delete(pathOf(kind, id, '/share'), { shares: [share] });
      const left = await Promise.all(VIEWERS.map((name) => seenAs(kind, id, viewers[name].session)));
      expect(left).toEqual(VIEWERS.map(() => '404'));
    },
  );

  it.each(
    rowsOf(
      form,
      rows.filter(({ role }) => role === 'EDITOR'),
    ),
  )('a share of a $type to $target is listed with its target', async ({ kind, target, role }) => {
    const world = findWorld();
    const { id } = await createResource(kind, world.owner);
    const share = { ...targetsOf(world)[target], role };
    const [granted] = await shareResource(kind, id, { by: world.owner, shares: [share] });
    expect(granted).toMatchObject({ ...share, resourceId: id, resourceType: kind.type, expiresAt: null });

    const {
      owner,
      nextCursor: _,
      ...lists
    } = succeeded(await world.owner.get<ShareList>(pathOf(kind, id, '/shares')));
    const [, targetId = null] = Object.values(targetsOf(world)[target]);
    const listed = Object.entries(lists).filter(([, entries]) => entries.length > 0);
    expect(listed).toEqual([[LISTED_UNDER[target], [expect.objectContaining({ id: granted?.id, role })]]]);
    expect(listed[0]?.[1][0]?.target?.id ?? null).toBe(targetId);
    expect(owner?.type).toBe('organization');
  });

  describe.each(kinds)('on a $type', (kind) => {
    it('a tenant user sees the shares of its tenant, and their granters from CONTRIBUTOR up', async () => {
      const world = findWorld();
      const { owner, viewers } = world;
      const { id } = await createResource(kind, owner);
      const readers = [
        { scope: 'specific_tenant_user', tenantUserId: viewers['tenant user'].id, role: 'EDITOR' },
        { scope: 'specific_tenant_user', tenantUserId: viewers.colleague.id, role: 'CONTRIBUTOR' },
        { scope: 'specific_tenant_user', tenantUserId: viewers['other tenant'].id, role: 'EDITOR' },
      ];
      const all = [
        ...readers,
        ...Object.values(targetsOf(world))
          .slice(1)
          .map((target) => ({ ...target, role: 'VIEWER' })),
      ];
      await shareResource(kind, id, { by: owner, shares: all });
      const shownTo = async (name: 'tenant user' | 'colleague' | 'org user' | 'other tenant') => {
        const path = pathOf(kind, id, '/shares');
        const {
          owner: _,
          nextCursor: __,
          ...lists
        } = succeeded(await viewers[name].session.get<ShareList>(path));
        return Object.values(lists).flat();
      };
      expect(await shownTo('org user')).toHaveLength(all.length);
      const own = await shownTo('tenant user');
      const targets = [viewers['tenant user'].id, viewers.colleague.id, world.tenantId, world.tenantGroupId];
      expect(own.map(({ target }) => target?.id ?? '').toSorted()).toEqual(targets.toSorted());
      expect(own.filter((entry) => 'grantedBy' in entry)).toEqual([]);
      const toContributor = await shownTo('colleague');
      expect(toContributor).toEqual(
        own.map((entry) => ({ ...entry, grantedBy: expect.stringMatching(/^ou_/) as unknown })),
      );
      expect((await shownTo('other tenant')).map(({ target }) => target?.id)).toEqual([
        viewers['other tenant'].id,
      ]);
    });

    it.each(Object.keys(CEILINGS) as RoleName[])(
      'a grant to a %s is capped by its role',
      async (roleName) => {
        const world = findWorld();
        const { id: userId, session } = await addUserOf(roleName, world);
        const target = roleName.startsWith('tenant')
          ? { scope: 'specific_tenant_user', tenantUserId: userId }
          : { scope: 'specific_org_user', orgUserId: userId };
        const levels = ACCESS_LEVELS.map(async (role) => {
          const { id } = await createResource(kind, world.owner);
          await shareResource(kind, id, { by: world.owner, shares: [{ ...target, role }] });
          return seenAs(kind, id, session);
        });
        expect(await Promise.all(levels)).toEqual(CEILINGS[roleName]);
      },
    );
  });
}

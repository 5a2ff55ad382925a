import { ACCESS_LEVELS, SHARES_MAX, type AccessLevel, type ShareScope } from '@gatehouse/contract';
import { beforeAll, describe, expect, it } from 'vitest';
import { succeeded, type Answer } from '../api.js';
import type { ObservedServer } from '../observedServer.js';
import type { StoredBytes } from '@gatehouse/testing';
import { createResource, kinds, pathOf, shareResource, type Kind, type Resource } from '../resourceKinds.js';
import { kindOf, type ScopeWorld } from '../scopeWorld.js';

/** The field that each scope requires; it goes with no other. */
const REQUIRED = {
  specific_tenant_user: 'tenantUserId',
  all_tenant_users: 'tenantId',
  specific_org_user: 'orgUserId',
  all_org_users: null,
  org_users_only: null,
  all_tenants_only: null,
  group: 'groupId',
} as const satisfies Record<ShareScope, string | null>;
const TARGET_FIELDS = ['tenantUserId', 'tenantId', 'orgUserId', 'groupId'] as const;
type TargetField = (typeof TARGET_FIELDS)[number];

const idsOf = ({ viewers, tenantId, orgGroupId }: ScopeWorld): Record<TargetField, string> => ({
  tenantUserId: viewers['tenant user'].id,
  tenantId,
  orgUserId: viewers['org user'].id,
  groupId: orgGroupId,
});

const scopes = Object.keys(REQUIRED) as ShareScope[];
const required = scopes.flatMap((scope) => (REQUIRED[scope] ? [{ scope, field: REQUIRED[scope] }] : []));
const foreign = scopes.flatMap((scope) =>
  TARGET_FIELDS.filter((field) => field !== REQUIRED[scope]).map((field) => ({ scope, field })),
);

function faultsOf({ status, body }: Answer) {
  const fieldErrors = (body['fieldErrors'] ?? []) as { field: string }[];
  return { status, code: body['code'], fields: fieldErrors.map(({ field }) => field) };
}
const faulty = (...fields: string[]) => ({ status: 400, code: 'INVALID_REQUEST', fields });

/** Entries that no share can be made of: each is refused by name, and nothing is written. */
export function describeFaultyEntries(find: () => { world: ScopeWorld; observed: ObservedServer }): void {
  /** What the entries are sent to, by kind. */
  let resources: Record<Kind['type'], Resource>;
  let settled: StoredBytes;
  beforeAll(async () => {
    const { world, observed } = find();
    const made = kinds.map(async (kind) => [kind.type, await createResource(kind, world.owner)]);
    resources = Object.fromEntries(await Promise.all(made)) as typeof resources;
    settled = await observed.readSettled();
  });

  const send = (type: Kind['type'], method: 'POST' | 'DELETE', shares: unknown) => {
    const path = pathOf(kindOf(type), resources[type].id, '/share');
    return find().world.owner.send<Record<string, unknown>>(method, path, { body: { shares } });
  };
  /** What became of a request, and of the databases. */
  const outcomeOf = async (sent: Promise<Answer>) => {
    return { ...faultsOf(await sent), changes: await find().observed.findChanges(settled) };
  };
  const refused = (...fields: string[]) => ({ ...faulty(...fields), changes: [] });

  describe.each(['dashboard', 'visual'] as const)('on a %s', (type) => {
    it.each(required)('$scope without $field', async ({ scope, field }) => {
      expect(await outcomeOf(send(type, 'POST', [{ scope, role: 'VIEWER' }]))).toEqual(
        refused(`shares[0].${field}`),
      );
      expect(await outcomeOf(send(type, 'DELETE', [{ scope }]))).toEqual(refused(`shares[0].${field}`));
    });

    it.each(foreign)('$scope with $field', async ({ scope, field }) => {
      const ids = idsOf(find().world);
      const own = REQUIRED[scope];
      const entry = { scope, [field]: ids[field], ...(own ? { [own]: ids[own] } : {}) };
      expect(await outcomeOf(send(type, 'POST', [{ ...entry, role: 'VIEWER' }]))).toEqual(
        refused(`shares[0].${field}`),
      );
      expect(await outcomeOf(send(type, 'DELETE', [entry]))).toEqual(refused(`shares[0].${field}`));
    });

    it.each(required)(
      '$scope with a $field that names nothing, or something else',
      async ({ scope, field }) => {
        const others = Object.entries(idsOf(find().world)).filter(([name]) => name !== field);
        for (const id of ['none', ...others.map(([, other]) => other)]) {
          const entries = [
            { scope: 'all_org_users', role: 'VIEWER' },
            { scope, [field]: id, role: 'VIEWER' },
          ];
          expect(await outcomeOf(send(type, 'POST', entries))).toEqual(refused(`shares[1].${field}`));
        }
      },
    );

    it.each([
      ['no entry', [], 'shares'],
      [
        '501 entries',
        Array.from({ length: 501 }, () => ({ scope: 'all_org_users', role: 'VIEWER' })),
        'shares',
      ],
      ['an unknown scope', [{ scope: 'everybody', role: 'VIEWER' }], 'shares[0].scope'],
      ['an unknown role', [{ scope: 'all_org_users', role: 'ADMIN' }], 'shares[0].role'],
      ['no role', [{ scope: 'all_org_users' }], 'shares[0].role'],
      ['an unknown field', [{ scope: 'all_org_users', role: 'VIEWER', level: 1 }], 'shares[0].level'],
      [
        'an expiry that is no time',
        [{ scope: 'all_org_users', role: 'VIEWER', expiresAt: 'soon' }],
        'shares[0].expiresAt',
      ],
      [
        'an expiry in the past',
        [{ scope: 'all_org_users', role: 'VIEWER', expiresAt: '2020-01-01T00:00:00Z' }],
        'shares[0].expiresAt',
      ],
    ])('%s', async (_, shares, field) => {
      expect(await outcomeOf(send(type, 'POST', shares))).toEqual(refused(field));
    });
  });
}

/** The levels that a user of each level may grant: VIEWER, EDITOR, CONTRIBUTOR and OWNER. */
const GRANTABLE: Record<AccessLevel, readonly number[]> = {
  VIEWER: [403, 403, 403, 403],
  EDITOR: [403, 403, 403, 403],
  CONTRIBUTOR: [200, 200, 200, 403],
  OWNER: [200, 200, 200, 200],
};

/** Who may share with whom, and up to which level. */
export function describeAuthority(find: () => { world: ScopeWorld; observed: ObservedServer }): void {
  /** Sends requests one after the other; gives the distinct answers, and what any of them has written. */
  const tryAll = async (...requests: (() => Promise<Answer<unknown>>)[]) => {
    const { observed } = find();
    const before = await observed.readSettled();
    const answers = new Set<string>();
    for (const send of requests) {
      const { status, body } = await send();
      answers.add(`${status} ${(body as { code: string }).code}`);
    }
    return { answers: [...answers], changes: await observed.findChanges(before) };
  };
  const forbidden = { answers: ['403 FORBIDDEN'], changes: [] };

  describe.each(kinds)('on a $type', (kind) => {
    it.each(ACCESS_LEVELS)('a holder of %s grants at most that level', async (level) => {
      const { world, observed } = find();
      const { owner, viewers } = world;
      const { id } = await createResource(kind, owner);
      const { id: orgUserId, session } = viewers['org user'];
      const own = [{ scope: 'specific_org_user', orgUserId, role: level }];
      await shareResource(kind, id, { by: owner, shares: own });
      const before = await observed.readSettled();
      const grant = (role: AccessLevel) => {
        const shares = [{ scope: 'specific_org_user', orgUserId: viewers['other org user'].id, role }];
        return session.post(pathOf(kind, id, '/share'), { shares });
      };
      const refused = ACCESS_LEVELS.filter((_, index) => GRANTABLE[level][index] === 403);
      const statuses = await Promise.all(refused.map(async (role) => (await grant(role)).status));
      expect(statuses).toEqual(refused.map(() => 403));
      expect(await observed.findChanges(before)).toEqual([]);
      for (const role of ACCESS_LEVELS.filter((_, index) => GRANTABLE[level][index] === 200))
        expect((await grant(role)).status).toBe(200);
    });

    it('a CONTRIBUTOR neither lowers nor revokes the share of an OWNER', async () => {
      const { owner, viewers } = find().world;
      const { id } = await createResource(kind, owner);
      const contributor = {
        scope: 'specific_org_user',
        orgUserId: viewers['org user'].id,
        role: 'CONTRIBUTOR',
      };
      const ownerShare = {
        scope: 'specific_org_user',
        orgUserId: viewers['other org user'].id,
        role: 'OWNER',
      };
      await shareResource(kind, id, { by: owner, shares: [contributor, ownerShare] });
      const { session } = viewers['org user'];
      const path = pathOf(kind, id, '/share');
      const tried = await tryAll(
        () => session.post(path, { shares: [{ ...ownerShare, role: 'VIEWER' }] }),
        () => session.delete(path, { shares: [ownerShare] }),
      );
      expect(tried).toEqual(forbidden);
    });

    it('a tenant user shares only with users of its own tenant', async () => {
      const { world } = find();
      const { viewers, tenantId, otherTenantId, orgGroupId, tenantGroupId, otherTenantGroupId } = world;
      const { session } = viewers['tenant user'];
      const { id } = await createResource(kind, session);
      const path = pathOf(kind, id, '/share');
      const inside = [
        { scope: 'specific_tenant_user', tenantUserId: viewers.colleague.id },
        { scope: 'all_tenant_users', tenantId },
        { scope: 'group', groupId: tenantGroupId },
      ];
      const outside = [
        { scope: 'specific_tenant_user', tenantUserId: viewers['other tenant'].id },
        { scope: 'all_tenant_users', tenantId: otherTenantId },
        { scope: 'specific_org_user', orgUserId: viewers['org user'].id },
        { scope: 'all_org_users' },
        { scope: 'org_users_only' },
        { scope: 'all_tenants_only' },
        { scope: 'group', groupId: orgGroupId },
        { scope: 'group', groupId: otherTenantGroupId },
      ];
      const tried = await tryAll(
        ...outside.map((target) => () => session.post(path, { shares: [{ ...target, role: 'VIEWER' }] })),
        ...outside.map((target) => () => session.delete(path, { shares: [target] })),
      );
      expect(tried).toEqual(forbidden);
      for (const target of inside)
        await shareResource(kind, id, { by: session, shares: [{ ...target, role: 'EDITOR' }] });
    });

    it.each([
      ['whose target does not exist', { scope: 'group', groupId: 'grp_none', role: 'VIEWER' }, 400],
      [
        'that has expired',
        { scope: 'all_org_users', role: 'VIEWER', expiresAt: '2020-01-01T00:00:00Z' },
        400,
      ],
      ["above the granter's level", { scope: 'all_org_users', role: 'OWNER' }, 403],
    ] as const)('writes nothing of a body with one entry %s', async (_, bad, status) => {
      const { world, observed } = find();
      const { owner, viewers } = world;
      const { id } = await createResource(kind, owner);
      const contributor = {
        scope: 'specific_org_user',
        orgUserId: viewers['org user'].id,
        role: 'CONTRIBUTOR',
      };
      await shareResource(kind, id, { by: owner, shares: [contributor] });
      const before = await observed.readSettled();
      const good = [
        { scope: 'all_tenants_only', role: 'VIEWER' },
        { scope: 'org_users_only', role: 'EDITOR' },
      ];
      const answer = await viewers['org user'].session.post(pathOf(kind, id, '/share'), {
        shares: [...good, bad],
      });
      expect(answer.status).toBe(status);
      expect(await observed.findChanges(before)).toEqual([]);
    });

    it('accepts 500 entries in a request, and shares up to the limit of a resource', async () => {
      const { world, observed } = find();
      const { owner, viewers } = world;
      const { id } = await createResource(kind, owner);
      const share = {
        scope: 'specific_tenant_user',
        tenantUserId: viewers['tenant user'].id,
        role: 'VIEWER',
      };
      const granted = await shareResource(kind, id, {
        by: owner,
        shares: Array.from({ length: 500 }, () => share),
      });
      expect(new Set(granted.map((record) => record.id)).size).toBe(1);
      await fillShares(observed, kind, id);
      const before = await observed.readSettled();
      const more = [{ scope: 'specific_org_user', orgUserId: viewers['org user'].id, role: 'VIEWER' }];
      const answer = await owner.post<Record<string, unknown>>(pathOf(kind, id, '/share'), { shares: more });
      expect(faultsOf(answer)).toEqual(faulty('shares'));
      expect(String(answer.body['details'])).toContain('group');
      expect(await observed.findChanges(before)).toEqual([]);
      await shareResource(kind, id, { by: owner, shares: [{ ...share, role: 'EDITOR' }] });
      // It is large, and would slow down later tests that read all documents.
      succeeded(await owner.delete(pathOf(kind, id)));
    });
  });
}

/** Brings a resource with one share to the most that it holds, as 9,999 more users would. */
async function fillShares({ databases }: ObservedServer, { plural }: Kind, id: string): Promise<void> {
  const collection = databases.of('access').collection<{ _id: string; shares: object[] }>(plural);
  const found = await collection.findOne({ _id: id });
  const more = Array.from({ length: SHARES_MAX - 1 }, (_, index) => ({
    ...found?.shares[0],
    id: `sh_${index}`,
    subject: `u:${index}`,
    targetId: `tu_${index}`,
  }));
  const update = { $push: { shares: { $each: more } }, $inc: { revision: 1 } };
  await collection.updateOne({ _id: id }, update);
}

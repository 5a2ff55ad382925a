import { ACCESS_LEVELS, type PersonPrincipal, type Viewer } from '@gatehouse/contract';
import { randomRuns } from '@gatehouse/testing';
import { usePlatform } from '@gatehouse/testing/platform';
import fc from 'fast-check';
import { expect, it, beforeEach } from 'vitest';
import type { Share } from '../sharing/logic/grants.js';
import { createFixture, type Fixture } from '../testing/directoryStub.js';
import { startPlatform } from '../testing/platform.js';

const { platform } = await usePlatform(startPlatform);
const { directory } = platform;
let us: Fixture;
beforeEach(() => {
  directory.users.clear();
  us = createFixture(directory);
});

const createdAt = new Date('2026-03-01T12:00:00Z');
const silent = { events: [] };
/** One more than the document of a resource holds. */
const WIDE = 201;

interface Page {
  viewers: Viewer[];
  nextCursor: string | null;
}

async function readPage(caller: PersonPrincipal, id: string, limit: number, cursor?: string): Promise<Page> {
  const query = { id, limit, ...(cursor === undefined ? {} : { cursor }) };
  return platform.access.dashboardDecisions.viewers.query(query, { context: await platform.as(caller) });
}

async function viewersOf(caller: PersonPrincipal, id: string, limit: number): Promise<Viewer[]> {
  const viewers = [];
  let cursor: string | null | undefined;
  do {
    const page = await readPage(caller, id, limit, cursor ?? undefined);
    expect(page.viewers.length).toBeLessThanOrEqual(limit);
    viewers.push(...page.viewers);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return viewers;
}

let shareCount = 0;
type Target = Pick<Share, 'scope' | 'subject' | 'targetId' | 'tenantKey'>;
const share = (target: Target, role: Share['role'], expiresAt: Date | null = null): Share => ({
  ...target,
  id: `sh_${(shareCount += 1)}`,
  role,
  expiresAt,
  createdAt,
  createdBy: us.ada.userId,
});

const targetOf = ({ kind, userId, userKey, ...user }: PersonPrincipal): Target => ({
  scope: kind === 'orgUser' ? 'specific_org_user' : 'specific_tenant_user',
  subject: userKey,
  targetId: userId,
  tenantKey: 'tenantKey' in user ? user.tenantKey : null,
});

/** Creates two private dashboards with the same shares: in parts, and in the document of a former release. */
async function createShared(shares: readonly Share[], outside: readonly Share[] = []) {
  const [parted, whole] = [await platform.createDashboard(us.ada), await platform.createDashboard(us.ada)];
  const store = platform.stores.dashboards;
  const header = await store.getHeader(us.projectId, parted.id);
  await store.changeResource(us.projectId, header, { change: { shares }, ...silent });
  type Stored = { _id: string; shares: readonly Share[]; packedShares?: string };
  const documents = platform.database.collection<Stored>('dashboards');
  const added = (all: readonly Share[]) => ({ $set: { shares: all }, $unset: { packedShares: '' as const } });
  if (outside.length > 0) await documents.updateOne({ _id: parted.id }, added(outside));
  await documents.updateOne({ _id: whole.id }, added([...shares, ...outside]));
  return { parted: parted.id, whole: whole.id };
}

const idOf = (viewer: Viewer) => `${viewer.type} ${viewer.id} ${viewer.accessLevel}`;

interface Person {
  id: string;
  isTenant: boolean;
  isSouth: boolean;
  state: 'active' | 'inactive' | 'deleted' | 'replaced' | 'replaced and shared';
  shared: 'share' | 'group' | 'both' | 'expired' | 'none' | 'outside' | 'both places';
  role: Share['role'];
}

/** Creates a user, and returns the shares in the parts and beside them. */
function createPerson({ id: name, isTenant, isSouth, state, shared, role }: Person, index: number) {
  const group = directory.groups.get('grp_viewers') ?? directory.group('grp_viewers');
  const id = `${name}${index % 2 === 0 ? '' : '-'}${index}`;
  const groups = shared === 'group' || shared === 'both' ? [group] : [];
  const tenant = isSouth ? us.south : us.north;
  const create = () =>
    isTenant
      ? directory.tenantUser(id, 'POWER_USER', { home: us.home, tenant, groups })
      : directory.orgUser(id, 'AUTHOR', { home: us.home, groups });
  const first = create();
  const facts = directory.users.get(id)?.facts;
  if (state === 'inactive' && facts) facts.isActive = false;
  if (state === 'deleted') directory.users.delete(id);
  const later = state === 'replaced' || state === 'replaced and shared' ? create() : undefined;
  const isIn = shared !== 'none' && shared !== 'group' && shared !== 'outside';
  const expiresAt = shared === 'expired' ? new Date(1) : null;
  const inParts = isIn ? [share(targetOf(first), role, expiresAt)] : [];
  if (state === 'replaced and shared' && later) inParts.push(share(targetOf(later), 'CONTRIBUTOR'));
  const isOutside = shared === 'outside' || shared === 'both places';
  return { inParts, outside: isOutside ? [share(targetOf(first), 'EDITOR')] : [] };
}

const person: fc.Arbitrary<Person> = fc.record({
  id: fc.constantFrom('a', 'A', 'a-', 'a_', 'm', '0', '-', '_', 'z', 'zz'),
  isTenant: fc.boolean(),
  isSouth: fc.boolean(),
  state: fc.constantFrom(
    'active',
    'active',
    'active',
    'inactive',
    'deleted',
    'replaced',
    'replaced and shared',
  ),
  shared: fc.constantFrom(
    'share',
    'share',
    'share',
    'group',
    'both',
    'expired',
    'none',
    'outside',
    'both places',
  ),
  role: fc.constantFrom(...ACCESS_LEVELS),
});

it('lists the viewers of parts as those of the same shares in a document, page by page', async () => {
  const people = fc.array(person, { minLength: 260, maxLength: 320, size: 'max' });
  const hasAudience = fc.boolean();
  const limits = fc.constantFrom(7, 40, 100);
  const property = fc.asyncProperty(people, hasAudience, limits, async (all, isForTenants, limit) => {
    directory.users.clear();
    us = createFixture(directory);
    const created = all.map(createPerson);
    const shares = created.flatMap(({ inParts }) => inParts);
    // Enough for parts, whatever the others are.
    const absent = Array.from({ length: Math.max(0, WIDE - shares.length) }, (_, index) =>
      share(
        { scope: 'specific_org_user', subject: `u:absent${index}`, targetId: `b${index}`, tenantKey: null },
        'VIEWER',
      ),
    );
    const group = {
      scope: 'group',
      subject: 'g:grp_viewers',
      targetId: 'grp_viewers',
      tenantKey: null,
    } as const;
    const tenants = {
      scope: 'all_tenants_only',
      subject: 'audience:all_tenants_only',
      targetId: null,
      tenantKey: null,
    } as const;
    const others = [
      share(group, 'VIEWER'),
      share(targetOf(us.nora), 'CONTRIBUTOR'),
      ...(isForTenants ? [share(tenants, 'VIEWER')] : []),
    ];
    const outside = created.flatMap((each) => each.outside);
    const { parted, whole } = await createShared([...others, ...shares, ...absent], outside);
    for (const caller of [us.ada, us.nora]) {
      const expected = await viewersOf(caller, whole, 500);
      const found = await viewersOf(caller, parted, limit);
      expect(found.map(idOf)).toEqual(expected.map(idOf));
      expect(found).toEqual(expected);
      expect(await viewersOf(caller, parted, 500)).toEqual(expected);
    }
  });
  await fc.assert(property, { numRuns: randomRuns(12, 100), endOnFailure: true });
});

/** Creates users with a share each, in the order of lists. */
function createSharedUsers(count: number): { users: PersonPrincipal[]; shares: Share[] } {
  const users = Array.from({ length: count }, (_, index) => {
    const id = `user${String(index).padStart(5, '0')}`;
    return index < count / 2
      ? directory.orgUser(id, 'VIEWER', { home: us.home })
      : directory.tenantUser(id, 'VIEWER', { home: us.home, tenant: us.south });
  });
  return { users, shares: users.map((user) => share(targetOf(user), 'VIEWER')) };
}

it('lists each of more viewers than one lookup returns, org users before tenant users', async () => {
  const { users, shares } = createSharedUsers(2200);
  const { parted } = await createShared(shares);
  const expected = [us.ada, ...users].map(({ userId }) => userId);
  for (const limit of [499, 500]) {
    const viewers = await viewersOf(us.ada, parted, limit);
    expect(viewers.map(({ id }) => id)).toEqual(expected);
  }
});

it('lists the viewers around the end of each part, with pages of any size', async () => {
  const { users, shares } = createSharedUsers(WIDE);
  const { parted } = await createShared(shares);
  const expected = [us.ada, ...users].map(({ userId }) => userId);
  for (let limit = 30; limit <= 110; limit += 8) {
    const viewers = await viewersOf(us.ada, parted, limit);
    expect(
      viewers.map(({ id }) => id),
      `pages of ${limit}`,
    ).toEqual(expected);
  }
});

it('lists group members after the last user with a share', async () => {
  const group = directory.group(directory.newId('grp_late'));
  const { shares } = createSharedUsers(WIDE);
  const late = ['zz1', 'zz2'].map((id) =>
    directory.tenantUser(id, 'VIEWER', { home: us.home, tenant: us.south, groups: [group] }),
  );
  const target = { scope: 'group', subject: group.key, targetId: group.id, tenantKey: null } as const;
  const { parted } = await createShared([...shares, share(target, 'VIEWER')]);
  for (const limit of [50, 500]) {
    const viewers = await viewersOf(us.ada, parted, limit);
    expect(viewers.slice(-2).map(({ id }) => id)).toEqual(late.map(({ userId }) => userId));
    expect(viewers).toHaveLength(WIDE + 3);
  }
});

it('finds the few viewers of a tenant among many shares with few requests', async () => {
  const { shares } = createSharedUsers(2000);
  const { parted } = await createShared([...shares, share(targetOf(us.nora), 'CONTRIBUTOR')]);
  const before = directory.lists;
  const { viewers, nextCursor } = await readPage(us.nora, parted, 1);
  expect(viewers.map(({ id }) => id)).toEqual([us.nora.userId]);
  expect(nextCursor).toBeNull();
  expect(directory.lists - before).toBeLessThan(20);
});

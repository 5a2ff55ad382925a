import { readConfig, readQuotas, runCall } from '@gatehouse/service';
import { randomRuns, startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Membership } from '../records/documents.js';
import { createIndexes } from '../records/store/indexes.js';
import { firstMembers, MemberLists, type FirstMembers } from './memberLists.js';
import { GroupStore } from './store.js';
import type { GroupState } from './store/memberReads.js';
import { GroupMemberStore } from './store/members.js';

const ORGANIZATION = 'org_one';
const GROUPS = ['grp_b', 'grp_a', 'grp_c'];
const now = new Date(Date.UTC(2026, 0, 1));
const written = { events: [], now };

const mongo = await startTestMongo();
const database = mongo.databases.of('directory');
await createIndexes(database);
const limitsOf = readQuotas(readConfig({}));
const groups = new GroupStore(database, limitsOf);
const members = new GroupMemberStore(database, limitsOf);
afterAll(() => mongo[Symbol.asyncDispose]());

/** Every fourth user is an org user, whose place is before those of all tenant users. */
const idOf = (user: number) => (user % 4 === 0 ? `ou_${user}` : `a${user}`);
const keyOf = (user: number) => `u:${(user * 7) % 10}`;

function memberOf(groupId: string, user: number): Membership {
  const userType = user % 4 === 0 ? 'organization' : 'tenant';
  const ids = { id: `gm_${groupId}_${user}`, userId: idOf(user), userKey: keyOf(user) };
  return { ...ids, userType, addedAt: now, addedBy: null };
}

const stateOf = (groupId: string) => groups.get(ORGANIZATION, groupId);

/** A store that counts the groups whose members it reads. */
function countReads() {
  const reads: string[] = [];
  const counted = {
    listStates: (organizationId: string, ids: readonly string[]) => members.listStates(organizationId, ids),
    listNames(organizationId: string, ids: readonly string[]) {
      reads.push(...ids);
      return members.listNames(organizationId, ids);
    },
  };
  return { lists: new MemberLists(counted), reads };
}

beforeEach(async () => {
  await database.collection('groups').deleteMany({});
  for (const _id of GROUPS) {
    const draft = { _id, name: _id, nameFolded: _id, type: 'ORG_GROUP' as const, description: '' };
    const none = { tenantKey: null, tenantId: null, createdBy: null, memberCount: 0, members: [] };
    await groups.insert(ORGANIZATION, { ...draft, ...none }, written);
  }
});

/** The expected list of a group: its users in their order. */
function expected(groupId: string, users: ReadonlySet<number>) {
  const sorted = [...users].toSorted((one, other) => {
    const [a, b] = [one, other].map((user) => `${user % 4 === 0 ? 0 : 1}${idOf(user)}`) as [string, string];
    return a < b ? -1 : 1;
  });
  return [groupId, sorted.map(keyOf)];
}

async function read(lists: MemberLists, ids: readonly string[], organization = ORGANIZATION) {
  const found = [];
  for await (const part of lists.read(organization, ids)) found.push(...part);
  return found.map(({ _id, keys }) => [_id, keys]);
}

describe('lists of members', () => {
  it('are those of the stored groups after each change', async () => {
    const step = fc.record({
      group: fc.constantFrom(...GROUPS),
      user: fc.nat(9),
      change: fc.constantFrom('add', 'remove', 'touch', 'read'),
    });
    const { lists } = countReads();
    const users = new Map(GROUPS.map((id) => [id, new Set<number>()]));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
        for (const { group, user, change } of steps) {
          const known = users.get(group) as Set<number>;
          const changed = { ...written, members: [memberOf(group, user)] };
          if (change === 'add' && !known.has(user)) {
            await members.add(ORGANIZATION, await stateOf(group), changed);
            known.add(user);
          }
          if (change === 'remove' && known.delete(user))
            await members.remove(ORGANIZATION, await stateOf(group), changed);
          if (change === 'touch') await members.touch(ORGANIZATION, group);
          const all = GROUPS.toSorted().map((id) => expected(id, users.get(id) as Set<number>));
          expect(await read(lists, GROUPS)).toEqual(all);
        }
      }),
      { numRuns: randomRuns(20) },
    );
  });

  it('are read once for each state', async () => {
    const { lists, reads } = countReads();
    for (let round = 0; round < 3; round += 1) await read(lists, ['grp_a', 'grp_b']);
    expect(reads).toEqual(['grp_a', 'grp_b']);
    const changed = { ...written, members: [memberOf('grp_a', 1)] };
    await members.add(ORGANIZATION, await stateOf('grp_a'), changed);
    expect(await read(lists, ['grp_a', 'grp_b'])).toEqual([
      ['grp_a', [keyOf(1)]],
      ['grp_b', []],
    ]);
    expect(reads).toEqual(['grp_a', 'grp_b', 'grp_a']);
  });

  it('exclude other organizations and deleted groups, also if they are cached', async () => {
    const { lists } = countReads();
    expect(await read(lists, GROUPS)).toHaveLength(GROUPS.length);
    expect(await read(lists, GROUPS, 'org_two')).toEqual([]);
    await groups.delete(ORGANIZATION, await stateOf('grp_a'), written);
    expect((await read(lists, GROUPS)).map(([id]) => id)).toEqual(['grp_b', 'grp_c']);
  });

  it('follow a database that was restored to an earlier state', async () => {
    const { lists } = countReads();
    const before = await database.collection('groups').findOne<GroupState>({ revision: 1 });
    const id = before?._id ?? '';
    const change = (user: number, later: number) => ({
      events: [],
      now: new Date(now.getTime() + later),
      members: [memberOf(id, user)],
    });
    await members.add(ORGANIZATION, await stateOf(id), change(1, 1));
    expect(await read(lists, [id])).toEqual([[id, [keyOf(1)]]]);
    await database.collection('groups').replaceOne({ _id: before?._id as never }, before ?? {});
    await members.add(ORGANIZATION, await stateOf(id), change(2, 2));
    expect(await read(lists, [id])).toEqual([[id, [keyOf(2)]]]);
  });
});

describe('very many members', () => {
  const SIZE = 10_000;
  const reads: string[][] = [];
  const lists = new MemberLists({
    listStates: async (_organizationId, ids) =>
      ids.map((_id) => ({ _id, revision: 1, updatedAt: now, memberCount: SIZE })),
    async listNames(_organizationId, ids) {
      reads.push([...ids]);
      const userIds = Array.from({ length: SIZE }, (_, index) => `a${String(index).padStart(5, '0')}`);
      const names = { keys: userIds.map((id) => `u:${id}`), ids: userIds };
      return ids.map((_id) => ({ _id, revision: 1, updatedAt: now, ...names }));
    },
  });
  const large = Array.from({ length: 25 }, (_, index) => `grp_${String(index).padStart(2, '0')}`);
  const place = { after: '1 a00006', count: 2 };

  it('are read in parts, and do not evict the groups of other organizations', async () => {
    await lists.findFirst('org_other', ['grp_other'], place);
    const { members: first, isAll } = await lists.findFirst(ORGANIZATION, large, place);
    expect(first).toEqual([
      { place: '1 a00007', key: 'u:a00007', groupIds: large },
      { place: '1 a00008', key: 'u:a00008', groupIds: large },
    ]);
    expect(isAll).toBe(false);
    expect(reads.map((ids) => ids.length)).toEqual([1, 5, 5, 5, 5, 5]);
    await lists.findFirst('org_other', ['grp_other'], place);
    expect(reads).toHaveLength(6);
  });

  it('are read by few callers of an organization at once, and those of others meanwhile', async () => {
    const release: (() => void)[] = [];
    let begun = 0;
    const held = new MemberLists({
      listStates: async (_organizationId, ids) =>
        ids.map((_id) => ({ _id, revision: 1, updatedAt: now, memberCount: SIZE })),
      async listNames(organizationId, ids) {
        if (organizationId === ORGANIZATION) {
          begun += 1;
          await new Promise<void>((resolve) => void release.push(resolve));
        }
        return ids.map((_id) => ({ _id, revision: 1, updatedAt: now, keys: ['u:1'], ids: ['a1'] }));
      },
    });
    const first = { after: '', count: 1 };
    const busy = Array.from({ length: 10 }, () => held.findFirst(ORGANIZATION, ['grp_one'], first));
    const { members: others } = await held.findFirst('org_other', ['grp_other'], first);
    expect(others).toHaveLength(1);
    expect(begun).toBe(2);
    for (const resolve of release) resolve();
    const found = await Promise.all(busy);
    expect(found.map(({ members: each }) => each.length)).toEqual(busy.map(() => 1));
    // Those who waited found what the first ones had read.
    expect(begun).toBe(2);
  });
});

describe('a dry run of a change of members', () => {
  it('reads its own change, which no other call does', async () => {
    const { lists } = countReads();
    const changed = (user: number) => ({ ...written, members: [memberOf('grp_a', user)] });
    await runCall({ isDry: true }, async () => {
      await members.add(ORGANIZATION, await stateOf('grp_a'), changed(1));
      expect(await read(lists, ['grp_a'])).toEqual([['grp_a', [keyOf(1)]]]);
    });
    expect(await read(lists, ['grp_a'])).toEqual([['grp_a', []]]);
    // Both have the revision and the time of the dry change.
    await members.add(ORGANIZATION, await stateOf('grp_a'), changed(2));
    expect(await read(lists, ['grp_a'])).toEqual([['grp_a', [keyOf(2)]]]);
  });
});

const NONE: FirstMembers = { members: [], isAll: true };

describe('the first members of groups', () => {
  const byNumber = (one: number, other: number) => one - other;
  const listOf = (_id: string, users: readonly number[]) => {
    const places = users.map((user) => `1 a${user}`);
    return { _id, revision: 1, updatedAt: now, places, keys: users.map((user) => `u:${user}`) };
  };

  it('are those of all groups together, with every group of each', () => {
    const users = fc.uniqueArray(fc.nat(9), { maxLength: 10 }).map((found) => found.toSorted(byNumber));
    fc.assert(
      fc.property(
        fc.array(users, { maxLength: 4 }),
        fc.nat(10),
        fc.integer({ min: 1, max: 12 }),
        fc.nat(4),
        run,
      ),
      { numRuns: randomRuns(300) },
    );
    function run(found: number[][], after: number, count: number, size: number) {
      const lists = found.map((each, index) => listOf(`grp_${index}`, each));
      const wanted = [...new Set(found.flat())].filter((user) => user >= after).toSorted(byNumber);
      const place = { after: `1 a${after - 1}`, count };
      const ofSome = firstMembers(lists.slice(0, size), place, NONE);
      const { members: first, isAll } = firstMembers(lists.slice(size), place, ofSome);
      const groupsOf = (user: number) => lists.filter((_, index) => found[index]?.includes(user));
      const expectedMembers = wanted.slice(0, count).map((user) => ({
        place: `1 a${user}`,
        key: `u:${user}`,
        groupIds: groupsOf(user).map(({ _id }) => _id),
      }));
      expect(first).toEqual(expectedMembers);
      expect(isAll).toBe(wanted.length <= count);
    }
  });

  it('include a new user with the id of a deleted one, who remains a member until the clean-up', () => {
    const both = { ...listOf('grp_one', [1, 1, 2]), keys: ['u:deleted', 'u:new', 'u:2'] };
    const one = { ...listOf('grp_two', [1]), keys: ['u:new'] };
    for (const lists of [
      [both, one],
      [one, both],
    ]) {
      const { members: first, isAll } = firstMembers(lists, { after: '', count: 1 }, NONE);
      const groupsOf = new Map(first.map(({ key, groupIds }) => [key, groupIds.toSorted()]));
      expect(groupsOf).toEqual(
        new Map([
          ['u:deleted', ['grp_one']],
          ['u:new', ['grp_one', 'grp_two']],
        ]),
      );
      expect(isAll).toBe(false);
    }
  });
});

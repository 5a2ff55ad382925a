import { AppError } from '@gatehouse/contract';
import { readConfig, readQuotas, retryOnConflict, runCall } from '@gatehouse/service';
import { randomRuns, startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Membership } from '../../records/documents.js';
import { createIndexes } from '../../records/store/indexes.js';
import { joiningTime } from '../logic/memberParts.js';
import { GroupStore } from '../store.js';
import type { FoundPart, PartDocument } from './memberParts.js';
import { GroupMemberStore } from './members.js';
import { partSelection } from './selectMembers.js';

const ORGANIZATION = 'org_one';
/** Small, so that few members make many parts. */
const SIZES = { document: 6, part: 3 };
const USERS = 30;
const START = Date.UTC(2026, 0, 1);

const mongo = await startTestMongo();
afterAll(() => mongo[Symbol.asyncDispose]());
const database = mongo.databases.of('directory');
await createIndexes(database);
const limitsOf = readQuotas(readConfig({}));
const groups = new GroupStore(database, limitsOf);
const parts = database.collection<PartDocument>('groupMemberParts');

const members = new GroupMemberStore(database, limitsOf, SIZES);

let made = 0;
async function createGroup(): Promise<string> {
  made += 1;
  const name = `group ${made}`;
  const none = { tenantKey: null, tenantId: null, createdBy: null, memberCount: 0, members: [] };
  const draft = { _id: `grp_${made}`, name, nameFolded: name, type: 'ORG_GROUP' as const, description: '' };
  return (await groups.insert(ORGANIZATION, { ...draft, ...none }, { events: [], now: new Date(START) }))._id;
}

const keyOf = (user: number) => `u:${user}`;
const userKeysOf = (users: readonly number[]) => users.map(keyOf);

/** Adds the users who are no members, as the operation does. Returns the new memberships. */
function add(groupId: string, users: readonly number[], at = Date.now(), store = members) {
  return retryOnConflict(async () => {
    const selector = { userKeys: userKeysOf(users) };
    const { group, members: present } = await store.getSelected(ORGANIZATION, groupId, selector);
    const addedAt = joiningTime(group, new Date(at));
    const wanted = users.filter((user) => present.every(({ userKey }) => userKey !== keyOf(user)));
    const added = wanted.map((user): Membership => {
      made += 1;
      // Not in the order in which they are made.
      const id = `gm_${(made * 7919) % 10_007}_${made}`;
      return { id, userId: `t${user}`, userKey: keyOf(user), userType: 'tenant', addedAt, addedBy: null };
    });
    if (added.length > 0)
      await store.add(ORGANIZATION, group, { members: added, events: [], now: new Date(at) });
    return added;
  });
}

/** Removes the users who are members, as the operation does. */
function remove(groupId: string, users: readonly number[], store = members) {
  return retryOnConflict(async () => {
    const selector = { userKeys: userKeysOf(users) };
    const { group, members: present } = await store.getSelected(ORGANIZATION, groupId, selector);
    if (present.length > 0)
      await store.remove(ORGANIZATION, group, { members: present, events: [], now: new Date() });
    return present;
  });
}

/** A store in which something changes after a number of reads. */
class InterruptedStore extends GroupMemberStore {
  constructor(reads: number, change: () => Promise<unknown>) {
    super(database, limitsOf, SIZES);
    let left = reads;
    const interrupt = async () => {
      left -= 1;
      if (left === -1) await change();
    };
    for (const name of ['aggregate', 'findMany'] as const) this.#interrupt(this, name, interrupt);
    for (const name of ['findOf', 'get', 'listNames'] as const) this.#interrupt(this.parts, name, interrupt);
  }

  #interrupt(owner: object, name: string, interrupt: () => Promise<void>): void {
    type Read = (...parameters: unknown[]) => Promise<unknown>;
    const read = (Reflect.get(owner, name) as Read).bind(owner);
    const interrupted: Read = async (...parameters) => {
      const found = await read(...parameters);
      await interrupt();
      return found;
    };
    Object.defineProperty(owner, name, { value: interrupted });
  }
}

/** A store that writes parts, but not the group that is to list them. */
class BrokenStore extends GroupMemberStore {
  constructor() {
    super(database, limitsOf, SIZES);
  }

  protected override write(): Promise<never> {
    return Promise.reject(new Error('The engine has ended'));
  }
}

/** A store that writes a group, but then neither confirms nor deletes parts. */
class InterruptedEndStore extends GroupMemberStore {
  constructor() {
    super(database, limitsOf, SIZES);
    const fail = () => Promise.reject(new Error('The engine has ended'));
    for (const name of ['confirm', 'delete']) Object.defineProperty(this.parts, name, { value: fail });
  }
}

/** A store that stops for a long time before it first writes a group. */
class StalledStore extends GroupMemberStore {
  stalls = 0;

  constructor(private readonly meanwhile: () => Promise<void>) {
    super(database, limitsOf, SIZES);
  }

  protected override async write(...parameters: Parameters<GroupMemberStore['write']>) {
    if (this.stalls === 0) {
      this.stalls += 1;
      await this.meanwhile();
    }
    return super.write(...parameters);
  }
}

/** A store whose searches for parts can be watched. */
class WatchedStore extends GroupMemberStore {
  constructor(search: (find: () => Promise<FoundPart[]>) => Promise<FoundPart[]>) {
    super(database, limitsOf, SIZES);
    const findOf = this.parts.findOf.bind(this.parts);
    this.parts.findOf = (...parameters) => search(() => findOf(...parameters));
  }
}

/** A promise, and the function that resolves it. */
function signal() {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Repeats a change that other writers were always ahead of, as callers do after a 503. */
async function untilServed(change: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await change();
      return;
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'UNAVAILABLE')) throw error;
    }
  }
}

const byPlace = (one: Membership, other: Membership) =>
  one.addedAt.getTime() - other.addedAt.getTime() || (one.id < other.id ? -1 : 1);

/** Reads a list page by page. */
async function readPages(groupId: string, limit: number, way: 'cursor' | 'page'): Promise<Membership[]> {
  const read: Membership[] = [];
  let cursor: string | undefined;
  for (let page = 0; ; page += 1) {
    const place = way === 'cursor' && cursor !== undefined ? { skip: 0, cursor } : { skip: page * limit };
    const found = await members.getPage(ORGANIZATION, groupId, { ...place, limit });
    read.push(...found.records);
    if (found.nextCursor === null) return read;
    cursor = found.nextCursor;
  }
}

const memberOf = (groupId: string) => members.getPage(ORGANIZATION, groupId, { skip: 0, limit: 1 });

/** Each function for a group whose members are known. */
async function expectMembers(groupId: string, expected: readonly Membership[], limit: number) {
  const sorted = expected.toSorted(byPlace);
  const keys = new Set(expected.map(({ userKey }) => userKey));
  expect((await memberOf(groupId)).group.memberCount).toBe(expected.length);
  expect(await readPages(groupId, limit, 'cursor')).toEqual(sorted);
  expect(await readPages(groupId, limit, 'page')).toEqual(sorted);
  const all = (await members.listAll(ORGANIZATION, [groupId])).get(groupId) ?? [];
  expect(all.toSorted(byPlace)).toEqual(sorted);
  const [names] = await members.listNames(ORGANIZATION, [groupId]);
  expect(new Map(names?.keys.map((key, index) => [key, names.ids[index]]))).toEqual(
    new Map(expected.map(({ userKey, userId }) => [userKey, userId])),
  );
  expect(names?.keys).toHaveLength(expected.length);
  const users = Array.from({ length: USERS }, (_, user) => user);
  const userIds = users.map((user) => `t${user}`);
  const selected = await members.getSelected(ORGANIZATION, groupId, { userIds });
  expect(selected.members.toSorted(byPlace)).toEqual(sorted);
  for (const named of expected.slice(0, 3).flatMap(({ id, userId }) => [id, userId])) {
    const one = await members.getSelected(ORGANIZATION, groupId, { memberOrUserId: named });
    expect(one.members.map(({ id }) => id)).toEqual(
      expected.filter(({ id, userId }) => id === named || userId === named).map(({ id }) => id),
    );
  }
  const groupIdsOf = await members.listGroupIdsOf(ORGANIZATION, userKeysOf(users));
  for (const user of users)
    expect((groupIdsOf.get(keyOf(user)) ?? []).includes(groupId)).toBe(keys.has(keyOf(user)));
  // A third of the users, and others with another limit.
  for (const user of users.filter((each) => each % 3 === limit % 3)) {
    const isMember = keys.has(keyOf(user));
    expect((await members.listGroupIds(ORGANIZATION, keyOf(user))).includes(groupId)).toBe(isMember);
    expect(await members.listGroupIds(ORGANIZATION, keyOf(user), [groupId])).toEqual(
      isMember ? [groupId] : [],
    );
  }
}

const users = fc.uniqueArray(fc.nat(USERS - 1), { minLength: 1, maxLength: 5 });
const deeds = fc.array(
  fc.record({
    isRemoval: fc.boolean(),
    users,
    /** The clocks of processes differ, so a member may join before an earlier one. */
    ahead: fc.integer({ min: -50, max: 50 }),
  }),
  { minLength: 5, maxLength: 25 },
);

describe('the members of a very large group', () => {
  it('are those of a list of members after any additions and removals', async () => {
    const counts = { parts: 0 };
    await fc.assert(
      fc.asyncProperty(deeds, fc.integer({ min: 1, max: 7 }), async (steps, limit) => {
        const groupId = await createGroup();
        let expected: Membership[] = [];
        for (const [step, { isRemoval, users: named, ahead }] of steps.entries()) {
          if (!isRemoval) expected = [...expected, ...(await add(groupId, named, START + step * 20 + ahead))];
          else {
            await remove(groupId, named);
            const keys = new Set(userKeysOf(named));
            expected = expected.filter(({ userKey }) => !keys.has(userKey));
          }
        }
        await expectMembers(groupId, expected, limit);
        const { group } = await memberOf(groupId);
        const listed = group.parts ?? [];
        counts.parts += listed.length;
        expect((await parts.find({ groupId }).toArray()).map(({ _id }) => _id).toSorted()).toEqual(
          listed.map(({ id }) => id).toSorted(),
        );
        expect(await parts.countDocuments({ groupId, pendingAt: { $exists: true } })).toBe(0);
      }),
      { numRuns: randomRuns(60) },
    );
    expect(counts.parts).toBeGreaterThan(0);
  });

  it('are found by every read while others join and leave', async () => {
    const groupId = await createGroup();
    await add(groupId, [0, 1, 2, 3, 4, 5]);
    let isDone = false;
    const failures: string[] = [];
    const reader = async (user: number) => {
      while (!isDone) {
        const key = keyOf(user);
        const found = await members.listGroupIds(ORGANIZATION, key, [groupId]);
        if (found.length === 0) failures.push(`${user} has no group`);
        const of = await members.listGroupIdsOf(ORGANIZATION, [key]);
        if (!of.get(key)?.includes(groupId)) failures.push(`${user} is among no users`);
        const { members: selected } = await members.getSelected(ORGANIZATION, groupId, { userKeys: [key] });
        if (selected.length !== 1) failures.push(`${user} is ${selected.length} members`);
        const read = await readPages(groupId, 4, 'cursor');
        if (!read.some(({ userKey }) => userKey === key)) failures.push(`${user} is on no page`);
      }
    };
    const writer = async (first: number) => {
      for (let round = 0; round < 3; round += 1) {
        for (const user of [first, first + 2, first + 4])
          await untilServed(() => add(groupId, [user, user + 1]));
        for (let user = first; user < first + 6; user += 1) await untilServed(() => remove(groupId, [user]));
      }
    };
    const readers = [0, 2, 4].map(reader);
    await Promise.all([6, 12].map(writer)).finally(() => {
      isDone = true;
    });
    await Promise.all(readers);
    expect(failures).toEqual([]);
    const left = (await members.listAll(ORGANIZATION, [groupId])).get(groupId) ?? [];
    expect(left.map(({ userKey }) => userKey).toSorted()).toEqual(userKeysOf([0, 1, 2, 3, 4, 5]));
  });

  describe('whose parts change between two reads', () => {
    const all = Array.from({ length: 12 }, (_, user) => user);
    const READS: Record<string, (store: GroupMemberStore, groupId: string) => Promise<readonly string[]>> = {
      listGroupIds: async (store, groupId) => {
        const found = await Promise.all(
          all.map(async (user) => (await store.listGroupIds(ORGANIZATION, keyOf(user), [groupId])).length),
        );
        return all.filter((user) => found[user] === 1).map(keyOf);
      },
      listGroupIdsOf: async (store, groupId) => {
        const found = await store.listGroupIdsOf(ORGANIZATION, userKeysOf(all));
        return [...found].filter(([, ids]) => ids.includes(groupId)).map(([key]) => key);
      },
      getSelected: async (store, groupId) => {
        const found = await store.getSelected(ORGANIZATION, groupId, { userKeys: userKeysOf(all) });
        return found.members.map(({ userKey }) => userKey);
      },
      getPage: async (store, groupId) => {
        const found = await store.getPage(ORGANIZATION, groupId, { skip: 0, limit: 100 });
        return found.records.map(({ userKey }) => userKey);
      },
      listAll: async (store, groupId) => {
        const found = await store.listAll(ORGANIZATION, [groupId]);
        return (found.get(groupId) ?? []).map(({ userKey }) => userKey);
      },
      listNames: async (store, groupId) => (await store.listNames(ORGANIZATION, [groupId]))[0]?.keys ?? [],
    };
    const CHANGES = {
      'a part is replaced': (groupId: string) => remove(groupId, [20]),
      'the oldest move to parts': (groupId: string) => add(groupId, [21, 22, 23, 24]),
    };
    const cases = Object.keys(READS).flatMap((read) =>
      Object.keys(CHANGES).map((change) => ({ read, change })),
    );

    it.each(cases)('are all returned by $read when $change', async ({ read, change }) => {
      // Whichever read of the engine the change follows.
      for (let reads = 0; reads < 4; reads += 1) {
        const groupId = await createGroup();
        for (const some of [[0, 20, 1, 2], all.slice(3, 8), all.slice(8)]) await add(groupId, some);
        const store = new InterruptedStore(reads, () => CHANGES[change as keyof typeof CHANGES](groupId));
        const found = await READS[read]?.(store, groupId);
        expect(found?.filter((key) => userKeysOf(all).includes(key)).toSorted()).toEqual(
          userKeysOf(all).toSorted(),
        );
      }
    });
  });

  it('are found although their part is replaced twice during the read', async () => {
    const groupId = await createGroup();
    for (const some of [
      [0, 20, 21],
      [1, 2, 3],
      [4, 5, 6, 7],
    ])
      await add(groupId, some);
    const [isWritten, isRead] = [signal(), signal()];
    const slow = new StalledStore(async () => {
      isWritten.resolve();
      await isRead.promise;
    });
    const removal = remove(groupId, [20], slow);
    await isWritten.promise;
    let finds = 0;
    // The new part exists, and the group lists it before the second search and not after it.
    const reader = new WatchedStore(async (find) => {
      finds += 1;
      const isSecond = finds === 2;
      if (isSecond) {
        isRead.resolve();
        await removal;
      }
      const found = await find();
      if (isSecond) await remove(groupId, [21]);
      return found;
    });
    expect(await reader.listGroupIds(ORGANIZATION, keyOf(0), [groupId])).toEqual([groupId]);
    expect(finds).toBeGreaterThan(2);
  });

  const LATER_MS = 3_600_000;
  const sweepLater = () => members.settleParts(new Date(Date.now() + LATER_MS));
  const idsOfParts = async (groupId: string) =>
    (await parts.find({ groupId }).toArray()).map(({ _id }) => _id).toSorted();
  const listedParts = async (groupId: string) =>
    ((await memberOf(groupId)).group.parts ?? []).map(({ id }) => id).toSorted();

  /** Removes one of several members of a part. */
  async function removeOneOfPart(groupId: string, store: GroupMemberStore) {
    const [part] = await parts.find({ groupId }).toArray();
    const user = Number(part?.members[0]?.userKey.slice(keyOf(0).length - 1));
    expect(await remove(groupId, [user], store)).toHaveLength(1);
  }

  it.each([
    ['additions', (groupId: string, store: GroupMemberStore) => add(groupId, [6], Date.now(), store)],
    ['removals', removeOneOfPart],
  ])('stay whole if %s fail in the middle, and the sweep deletes what they leave', async (_, change) => {
    const groupId = await createGroup();
    let expected = await add(groupId, [0, 1, 2, 3, 4, 5]);
    expected = [...expected, ...(await add(groupId, [7])), ...(await add(groupId, [8, 9]))];
    await expect(change(groupId, new BrokenStore())).rejects.toThrow('The engine has ended');
    await expectMembers(groupId, expected, 5);
    expect(await idsOfParts(groupId)).not.toEqual(await listedParts(groupId));
    await members.settleParts(new Date());
    expect(await idsOfParts(groupId)).not.toEqual(await listedParts(groupId));
    await sweepLater();
    expect(await idsOfParts(groupId)).toEqual(await listedParts(groupId));
    expect(await parts.countDocuments({ groupId, pendingAt: { $exists: true } })).toBe(0);
    await expectMembers(groupId, expected, 5);
  });

  it.each([
    ['an addition', (groupId: string, store: GroupMemberStore) => add(groupId, [6, 8, 9], Date.now(), store)],
    ['a removal', removeOneOfPart],
  ])('are as after the whole change if %s is interrupted at its end', async (_, change) => {
    const groupId = await createGroup();
    await add(groupId, [0, 1, 2, 3, 4, 5]);
    await add(groupId, [7]);
    await change(groupId, new InterruptedEndStore());
    const expected = (await members.listAll(ORGANIZATION, [groupId])).get(groupId) ?? [];
    expect(await parts.countDocuments({ groupId, pendingAt: { $exists: true } })).toBeGreaterThan(0);
    await sweepLater();
    expect(await idsOfParts(groupId)).toEqual(await listedParts(groupId));
    expect(await parts.countDocuments({ groupId, pendingAt: { $exists: true } })).toBe(0);
    await expectMembers(groupId, expected, 5);
  });

  it('are not lost if a change continues after the sweep has deleted its parts', async () => {
    const groupId = await createGroup();
    const expected = await add(groupId, [0, 1, 2, 3, 4, 5]);
    const late = new StalledStore(sweepLater);
    expected.push(...(await add(groupId, [6], Date.now(), late)));
    expect(late.stalls).toBe(1);
    await expectMembers(groupId, expected, 5);
    expect(await idsOfParts(groupId)).toEqual(await listedParts(groupId));
  });

  it('are changed by a dry run for itself alone', async () => {
    const groupId = await createGroup();
    const expected = await add(groupId, [0, 1, 2, 3, 4, 5]);
    expected.push(...(await add(groupId, [6, 7])));
    await runCall({ isDry: true }, async () => {
      const added = await add(groupId, [8, 9, 10, 11]);
      await remove(groupId, [0, 1, 2, 3]);
      const left = [...expected, ...added].filter(({ userId }) => !/^t[0-3]$/.test(userId));
      await expectMembers(groupId, left, 5);
    });
    await expectMembers(groupId, expected, 5);
    expect(await idsOfParts(groupId)).toEqual(await listedParts(groupId));
  });

  it.each([{ userKeys: ['u:none'] }, { userIds: ['none'] }, { memberOrUserId: 'none' }])(
    'cost nothing to look up a user who is none of them: $userKeys$userIds$memberOrUserId',
    async (selector) => {
      const groupId = await createGroup();
      for (const user of [0, 1, 2, 3, 4, 5, 6, 7, 8]) await add(groupId, [user]);
      expect(await idsOfParts(groupId)).not.toEqual([]);
      for (const { condition, hint } of partSelection(selector).lookups) {
        const found = parts.find({ organizationId: ORGANIZATION, groupId, ...condition }).hint(hint);
        const { executionStats } = await found.explain('executionStats');
        expect(executionStats).toMatchObject({ totalDocsExamined: 0 });
        expect((executionStats as { totalKeysExamined: number }).totalKeysExamined).toBeLessThan(3);
      }
    },
  );

  it('leave no part behind when their group is deleted', async () => {
    const groupId = await createGroup();
    await add(groupId, [0, 1, 2, 3, 4, 5]);
    await add(groupId, [6]);
    expect(await idsOfParts(groupId)).not.toEqual([]);
    const group = await groups.get(ORGANIZATION, groupId);
    const now = new Date();
    await members.whileDeleting(ORGANIZATION, group, {
      now,
      deletion: () => groups.delete(ORGANIZATION, group, { events: [], now }),
    });
    expect(await idsOfParts(groupId)).toEqual([]);
    expect(await members.listGroupIds(ORGANIZATION, keyOf(0), [groupId])).toEqual([]);
  });

  it('belong to no group from its deletion on, even if their parts are still there', async () => {
    const groupId = await createGroup();
    await add(groupId, [0, 1, 2, 3, 4, 5]);
    await add(groupId, [6]);
    const group = await groups.get(ORGANIZATION, groupId);
    const now = new Date();
    const failed = members.whileDeleting(ORGANIZATION, group, {
      now,
      async deletion() {
        await groups.delete(ORGANIZATION, group, { events: [], now });
        throw new Error('The engine has ended');
      },
    });
    await expect(failed).rejects.toThrow('The engine has ended');
    expect(await idsOfParts(groupId)).not.toEqual([]);
    for (const key of userKeysOf([0, 1, 2, 3, 4, 5, 6])) {
      expect(await members.listGroupIds(ORGANIZATION, key, [groupId])).toEqual([]);
      expect((await members.listGroupIdsOf(ORGANIZATION, [key])).get(key)).not.toContain(groupId);
    }
    await sweepLater();
    expect(await idsOfParts(groupId)).toEqual([]);
  });
});

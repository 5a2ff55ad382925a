import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@gatehouse/contract';
import { newKey, openDatabases, readConfig, readQuotas, runCall, WriteConflict } from '@gatehouse/service';
import { randomRuns, startTestMongo } from '@gatehouse/testing';
import fc from 'fast-check';
import type { Document } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TenantUserDocument } from '../../records/documents.js';
import { foldPerson } from '../../records/logic/foldedFields.js';
import { createIndexes } from '../../records/store/indexes.js';
import { newUserKey } from '../../records/subjectKeys.js';
import { bucketOf, BUCKETS, rangeOf } from '../logic/userBuckets.js';
import { TenantUserStore } from '../store.js';
import { UserCounts } from './userCounts.js';
import { UserMarks } from './userMarks.js';

const SETTLE_MS = 100;
const LATE_MS = 50;
const READ_LIMITS = { window: 2000, rare: [] };
const NEVER_EXPIRES = 3_600_000;

const mongo = await startTestMongo();
const database = mongo.databases.of('directory');
const users = database.collection<TenantUserDocument>('tenantUsers');
const marks = database.collection<Document & { _id: string }>('tenantUserMarks');
const limitsOf = readQuotas(readConfig({}));
beforeAll(() => createIndexes(database));
afterAll(() => mongo[Symbol.asyncDispose]());

const countLimits = {
  least: 3,
  bucketCost: 0,
  settleMs: SETTLE_MS,
  keptMs: NEVER_EXPIRES,
  lateMs: LATE_MS,
};
/** The store of another process. */
const openStore = (counts = countLimits) =>
  new TenantUserStore(database, limitsOf, { ...READ_LIMITS, counts });
const written = { events: [], now: new Date() };

function draftOf(tenant: number, _id = newUserKey()) {
  const id = `tu_${newKey()}`;
  const person = foldPerson({ name: `User ${id}`, email: `${id}@acme.test` });
  const settings = { role: 'VIEWER' as const, department: '', isActive: true };
  return { _id, id, ...person, ...settings, tenantKey: `t:${tenant}`, tenantId: `t_${tenant}` };
}

const totalOf = async (
  store: TenantUserStore,
  organizationId: string,
  filter: { tenantId?: string; isActive?: boolean } = {},
) => (await store.pageWithExactTotal(organizationId, filter, { skip: 0, limit: 0 })).total;

/** Waits until the marks of the organization are older than the settle time, by the clock of the engine. */
async function settle(organizationId: string): Promise<void> {
  const { at } = await new UserMarks(database).read(organizationId);
  const last = Math.max(0, ...at.map((mark) => mark ?? 0));
  const isSettled = async () => (await new UserMarks(database).read(organizationId)).now >= last + SETTLE_MS;
  while (!(await isSettled())) await sleep(1);
}

/** A promise of a process that has ended. */
const never = () => new Promise<never>(() => {});

/** The users of one part that exist: those that certainly do, and those that may. */
class Tally {
  inserted = { begun: 0, confirmed: 0 };
  deleted = { begun: 0, confirmed: 0 };

  get isCalm(): boolean {
    const { inserted, deleted } = this;
    return inserted.begun === inserted.confirmed && deleted.begun === deleted.confirmed;
  }
}

const ORGANIZATION = 'org_random';
const TENANTS = 2;
const STORES = 3;

/** Writers and readers of several processes, and the slow reference. */
class World {
  readonly stores = Array.from({ length: STORES }, () => openStore());
  readonly marks = Array.from({ length: STORES }, () => new UserMarks(database, LATE_MS));
  /** Of the organization, and of each tenant. */
  readonly tallies = Array.from({ length: 1 + TENANTS }, () => new Tally());
  readonly live: { _id: string; tenant: number }[] = [];
  /** The wrong totals. */
  readonly faults: string[] = [];

  #note(tenant: number, kind: 'inserted' | 'deleted', state: 'begun' | 'confirmed'): void {
    for (const tally of [this.tallies[0], this.tallies[1 + tenant]]) if (tally) tally[kind][state] += 1;
  }

  async insert(store: number, tenant: number, key: string): Promise<void> {
    this.#note(tenant, 'inserted', 'begun');
    await this.stores[store]?.insert(ORGANIZATION, draftOf(tenant, key), written);
    this.live.push({ _id: key, tenant });
    this.#note(tenant, 'inserted', 'confirmed');
  }

  async delete(store: number): Promise<void> {
    const user = this.live.shift();
    const current = user && (await this.stores[store]?.findByKey(ORGANIZATION, user._id));
    if (!user || !current) return;
    this.#note(user.tenant, 'deleted', 'begun');
    await this.stores[store]?.delete(ORGANIZATION, current, written);
    this.#note(user.tenant, 'deleted', 'confirmed');
  }

  /** Inserts a user slowly, in a process that may end as soon as the engine has the user. */
  async insertSlowly(store: number, tenant: number, { beforeMs, afterMs, isKilled }: Slow): Promise<void> {
    const key = newUserKey();
    const sentAt = Date.now();
    this.#note(tenant, 'inserted', 'begun');
    await new Promise<void>((resolve) => {
      const write = async () => {
        await sleep(beforeMs);
        const record = { ...draftOf(tenant, key), organizationId: ORGANIZATION, version: 1, revision: 1 };
        await users.insertOne({ ...record, outbox: [], createdAt: new Date(), updatedAt: new Date() });
        // A process that ends later, after a write that late, is the one case in which a total is wrong.
        if (isKilled && Date.now() - sentAt <= LATE_MS) {
          resolve();
          return never();
        }
        await sleep(afterMs);
        if (isKilled) throw new Error('the outcome is unknown');
      };
      const around = this.marks[store]?.around(ORGANIZATION, key, write);
      void Promise.resolve(around).then(resolve, () => resolve());
    });
    this.live.push({ _id: key, tenant });
    this.#note(tenant, 'inserted', 'confirmed');
  }

  /** Sets a mark in a process that ends before the write. */
  async mark(store: number): Promise<void> {
    let isMarked = () => {};
    const marked = new Promise<void>((resolve) => (isMarked = resolve));
    void this.marks[store]?.around(ORGANIZATION, newUserKey(), () => {
      isMarked();
      return never();
    });
    await marked;
  }

  async count(store: number, part: number, isActive: boolean): Promise<void> {
    const tally = this.tallies[part];
    const reader = this.stores[store];
    if (!tally || !reader) return;
    const before = { ...tally.inserted, ended: tally.deleted.confirmed };
    const filter = {
      ...(part === 0 ? {} : { tenantId: `t_${part - 1}` }),
      ...(isActive ? { isActive } : {}),
    };
    const total = await totalOf(reader, ORGANIZATION, filter);
    const [least, most] = [before.confirmed - tally.deleted.begun, tally.inserted.begun - before.ended];
    if (total < least || total > most) this.faults.push(`${total} is not in [${least}, ${most}]`);
  }

  /** Counts in every process while nothing is in flight: then a single total is right. */
  async countCalmly(): Promise<void> {
    for (let part = 0; part <= TENANTS; part += 1) {
      if (this.tallies[part]?.isCalm === false) this.faults.push('a write is in flight');
      for (let store = 0; store < STORES; store += 1) await this.count(store, part, false);
    }
  }
}

interface Slow {
  beforeMs: number;
  afterMs: number;
  isKilled: boolean;
}

type Step = (world: World) => Promise<void>;
const storeNumber = fc.nat(STORES - 1);
const tenantNumber = fc.nat(TENANTS - 1);
const starts = Array.from({ length: BUCKETS }, (_, bucket) => rangeOf(bucket).$gte);
/** Mostly keys as they are made; others end at the start of a bucket, or are no such text. */
const keyMaker: fc.Arbitrary<() => string> = fc.oneof(
  { weight: 4, arbitrary: fc.constant(() => newUserKey()) },
  fc.constantFrom(...starts).map((start) => () => `${start}-${newKey()}`),
  fc.constantFrom('', 'u:', 'u:é', 'zzz', '~').map((start) => () => `${start}${newKey()}`),
);
const waitMs = fc.oneof(fc.constant(0), fc.nat(LATE_MS / 2), fc.integer({ min: 0, max: 2 * SETTLE_MS }));
const slow = fc.record({ beforeMs: waitMs, afterMs: waitMs, isKilled: fc.boolean() });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.tuple(storeNumber, tenantNumber, keyMaker).map(inserting) },
  { weight: 2, arbitrary: storeNumber.map((store) => (world: World) => world.delete(store)) },
  { weight: 3, arbitrary: fc.tuple(storeNumber, tenantNumber, slow).map(insertingSlowly) },
  { weight: 1, arbitrary: storeNumber.map((store) => (world: World) => world.mark(store)) },
  { weight: 5, arbitrary: fc.tuple(storeNumber, fc.nat(TENANTS), fc.boolean()).map(counting) },
);
function inserting([store, tenant, makeKey]: [number, number, () => string]): Step {
  return (world) => world.insert(store, tenant, makeKey());
}
function insertingSlowly([store, tenant, how]: [number, number, Slow]): Step {
  return (world) => world.insertSlowly(store, tenant, how);
}
function counting([store, part, isActive]: [number, number, boolean]): Step {
  return (world) => world.count(store, part, isActive);
}
const round = fc.record({
  /** Steps that run one after the other, beside other such lines. */
  lines: fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
  isSettled: fc.boolean(),
});

describe('the exact total of tenant users', () => {
  it('is between the numbers before and after concurrent writes, in every process', async () => {
    const world = new World();
    for (let made = 0; made < 8; made += 1) await world.insert(0, made % TENANTS, newUserKey());
    const property = fc.asyncProperty(round, async ({ lines, isSettled }) => {
      const runLine = async (steps: readonly Step[]) => {
        for (const run of steps) await run(world);
      };
      await Promise.all(lines.map(runLine));
      if (isSettled) await settle(ORGANIZATION);
      await world.countCalmly();
      expect(world.faults).toEqual([]);
    });
    // The world goes on from run to run, so a failure cannot be repeated with fewer steps.
    await fc.assert(property, { numRuns: randomRuns(40, 400), endOnFailure: true });
  });
});

/** Counts by buckets in one process, with the number of counts that the store made. */
function openCounter(organizationId: string, limits: Partial<typeof countLimits> = {}) {
  const own = new UserMarks(database, LATE_MS);
  let made: (string | undefined)[] = [];
  const counts = new UserCounts(
    own,
    async (_, keys) => {
      made.push(keys?.$gte);
      return users.countDocuments({ organizationId, ...(keys === undefined ? {} : { _id: keys }) });
    },
    { ...countLimits, ...limits },
  );
  return {
    marks: own,
    async count() {
      made = [];
      const total = await counts.count({ organizationId, tenantId: undefined });
      return { total, made };
    },
  };
}

async function fill(organizationId: string, size: number): Promise<TenantUserDocument[]> {
  const store = openStore();
  const made: TenantUserDocument[] = [];
  for (let index = 0; index < size; index += 1)
    made.push(await store.insert(organizationId, draftOf(index % TENANTS), written));
  return made;
}

describe('the counts of buckets', () => {
  it('are made for large parts alone, and then for the buckets that have changed', async () => {
    const organizationId = 'org_large';
    await fill(organizationId, 2);
    const counter = openCounter(organizationId);
    for (let times = 0; times < 3; times += 1)
      expect(await counter.count()).toEqual({ total: 2, made: [undefined] });
    await fill(organizationId, 1);
    expect(await counter.count()).toEqual({ total: 3, made: [undefined] });
    await settle(organizationId);
    expect((await counter.count()).made).toHaveLength(BUCKETS);
    expect(await counter.count()).toEqual({ total: 3, made: [] });
    const [added] = await fill(organizationId, 1);
    const changed = rangeOf(bucketOf(added?._id ?? '')).$gte;
    // Again and again, until the mark is old enough.
    expect(await counter.count()).toEqual({ total: 4, made: [changed] });
    await settle(organizationId);
    expect(await counter.count()).toMatchObject({ total: 4 });
    expect(await counter.count()).toEqual({ total: 4, made: [] });
  });

  it.each<[string, () => Promise<void>]>([
    ['is confirmed', async () => {}],
    ['has an unknown outcome', () => Promise.reject(new Error('the connection is lost'))],
  ])('made during a late write are not current when it %s', async (_, end) => {
    const organizationId = `org_${newKey()}`;
    await fill(organizationId, 3);
    const counter = openCounter(organizationId);
    await counter.count();
    const added = { ...draftOf(0), organizationId } as unknown as TenantUserDocument;
    const write = async () => {
      await settle(organizationId);
      expect((await counter.count()).total).toBe(3);
      expect(await counter.count()).toEqual({ total: 3, made: [] });
      await users.insertOne(added);
      return end();
    };
    await counter.marks.around(organizationId, added._id, write).catch(() => {});
    expect((await counter.count()).total).toBe(4);
  });

  it('are not made while most buckets may change', async () => {
    const organizationId = 'org_busy';
    await fill(organizationId, 3);
    const counter = openCounter(organizationId, { settleMs: NEVER_EXPIRES });
    await counter.count();
    const buckets = Array.from({ length: BUCKETS }, (_, bucket) => bucket);
    const mark = (chosen: number[]) =>
      marks.updateOne(
        { _id: organizationId },
        { $currentDate: Object.fromEntries(chosen.map((each) => [`b${each}`, true])) },
      );
    await mark(buckets);
    expect(await counter.count()).toEqual({ total: 3, made: [undefined] });
    await marks.deleteOne({ _id: organizationId });
    expect((await counter.count()).made).toHaveLength(BUCKETS);
  });

  it('are those of one organization, also where another has a tenant of the same id', async () => {
    const [large, small] = [`org_${newKey()}`, `org_${newKey()}`];
    await fill(large, 12);
    await fill(small, 6);
    await settle(large);
    await settle(small);
    const store = openStore();
    for (let times = 0; times < 3; times += 1) {
      const totals = [large, small].flatMap((organizationId) => [
        totalOf(store, organizationId),
        totalOf(store, organizationId, { tenantId: 't_0' }),
      ]);
      expect(await Promise.all(totals)).toEqual([12, 6, 6, 3]);
    }
  });

  it('are made two at a time, so that other organizations get connections', async () => {
    let [running, most] = [0, 0];
    const count = async () => {
      most = Math.max(most, (running += 1));
      await sleep(1);
      running -= 1;
      return countLimits.least;
    };
    const counts = new UserCounts(new UserMarks(database), count, countLimits);
    const part = { organizationId: `org_${newKey()}`, tenantId: undefined };
    await counts.count(part);
    await counts.count(part);
    expect(most).toBe(2);
  });

  it('expire, so that users of a release without marks are counted', async () => {
    const organizationId = 'org_former';
    await fill(organizationId, 3);
    await settle(organizationId);
    const counter = openCounter(organizationId, { keptMs: 200 });
    await counter.count();
    await counter.count();
    const unmarked = { ...draftOf(0), organizationId } as unknown as TenantUserDocument;
    await users.insertOne(unmarked);
    await expect.poll(async () => (await counter.count()).total).toBe(4);
  });

  it('are not made in a dry run, which counts what it has written', async () => {
    const organizationId = 'org_dry';
    await fill(organizationId, 3);
    await settle(organizationId);
    const store = openStore();
    await totalOf(store, organizationId);
    expect(await totalOf(store, organizationId)).toBe(3);
    const before = await marks.findOne({ _id: organizationId });
    const dry = async () => {
      await store.insert(organizationId, draftOf(0), written);
      return totalOf(store, organizationId);
    };
    expect(await runCall({ isDry: true }, dry)).toBe(4);
    expect(await totalOf(store, organizationId)).toBe(3);
    expect(await marks.findOne({ _id: organizationId })).toEqual(before);
  });

  it.each([
    ['an organization', undefined, 'byKey'],
    ['a tenant', 't_1', 'byTenantIdAndKey'],
  ])('of %s are read from an index alone', async (_, tenantId, hint) => {
    const organizationId = 'org_explained';
    await fill(organizationId, 6);
    const tenant = tenantId === undefined ? {} : { tenantId };
    const condition = { organizationId, nameFolded: { $gte: '' }, ...tenant, _id: rangeOf(0) };
    const pipeline = [{ $match: condition }, { $group: { _id: 1, n: { $sum: 1 } } }];
    const explained = await users.aggregate(pipeline, { hint }).explain('executionStats');
    expect(JSON.stringify(explained)).not.toContain('FETCH');
    expect(JSON.stringify(explained)).toContain(hint);
  });
});

describe('the marks of a write', () => {
  const key = newUserKey();
  const markOf = async (organizationId: string) =>
    (await marks.findOne({ _id: organizationId }))?.[`b${bucketOf(key)}`];
  const organizationOf = () => `org_${newKey()}`;

  it('are set before it, and not again', async () => {
    const organizationId = organizationOf();
    // No machine is as slow as this limit.
    const own = new UserMarks(database, NEVER_EXPIRES);
    const during = await own.around(organizationId, key, () => markOf(organizationId));
    expect(during).toBeInstanceOf(Date);
    expect(await markOf(organizationId)).toEqual(during);
  });

  it.each<[string, number, () => Promise<void>]>([
    ['has ended late', 0, () => sleep(5)],
    ['has an unknown outcome', NEVER_EXPIRES, () => Promise.reject(new Error('the connection is lost'))],
  ])('are set again if it %s', async (_, lateMs, end) => {
    const organizationId = organizationOf();
    const own = new UserMarks(database, lateMs);
    let during: unknown;
    const write = async () => {
      during = await markOf(organizationId);
      await sleep(5);
      return end();
    };
    await own.around(organizationId, key, write).catch(() => {});
    expect(await markOf(organizationId)).not.toEqual(during);
  });

  it.each([
    ['the clock of the system is set back', () => vi.spyOn(Date, 'now').mockReturnValue(0)],
    ['the machine is suspended', () => vi.spyOn(performance, 'now').mockReturnValue(0)],
  ])('are set again if it has ended late, although %s', async (_, setClock) => {
    const organizationId = organizationOf();
    const own = new UserMarks(database, 3);
    let during: unknown;
    const write = async () => {
      during = await markOf(organizationId);
      await sleep(10);
      setClock();
    };
    await own.around(organizationId, key, write).finally(() => vi.restoreAllMocks());
    expect(await markOf(organizationId)).not.toEqual(during);
  });

  it.each([
    ['lost a race', new WriteConflict()],
    ['is rejected', new AppError('NOT_FOUND')],
  ])('are not set again if it %s', async (_, error) => {
    const organizationId = organizationOf();
    const own = new UserMarks(database, 0);
    let during: unknown;
    const write = async () => {
      during = await markOf(organizationId);
      await sleep(5);
      throw error;
    };
    await expect(own.around(organizationId, key, write)).rejects.toBe(error);
    expect(await markOf(organizationId)).toEqual(during);
  });

  it('are inserted once by processes that mark an organization at the same time', async () => {
    const clients = await Promise.all(
      Array.from({ length: 4 }, () => openDatabases(mongo.url, mongo.prefix)),
    );
    const processes = clients.map((client) => new UserMarks(client.of('directory')));
    for (let times = 0; times < 50; times += 1) {
      const organizationId = organizationOf();
      await Promise.all(processes.map((each) => each.around(organizationId, newUserKey(), async () => {})));
      expect(await marks.countDocuments({ _id: organizationId })).toBe(1);
    }
    await Promise.all(clients.map((client) => client.close()));
  });
});

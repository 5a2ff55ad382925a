import { setImmediate } from 'node:timers/promises';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { readConfig } from '../config.js';
import type { Usage } from './ledger.js';
import { readQuotas } from './limits.js';
import { Quota, type UsageScope } from './quota.js';

const HERE = { organizationId: 'o_1' };
const one: Usage = { records: 1, bytes: 0 };
const refused = (limit: number) => ({
  code: 'QUOTA_EXCEEDED',
  message: `dashboards must be ${limit} or fewer in an organization`,
});

/** A quota on records in memory. */
function createWorld({ records = 0, bytes = 0, tenantPercent = 0 }) {
  const stored: (Usage & UsageScope)[] = [];
  let counts = 0;
  const count = async ({ organizationId, tenantId }: UsageScope) => {
    counts += 1;
    await setImmediate();
    const found = stored.filter(
      (each) => each.organizationId === organizationId && (!tenantId || each.tenantId === tenantId),
    );
    const bytesFound = found.reduce((sum, each) => sum + each.bytes, 0);
    return { records: found.length, bytes: bytesFound };
  };
  const newQuota = () => new Quota({ name: 'dashboards', limits: { records, bytes, tenantPercent }, count });
  const quota = newQuota();
  const insert = async (scope: UsageScope, size = 0, through = quota) => {
    await through.change(scope, { records: 1, bytes: size }, async () => {
      await setImmediate();
      stored.push({ ...scope, records: 1, bytes: size });
    });
  };
  const insertMany = async (length: number, scope: UsageScope = HERE) => {
    const outcomes = await Promise.allSettled(Array.from({ length }, () => insert(scope)));
    return outcomes.filter(({ status }) => status === 'fulfilled').length;
  };
  return { quota, newQuota, stored, insert, insertMany, counts: () => counts };
}

describe('a quota', () => {
  it('limits the records of an organization', async () => {
    const world = createWorld({ records: 3 });
    for (let made = 0; made < 3; made += 1) await world.insert(HERE);
    await expect(world.insert(HERE)).rejects.toMatchObject(refused(3));
    await world.insert({ organizationId: 'o_2' });
    expect(world.stored).toHaveLength(4);
  });

  it('is not exceeded by concurrent writes', async () => {
    const world = createWorld({ records: 10 });
    expect(await world.insertMany(50)).toBe(10);
    expect(world.stored).toHaveLength(10);
  });

  it('limits bytes, and names them in the error', async () => {
    const world = createWorld({ bytes: 10_000 });
    await world.insert(HERE, 9000);
    await expect(world.insert(HERE, 1001)).rejects.toMatchObject({
      message: 'bytes of dashboards must be 10000 or fewer in an organization',
    });
    await world.insert(HERE, 1000);
  });

  it('never rejects a write that does not grow', async () => {
    const world = createWorld({ records: 1, bytes: 100 });
    await world.insert(HERE, 100);
    for (const bytes of [0, -50]) {
      const write = async () => 'written';
      expect(await world.quota.change(HERE, { records: 0, bytes }, write)).toBe('written');
    }
  });

  it('does not count a failed write', async () => {
    const world = createWorld({ records: 1 });
    const fail = () => Promise.reject(new Error('no'));
    await expect(world.quota.change(HERE, one, fail)).rejects.toThrow('no');
    await world.insert(HERE);
    await expect(world.insert(HERE)).rejects.toMatchObject(refused(1));
  });

  it('makes the room of a deleted record available immediately', async () => {
    const world = createWorld({ records: 1 });
    await world.insert(HERE);
    world.stored.pop();
    world.quota.release(HERE, one);
    await world.insert(HERE);
    await expect(world.insert(HERE)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  });

  it('limits the users of one tenant to a part', async () => {
    const world = createWorld({ records: 8, tenantPercent: 25 });
    const tenant = { ...HERE, tenantId: 't_1' };
    expect(await world.insertMany(5, tenant)).toBe(2);
    await expect(world.insert(tenant)).rejects.toMatchObject({
      message: 'dashboards of one tenant must be 2 or fewer in an organization',
    });
    expect(await world.insertMany(5, { ...HERE, tenantId: 't_2' })).toBe(2);
    expect(await world.insertMany(9)).toBe(4);
  });

  it('returns an earlier insertion of the same operation when the quota is exhausted', async () => {
    const world = createWorld({ records: 1 });
    await world.insert(HERE);
    const insertion = { insert: () => Promise.resolve(), findEarlier: () => Promise.resolve('earlier') };
    expect(await world.quota.insert(HERE, 0, insertion)).toBe('earlier');
    const unknown = { ...insertion, findEarlier: () => Promise.resolve(null) };
    await expect(world.quota.insert(HERE, 0, unknown)).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  });

  it('rejects growth, and nothing else, while the usage cannot be counted', async () => {
    const down = () => Promise.reject(new Error('down'));
    const limits = { records: 5, bytes: 0, tenantPercent: 0 };
    const quota = new Quota({ name: 'dashboards', limits, count: down });
    const write = vi.fn<() => Promise<string>>(async () => 'written');
    await expect(quota.change(HERE, one, write)).rejects.toThrow('down');
    expect(write).not.toHaveBeenCalled();
    expect(await quota.change(HERE, { records: 0, bytes: 0 }, write)).toBe('written');
  });

  it('does not count without a limit', async () => {
    const world = createWorld({});
    expect(await world.insertMany(5)).toBe(5);
    expect(world.counts()).toBe(0);
  });

  it('sees the writes of other processes once its count expires', async () => {
    const world = createWorld({ records: 4 });
    const other = world.newQuota();
    await world.insert(HERE);
    for (let made = 0; made < 3; made += 1) await world.insert(HERE, 0, other);
    const now = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_000);
    try {
      // Far from the limit the count runs beside the write, so this write exceeds the limit.
      await world.insert(HERE);
      await setImmediate();
      await setImmediate();
      await expect(world.insert(HERE)).rejects.toMatchObject(refused(4));
    } finally {
      now.mockRestore();
    }
  });

  it('is never exceeded by one process, for any sequence of writes and deletions', async () => {
    const operation = fc.record({
      isDeletion: fc.boolean(),
      tenantId: fc.constantFrom(null, 't_1', 't_2'),
      size: fc.integer({ min: 0, max: 40 }),
      pauses: fc.integer({ min: 0, max: 3 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 60 }), async (operations) => {
        const world = createWorld({ records: 12, bytes: 200, tenantPercent: 50 });
        const sums = (scope: { tenantId?: string }) =>
          world.stored
            .filter((each) => scope.tenantId === undefined || each.tenantId === scope.tenantId)
            .reduce((sum, each) => ({ records: sum.records + 1, bytes: sum.bytes + each.bytes }), {
              records: 0,
              bytes: 0,
            });
        const run = async ({ isDeletion, tenantId, size, pauses }: (typeof operations)[number]) => {
          for (let pause = 0; pause < pauses; pause += 1) await setImmediate();
          const gone = isDeletion ? world.stored.pop() : undefined;
          if (gone !== undefined) world.quota.release(gone, { records: 1, bytes: gone.bytes });
          else await world.insert({ ...HERE, tenantId }, size).catch(() => {});
          expect(sums({}).records).toBeLessThanOrEqual(12);
          expect(sums({}).bytes).toBeLessThanOrEqual(200);
          expect(sums({ tenantId: 't_1' }).records).toBeLessThanOrEqual(6);
          expect(sums({ tenantId: 't_1' }).bytes).toBeLessThanOrEqual(100);
        };
        await Promise.all(operations.map(run));
      }),
      { numRuns: randomRuns(200) },
    );
  });
});

describe('the limits', () => {
  it('are those of the environment', () => {
    const limitsOf = readQuotas(readConfig({ QUOTA_WEBHOOKS: '7', QUOTA_STORAGE_BYTES: '2000' }));
    expect(limitsOf('webhooks')).toEqual({ records: 7, bytes: 2000, tenantPercent: 25 });
  });
});

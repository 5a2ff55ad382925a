import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { FairShares, type FairSharesLimits } from './fairShares.js';

const ROOMY: FairSharesLimits = {
  capacity: 4,
  perShare: 2,
  waitingPerShare: 100,
  waiting: 1000,
  waitMs: 60_000,
};

function withResolvers() {
  let resolve = () => {};
  const promise = new Promise<void>((settled) => {
    resolve = settled;
  });
  return { promise, resolve };
}

/** A task that runs until its test ends it. */
function openTask(order: string[], name: string) {
  const { promise, resolve } = withResolvers();
  const task = async () => {
    order.push(name);
    await promise;
  };
  return { task, end: resolve };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('fair shares', () => {
  it('run at most `perShare` tasks of one share', async () => {
    const shares = new FairShares(ROOMY);
    const order: string[] = [];
    const greedy = Array.from({ length: 50 }, (_, number) => openTask(order, `a${number}`));
    const ended = greedy.map(({ task }) => shares.run('a', task));
    const other = openTask(order, 'b');
    ended.push(shares.run('b', other.task));
    await settle();
    expect(order).toEqual(['a0', 'a1', 'b']);
    for (const { end } of [...greedy, other]) end();
    await Promise.all(ended);
    expect([shares.running, shares.waiting]).toEqual([0, 0]);
  });

  it('run fewer tasks of one share only while other shares are active', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0);
    try {
      const shares = new FairShares({ ...ROOMY, capacity: 8, perShare: 4, perShareContended: 1 });
      const order: string[] = [];
      const tasks = Array.from({ length: 8 }, (_, number) => openTask(order, `a${number}`));
      const ended = tasks.slice(0, 4).map(({ task }) => shares.run('a', task));
      expect(shares.running).toBe(4);
      ended.push(shares.run('b', async () => void order.push('b')));
      ended.push(...tasks.slice(4).map(({ task }) => shares.run('a', task)));
      for (const { end } of tasks.slice(0, 4)) end();
      await settle();
      expect(order).toEqual(['a0', 'a1', 'a2', 'a3', 'b', 'a4']);
      now.mockReturnValue(1001);
      tasks[4]?.end();
      await settle();
      expect(order.slice(6)).toEqual(['a5', 'a6', 'a7']);
      for (const { end } of tasks) end();
      await Promise.all(ended);
    } finally {
      now.mockRestore();
    }
  });

  it('reject with RATE_LIMITED when too many tasks of the share wait', async () => {
    const shares = new FairShares({ ...ROOMY, perShare: 1, waitingPerShare: 1 });
    const first = openTask([], 'first');
    const runs = [shares.run('a', first.task), shares.run('a', async () => {})];
    await expect(shares.run('a', async () => {})).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    first.end();
    await Promise.all(runs);
  });

  it('reject with UNAVAILABLE when too many tasks of all shares wait', async () => {
    const shares = new FairShares({ ...ROOMY, capacity: 1, perShare: 1, waiting: 1 });
    const first = openTask([], 'first');
    const runs = [shares.run('a', first.task), shares.run('b', async () => {})];
    await expect(shares.run('c', async () => {})).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    first.end();
    await Promise.all(runs);
  });

  it('reject a task that has waited too long, without releasing capacity', async () => {
    const shares = new FairShares({ ...ROOMY, perShare: 1, waitMs: 1 });
    const first = openTask([], 'first');
    const running = shares.run('a', first.task);
    await expect(shares.run('a', async () => {})).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect([shares.running, shares.waiting]).toEqual([1, 0]);
    first.end();
    await running;
  });

  it('release the capacity of a task that throws', async () => {
    const shares = new FairShares({ ...ROOMY, capacity: 1, perShare: 1 });
    const failing = async () => {
      throw new Error('failed');
    };
    await expect(shares.run('a', failing)).rejects.toThrow('failed');
    expect(await shares.run('a', async () => 'again')).toBe('again');
  });

  it('never exceed a limit, use all capacity, and start the share with the fewest tasks', async () => {
    const steps = fc.array(
      fc.record({ share: fc.constantFrom('a', 'b', 'c'), ends: fc.boolean(), which: fc.nat(20) }),
      { maxLength: 60 },
    );
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 3 }),
        async (plan, capacity, perShare) => {
          const shares = new FairShares({ ...ROOMY, capacity, perShare });
          const running: { share: string; end: () => void }[] = [];
          const waiting: string[] = [];
          const ended: Promise<void>[] = [];
          const fewest: { expected: number; actual: number }[] = [];
          const countOf = (share: string) => running.filter((task) => task.share === share).length;
          for (const { share, ends, which } of plan) {
            if (ends && running.length > 0) {
              const [task] = running.splice(which % running.length, 1);
              task?.end();
              await settle();
            } else {
              waiting.push(share);
              ended.push(
                shares.run(share, () => {
                  const startable = waiting.filter((name) => countOf(name) < perShare);
                  fewest.push({ expected: Math.min(...startable.map(countOf)), actual: countOf(share) });
                  waiting.splice(waiting.indexOf(share), 1);
                  const { promise, resolve } = withResolvers();
                  running.push({ share, end: resolve });
                  return promise;
                }),
              );
              await settle();
            }
            expect(running.length).toBeLessThanOrEqual(capacity);
            expect(shares.running).toBe(running.length);
            expect(shares.waiting).toBe(waiting.length);
            for (const name of ['a', 'b', 'c']) expect(countOf(name)).toBeLessThanOrEqual(perShare);
            const startable = waiting.filter((name) => countOf(name) < perShare);
            expect(running.length === capacity || startable.length === 0).toBe(true);
          }
          while (running.length > 0) {
            for (const { end } of running.splice(0)) end();
            await settle();
          }
          await Promise.all(ended);
          expect([shares.running, shares.waiting]).toEqual([0, 0]);
        },
      ),
      { numRuns: randomRuns(100) },
    );
  });
});

describe('the parties of a share', () => {
  it('take turns, so that one that floods the share delays another by one task', async () => {
    const shares = new FairShares({ ...ROOMY, waitingPerShare: 8 });
    const order: string[] = [];
    const flood = Array.from({ length: 4 }, (_, number) => openTask(order, `flood${number}`));
    const ended = flood.map(({ task }) => shares.run('o', task, 'loud'));
    ended.push(
      ...['quiet0', 'quiet1'].map((name) => shares.run('o', async () => void order.push(name), 'quiet')),
    );
    await settle();
    expect(order).toEqual(['flood0', 'flood1']);
    flood[0]?.end();
    await settle();
    expect(order).toEqual(['flood0', 'flood1', 'quiet0', 'quiet1', 'flood2']);
    for (const { end } of flood) end();
    await Promise.all(ended);
    expect([shares.running, shares.waiting]).toEqual([0, 0]);
  });

  it('have a quarter of the waiting tasks each, and tasks without a party have all of them', async () => {
    const shares = new FairShares({ ...ROOMY, waitingPerShare: 8 });
    const tasks = [1, 2, 3, 4].map(() => openTask([], 'loud'));
    const ended = tasks.map(({ task }) => shares.run('o', task, 'loud'));
    await expect(shares.run('o', async () => {}, 'loud')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    ended.push(...Array.from({ length: 6 }, () => shares.run('o', async () => {})));
    await expect(shares.run('o', async () => {})).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await expect(shares.run('o', async () => {}, 'quiet')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    for (const { end } of tasks) end();
    await Promise.all(ended);
    expect([shares.running, shares.waiting]).toEqual([0, 0]);
  });
});

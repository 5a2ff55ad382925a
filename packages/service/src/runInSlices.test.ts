import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runInSlices } from './runInSlices.js';

/** Steps that take longer than one slice together. */
function* steps(count: number, log: string[], name: string): Generator<void, string> {
  for (let step = 0; step < count; step += 1) {
    const end = performance.now() + 2;
    while (performance.now() < end);
    log.push(name);
    yield;
  }
  return name;
}

it('returns the result, and lets others run between the slices', async () => {
  let turns = 0;
  let isDone = false;
  const counting = (async () => {
    while (!isDone) {
      await setImmediate();
      turns += 1;
    }
  })();
  expect(await runInSlices(steps(20, [], 'a'))).toBe('a');
  isDone = true;
  await counting;
  expect(turns).toBeGreaterThan(2);
});

it('ends short work without a turn of the event loop', async () => {
  let isTurn = false;
  const turn = setImmediate().then(() => (isTurn = true));
  expect(await runInSlices(steps(0, [], 'a'))).toBe('a');
  expect(isTurn).toBe(false);
  await turn;
});

it('divides the slices between several callers', async () => {
  const log: string[] = [];
  await Promise.all(['a', 'b'].map((name) => runInSlices(steps(10, log, name))));
  expect(log.indexOf('b')).toBeLessThan(log.lastIndexOf('a'));
});

it('rejects with the error of a step', async () => {
  const failing = (function* (): Generator<void, void> {
    yield;
    throw new Error('broken');
  })();
  await expect(runInSlices(failing)).rejects.toThrow('broken');
});

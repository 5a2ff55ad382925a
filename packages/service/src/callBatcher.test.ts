import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CallBatcher } from './callBatcher.js';

/** Calls that the test settles. */
function startCalls() {
  const begun: { place: string; keys: string[]; end: (fault?: Error) => void }[] = [];
  const calls = new CallBatcher(
    (place: string) => place,
    (place, keys: string[]) =>
      new Promise<string>((resolve, reject) => {
        const end = (fault?: Error) => (fault ? reject(fault) : resolve(`call ${begun.length}`));
        begun.push({ place, keys, end });
      }),
  );
  const untilBegun = async (count: number) => {
    while (begun.length < count) await setImmediate();
  };
  return { calls, begun, untilBegun };
}

describe('batched calls', () => {
  it('become one call with all keys', async () => {
    const { calls, begun, untilBegun } = startCalls();
    const answers = Promise.all([calls.load('here', ['a']), calls.load('here', ['b', 'c'])]);
    await untilBegun(1);
    begun[0]?.end();
    expect(await answers).toEqual(['call 1', 'call 1']);
    expect(begun.map(({ keys }) => keys)).toEqual([['a', 'b', 'c']]);
  });

  it('are never shared between places', async () => {
    const { calls, begun, untilBegun } = startCalls();
    void calls.load('here', ['a']);
    void calls.load('there', ['a']);
    await untilBegun(2);
    expect(begun.map(({ place }) => place)).toEqual(['here', 'there']);
  });

  it('begin after each request: a running call is not shared with later callers', async () => {
    const { calls, begun, untilBegun } = startCalls();
    const first = calls.load('here', ['a']);
    await untilBegun(1);
    const later = Promise.all([calls.load('here', ['a']), calls.load('here', ['b'])]);
    await setImmediate();
    await setImmediate();
    expect(begun).toHaveLength(1);
    begun[0]?.end();
    expect(await first).toBe('call 1');
    await untilBegun(2);
    expect(begun[1]?.keys).toEqual(['a', 'b']);
    begun[1]?.end();
    expect(await later).toEqual(['call 2', 'call 2']);
  });

  it('fail for the callers that share them, and not for later ones', async () => {
    const { calls, begun, untilBegun } = startCalls();
    const both = Promise.allSettled([calls.load('here', ['a']), calls.load('here', ['b'])]);
    await untilBegun(1);
    const next = calls.load('here', ['c']);
    begun[0]?.end(new Error('gone'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await untilBegun(2);
    begun[1]?.end();
    expect(await next).toBe('call 2');
  });
});

import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SharedReads } from './sharedReads.js';

/** Reads whose ends the test decides on. */
function startReads() {
  const begun: { place: string; keys: string[]; end: (fault?: Error) => void }[] = [];
  const reads = new SharedReads(
    (place: string) => place,
    (place, keys: string[]) =>
      new Promise<string>((resolve, reject) => {
        const end = (fault?: Error) => (fault ? reject(fault) : resolve(`read ${begun.length}`));
        begun.push({ place, keys, end });
      }),
  );
  const untilBegun = async (count: number) => {
    while (begun.length < count) await setImmediate();
  };
  return { reads, begun, untilBegun };
}

describe('reads that are asked for together', () => {
  it('are made as one, of all the keys', async () => {
    const { reads, begun, untilBegun } = startReads();
    const answers = Promise.all([reads.find('here', ['a']), reads.find('here', ['b', 'c'])]);
    await untilBegun(1);
    begun[0]?.end();
    expect(await answers).toEqual(['read 1', 'read 1']);
    expect(begun.map(({ keys }) => keys)).toEqual([['a', 'b', 'c']]);
  });

  it('are never shared between places', async () => {
    const { reads, begun, untilBegun } = startReads();
    void reads.find('here', ['a']);
    void reads.find('there', ['a']);
    await untilBegun(2);
    expect(begun.map(({ place }) => place)).toEqual(['here', 'there']);
  });

  it('begin after the question: one that is under way answers nobody who came later', async () => {
    const { reads, begun, untilBegun } = startReads();
    const first = reads.find('here', ['a']);
    await untilBegun(1);
    const later = Promise.all([reads.find('here', ['a']), reads.find('here', ['b'])]);
    await setImmediate();
    await setImmediate();
    expect(begun).toHaveLength(1);
    begun[0]?.end();
    expect(await first).toBe('read 1');
    await untilBegun(2);
    expect(begun[1]?.keys).toEqual(['a', 'b']);
    begun[1]?.end();
    expect(await later).toEqual(['read 2', 'read 2']);
  });

  it('fail for all who share them, and for nobody after', async () => {
    const { reads, begun, untilBegun } = startReads();
    const both = Promise.allSettled([reads.find('here', ['a']), reads.find('here', ['b'])]);
    await untilBegun(1);
    const next = reads.find('here', ['c']);
    begun[0]?.end(new Error('gone'));
    expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await untilBegun(2);
    begun[1]?.end();
    expect(await next).toBe('read 2');
  });
});

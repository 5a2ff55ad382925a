import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

const { signal: never } = new AbortController();

/** Turns, with who has had one in their order. */
function createTurns(count: number, share: number) {
  const turns = new Turns({ count, share });
  const begun: string[] = [];
  return {
    begun,
    begin: (party: string, name: string, signal = never) =>
      turns.begin(party, signal).then(() => void begun.push(name)),
    async end(party: string) {
      turns.end(party);
      await new Promise(setImmediate);
    },
  };
}

describe('Turns', () => {
  it('lets so many through at once, and the others in their order', async () => {
    const { begin, end, begun } = createTurns(2, 2);
    void Promise.all(['1', '2', '3', '4'].map((name) => begin('a', name)));
    await new Promise(setImmediate);
    expect(begun).toEqual(['1', '2']);
    await end('a');
    expect(begun).toEqual(['1', '2', '3']);
    await end('a');
    expect(begun).toEqual(['1', '2', '3', '4']);
  });

  it('lets a party have no more than its share, though there be room', async () => {
    const { begin, end, begun } = createTurns(3, 2);
    void Promise.all(['a1', 'a2', 'a3'].map((name) => begin('a', name)));
    void begin('b', 'b1');
    await new Promise(setImmediate);
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('b');
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await end('a');
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('gives the next turn to the party that has the fewest, and not to whoever waits with the most', async () => {
    const { begin, end, begun } = createTurns(3, 2);
    void Promise.all(['a1', 'b1', 'a2'].map((name) => begin(name.charAt(0), name)));
    void Promise.all(['b2', 'b3', 'a3', 'c1', 'c2'].map((name) => begin(name.charAt(0), name)));
    await new Promise(setImmediate);
    await end('a');
    expect(begun).toEqual(['a1', 'b1', 'a2', 'c1']);
    await end('c');
    expect(begun.at(-1)).toBe('c2');
    await end('a');
    expect(begun.at(-1)).toBe('a3');
  });

  it('forgets those who have given up waiting', async () => {
    const { begin, end, begun } = createTurns(1, 1);
    await begin('a', 'first');
    const impatient = new AbortController();
    const gone = begin('a', 'gone', impatient.signal);
    const patient = begin('a', 'patient');
    impatient.abort(new Error('Too late'));
    await expect(gone).rejects.toThrow('Too late');
    await end('a');
    await patient;
    await end('a');
    await begin('a', 'last');
    expect(begun).toEqual(['first', 'patient', 'last']);
    await expect(begin('a', 'none', AbortSignal.abort(new Error('Before')))).rejects.toThrow('Before');
  });
});

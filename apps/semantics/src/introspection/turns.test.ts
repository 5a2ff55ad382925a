import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

const { signal: never } = new AbortController();

describe('Turns', () => {
  it('lets so many through at once, and the others in their order', async () => {
    const turns = new Turns(2);
    const begun: number[] = [];
    const waits = [1, 2, 3, 4].map((who) => turns.begin(never).then(() => begun.push(who)));
    await Promise.all(waits.slice(0, 2));
    expect(begun).toEqual([1, 2]);
    turns.end();
    await waits[2];
    expect(begun).toEqual([1, 2, 3]);
    turns.end();
    await waits[3];
    expect(begun).toEqual([1, 2, 3, 4]);
  });

  it('forgets those who have given up waiting', async () => {
    const turns = new Turns(1);
    await turns.begin(never);
    const impatient = new AbortController();
    const [gone, patient] = [turns.begin(impatient.signal), turns.begin(never)];
    impatient.abort(new Error('Too late'));
    await expect(gone).rejects.toThrow('Too late');
    turns.end();
    await patient;
    turns.end();
    await turns.begin(never);
    await expect(turns.begin(AbortSignal.abort(new Error('Before')))).rejects.toThrow('Before');
  });
});

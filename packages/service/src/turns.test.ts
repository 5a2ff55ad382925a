import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

/** Lets callers wait for turns at once. Returns them in the order in which they continued, with the turn. */
async function continueAll(shares: readonly string[]) {
  const turns = new Turns();
  let turn = 0;
  let isRunning = true;
  const countTurns = () => {
    turn += 1;
    if (isRunning) setImmediate(countTurns);
  };
  countTurns();
  const continued: { index: number; share: string; turn: number }[] = [];
  await Promise.all(
    shares.map(async (share, index) => {
      await turns.next(share);
      continued.push({ index, share, turn });
    }),
  );
  isRunning = false;
  return continued;
}

describe('callers that wait for turns of the event loop', () => {
  it('continue in their order, each in another turn', async () => {
    const continued = await continueAll(Array.from({ length: 20 }, () => 'p_one'));
    expect(continued.map(({ index }) => index)).toEqual(continued.map((_, index) => index));
    expect(new Set(continued.map(({ turn }) => turn)).size).toBe(20);
  });

  it('of one share do not wait for the many callers of another', async () => {
    const continued = await continueAll([...Array.from({ length: 50 }, () => 'p_many'), 'p_one', 'p_one']);
    const places = continued.flatMap(({ share }, place) => (share === 'p_one' ? [place] : []));
    expect(Math.max(...places)).toBeLessThan(6);
  });
});

import { describe, expect, it } from 'vitest';
import { Turns } from './turns.js';

describe('callers that wait for turns of the event loop', () => {
  it('continue in their order, each in another turn', async () => {
    const turns = new Turns();
    let turn = 0;
    let isRunning = true;
    const countTurns = () => {
      turn += 1;
      if (isRunning) setImmediate(countTurns);
    };
    countTurns();
    const callers = Array.from({ length: 20 }, (_, index) => index);
    const continued: { index: number; turn: number }[] = [];
    await Promise.all(
      callers.map(async (index) => {
        await turns.next();
        continued.push({ index, turn });
      }),
    );
    isRunning = false;
    expect(continued.map(({ index }) => index)).toEqual(callers);
    expect(new Set(continued.map((each) => each.turn)).size).toBe(20);
  });
});

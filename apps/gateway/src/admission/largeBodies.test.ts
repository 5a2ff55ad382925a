import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { LARGE_BODY_BYTES, LargeBodies } from './largeBodies.js';

const LARGE = LARGE_BODY_BYTES + 1;

describe('large bodies', () => {
  it('of one organization are admitted one after the other, those of another immediately', async () => {
    const bodies = new LargeBodies(60_000);
    const entered: string[] = [];
    const enter = async (share: string, name: string) => {
      const leave = await bodies.enter(share, LARGE);
      entered.push(name);
      return leave;
    };
    const [first, second, other] = [enter('o_1', 'first'), enter('o_1', 'second'), enter('o_2', 'other')];
    await turn();
    expect(entered).toEqual(['first', 'other']);
    (await first)();
    await turn();
    // The next one waits for the time that the bytes of the first one take.
    expect(entered).toEqual(['first', 'other']);
    (await second)();
    expect(entered).toEqual(['first', 'other', 'second']);
    (await other)();
  });

  it('beyond the queue of their organization are rejected with 429', async () => {
    const bodies = new LargeBodies(60_000);
    await bodies.enter('o_1', LARGE);
    // They time out a minute later, after the end of the test.
    for (let count = 0; count < 64; count += 1) bodies.enter('o_1', LARGE).catch(() => {});
    await expect(bodies.enter('o_1', LARGE)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    await bodies.enter('o_2', LARGE);
  });

  it('do not include small ones, which never wait', async () => {
    const bodies = new LargeBodies(60_000);
    const entering = Array.from({ length: 100 }, () => bodies.enter('o_1', LARGE_BODY_BYTES));
    expect(await Promise.all(entering)).toHaveLength(100);
  });
});

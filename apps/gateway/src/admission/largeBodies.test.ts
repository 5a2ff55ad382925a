import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { memberOf, unauthenticatedCaller } from './caller.js';
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

  it('without a token begin at 32 KiB, and wait for those of their address alone', async () => {
    const bodies = new LargeBodies(60_000);
    const [one, other] = [unauthenticatedCaller('192.0.2.1'), unauthenticatedCaller('192.0.2.2')];
    const entered: string[] = [];
    const enter = (name: string, ...[caller, bytes]: Parameters<LargeBodies['enterOf']>) =>
      void bodies.enterOf(caller, bytes).then(
        () => entered.push(name),
        () => {},
      );
    for (const name of ['first', 'second']) enter(name, one, 32 * 1024 + 1);
    enter('small', one, 32 * 1024);
    enter('other', other, LARGE);
    enter('member', memberOf('o_1'), LARGE);
    enter('smaller member', memberOf('o_1'), LARGE_BODY_BYTES);
    await turn();
    expect(entered.toSorted()).toEqual(['first', 'member', 'other', 'small', 'smaller member']);
  });

  it('do not include small ones, which never wait', async () => {
    const bodies = new LargeBodies(60_000);
    const entering = Array.from({ length: 100 }, () => bodies.enter('o_1', LARGE_BODY_BYTES));
    expect(await Promise.all(entering)).toHaveLength(100);
  });
});

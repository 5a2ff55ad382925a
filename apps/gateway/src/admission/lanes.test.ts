import { setImmediate as turn } from 'node:timers/promises';
import type { AppError, RouteLane } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { memberOf, unauthenticatedCaller, type Caller } from './caller.js';
import { Lanes } from './admission.js';

const WAIT_MS = 600_000;
/** Creates lanes. A lone organization uses its whole share; beside others it uses an eighth of it. */
const start = (inFlight: number, perOrganization = 4) =>
  new Lanes({ inFlight, perOrganization, waitMs: WAIT_MS });

interface Entering {
  /** `waits`, `runs` or the code of an error. */
  outcome: string;
  leave(): void;
}

/** Tries to enter and returns the outcome after one turn of the event loop. */
async function enter(lanes: Lanes, caller: Caller, lane: RouteLane = 'short'): Promise<Entering> {
  const entering: Entering = { outcome: 'waits', leave: () => {} };
  lanes.enter(lane, caller).then(
    (leave) => Object.assign(entering, { outcome: 'runs', leave }),
    (error: AppError) => Object.assign(entering, { outcome: error.code }),
  );
  await turn();
  return entering;
}

async function enterMany(lanes: Lanes, callers: Caller[], lane?: RouteLane): Promise<string[]> {
  const entered: Entering[] = [];
  for (const caller of callers) entered.push(await enter(lanes, caller, lane));
  return entered.map(({ outcome }) => outcome);
}

const times = (count: number, caller: Caller) => Array.from({ length: count }, () => caller);

describe('lanes', () => {
  it('reject an organization beyond its own queue with 429, and run others immediately', async () => {
    const lanes = start(64);
    const outcomes = await enterMany(lanes, times(14, memberOf('o_1')));
    expect(outcomes).toEqual([
      ...Array.from({ length: 4 }, () => 'runs'),
      ...Array.from({ length: 8 }, () => 'waits'),
      'RATE_LIMITED',
      'RATE_LIMITED',
    ]);
    expect(await enterMany(lanes, times(2, memberOf('o_2')))).toEqual(['runs', 'waits']);
    expect(lanes.isFull).toBe(false);
  });

  it('serve a tenant next whose organization another tenant floods', async () => {
    const lanes = start(64);
    const flood = await Promise.all(
      times(7, memberOf('o_1', { tenantId: 'loud' })).map((caller) => enter(lanes, caller)),
    );
    expect(flood.map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 4 }, () => 'runs'),
      ...Array.from({ length: 2 }, () => 'waits'),
      'RATE_LIMITED',
    ]);
    const quiet = await enter(lanes, memberOf('o_1', { tenantId: 'quiet' }));
    const staff = await enter(lanes, memberOf('o_1'));
    flood[0]?.leave();
    flood[1]?.leave();
    await turn();
    expect([quiet, staff, flood[4]].map((each) => each?.outcome)).toEqual(['runs', 'runs', 'waits']);
  });

  it('run short requests of an organization whose long ones have used up their places', async () => {
    const lanes = start(64);
    expect(await enterMany(lanes, times(4, memberOf('o_1')), 'long')).toEqual([
      'runs',
      'waits',
      'waits',
      'RATE_LIMITED',
    ]);
    expect(await enterMany(lanes, [memberOf('o_1')])).toEqual(['runs']);
  });

  it('divide the share of callers without a token by address', async () => {
    const lanes = start(64);
    const flood = await enterMany(lanes, times(20, unauthenticatedCaller('10.0.0.1')));
    expect(flood.filter((outcome) => outcome === 'runs')).toHaveLength(2);
    expect(flood.at(-1)).toBe('RATE_LIMITED');
    expect(await enterMany(lanes, times(2, unauthenticatedCaller('10.0.0.2')))).toEqual(['runs', 'runs']);
    expect(await enterMany(lanes, [memberOf('o_1')])).toEqual(['runs']);
  });

  it('reject callers without a token with 429 even if all of their share is used up', async () => {
    const lanes = start(64);
    const callers = Array.from({ length: 60 }, (_, index) => unauthenticatedCaller(`10.0.0.${index}`));
    const outcomes = await enterMany(lanes, callers);
    expect(new Set(outcomes)).toEqual(new Set(['runs', 'waits', 'RATE_LIMITED']));
    expect(await enterMany(lanes, [memberOf('o_1')])).toEqual(['runs']);
  });

  it('reject with 503 only when the whole gateway is full, and report it in `isFull`', async () => {
    const lanes = start(2);
    const first = await enter(lanes, memberOf('o_1'));
    const second = await enter(lanes, memberOf('o_2'), 'long');
    expect([first.outcome, second.outcome, lanes.isFull]).toEqual(['runs', 'runs', true]);
    expect(await enterMany(lanes, [memberOf('o_3'), unauthenticatedCaller('10.0.0.1')])).toEqual([
      'UNAVAILABLE',
      'UNAVAILABLE',
    ]);
    first.leave();
    expect(lanes.isFull).toBe(false);
    expect(await enterMany(lanes, [memberOf('o_3')])).toEqual(['runs']);
  });

  it('hold parked requests apart, up to four times the share of an organization', async () => {
    const lanes = start(640);
    const caller = memberOf('o_1');
    const parked = await Promise.all(Array.from({ length: 16 }, () => lanes.park(caller)));
    await expect(lanes.park(caller)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    expect(await enterMany(lanes, times(4, caller))).toEqual(['runs', 'runs', 'runs', 'runs']);
    for (const leave of parked) leave();
    await turn();
    (await lanes.park(caller))();
    await turn();
    expect(lanes.inFlight).toBe(4);
  });

  it('release every place', async () => {
    const lanes = start(64);
    const callers = [memberOf('o_1'), unauthenticatedCaller('10.0.0.1'), unauthenticatedCaller('10.0.0.1')];
    const entered: Entering[] = [];
    for (const caller of [...callers, ...callers, ...callers]) entered.push(await enter(lanes, caller));
    while (entered.length > 0) {
      const next = entered.findIndex(({ outcome }) => outcome === 'runs');
      for (const { leave } of entered.splice(next, 1)) leave();
      await turn();
    }
    expect(lanes.inFlight).toBe(0);
  });
});

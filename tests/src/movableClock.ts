import { expect } from 'vitest';
import type { SpawnedServer } from './servers.js';

export const HOUR_MS = 3_600_000;
/** One after the other, with each signal. */
const SHIFTS_MS = [0, HOUR_MS, 0, -HOUR_MS];

const MOVED = '(moved)';

/**
 * Runs in the program: moves the time by the given amount, as an operator does on a machine. Timers use
 * another clock.
 */
const CODE = `
const shiftsMs = ${JSON.stringify(SHIFTS_MS)};
const Real = Date;
let moves = 0;
const now = () => Real.now() + shiftsMs[moves % shiftsMs.length];
globalThis.Date = class extends Real {
  constructor(...parts) { if (parts.length > 0) super(...parts); else super(now()); }
  static now() { return now(); }
};
process.on('SIGUSR2', () => {
  moves += 1;
  process.stderr.write('${MOVED}');
});
`;

/** The `NODE_OPTIONS` of a program whose clock can be moved. */
export const MOVABLE_CLOCK = `--import=data:text/javascript,${encodeURIComponent(CODE)}`;

/** Moves the clock of such a program on: to an hour ahead, then back, then to an hour behind, then back. */
export async function moveClock({ pid, errors }: SpawnedServer): Promise<void> {
  const before = errors().split(MOVED).length;
  process.kill(pid, 'SIGUSR2');
  await expect.poll(() => errors().split(MOVED).length).toBe(before + 1);
}

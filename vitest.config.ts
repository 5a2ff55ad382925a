import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The workspace is tested from its sources: the packages export them under this condition. */
const conditions = ['@gatehouse/source', 'module', 'node', 'development|production'];

const minuteMs = 60_000;

/** These kill processes, cut connections or watch the clock: one after the other, with the machine to themselves. */
const aloneOnTheMachine = [
  'crash',
  'crashedRequests',
  'launch',
  'natsOutage',
  'revocation',
  'tokenAttacks',
].map((name) => `tests/${name}.test.ts`);

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    pool: 'forks',
    maxWorkers: Math.min(availableParallelism(), 4),
    projects: [
      {
        extends: true,
        test: {
          name: 'parts',
          include: ['{apps,packages}/*/src/**/*.test.ts', 'bench/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          testTimeout: minuteMs / 2,
          hookTimeout: minuteMs,
        },
      },
      {
        // These ask the whole platform, in both of its forms.
        extends: true,
        test: {
          name: 'platform',
          include: ['tests/**/*.test.ts'],
          exclude: aloneOnTheMachine,
          sequence: { groupOrder: 1 },
          testTimeout: 5 * minuteMs,
          hookTimeout: 2 * minuteMs,
        },
      },
      {
        extends: true,
        test: {
          name: 'alone',
          include: aloneOnTheMachine,
          fileParallelism: false,
          sequence: { groupOrder: 2 },
          testTimeout: 5 * minuteMs,
          hookTimeout: 2 * minuteMs,
        },
      },
    ],
  },
});

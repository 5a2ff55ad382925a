import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The workspace is tested from its sources: the packages export them under this condition. */
const conditions = ['@gatehouse/source', 'module', 'node', 'development|production'];

const minuteMs = 60_000;

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
        // These start whole meshes, kill them and watch the clock: one file after the other, with the machine to itself.
        extends: true,
        test: {
          name: 'mesh',
          include: ['tests/**/*.test.ts'],
          fileParallelism: false,
          sequence: { groupOrder: 1 },
          testTimeout: 5 * minuteMs,
          hookTimeout: 2 * minuteMs,
        },
      },
    ],
  },
});

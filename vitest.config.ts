import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { nightlyTests } from './dev/testRun/nightlyTests.mjs';

/** Parts are tested from their sources: the packages export them under this condition. */
// Not `module`, which Node does not know either: some packages have files under it that only bundlers can
// read.
const conditions = ['@gatehouse/source', 'node', 'development|production'];
/** The platform is tested as built: Node loads that natively, in half of the time. */
const asBuilt = { server: { deps: { external: [/\/(?:apps|packages|dev)\/[a-zA-Z]+\/dist\//] } } };
const minuteMs = 60_000;
/**
 * The limit for a test that hangs: a multiple of the duration of any test on an idle machine. A limit that a
 * slow or busy machine reaches has no information about the code. The same applies to `expect.poll`.
 */
export const limits = {
  testTimeout: 30 * minuteMs,
  hookTimeout: 10 * minuteMs,
  expect: { poll: { timeout: 2 * minuteMs } },
};
/** A file that is named runs in any case. */
const runsAll = process.env['ALL_TESTS'] === '1' || process.argv.some((name) => name.endsWith('.test.ts'));
const endProcesses = 'packages/testing/src/endProcesses.ts';
/** Tests that measure time run at the priority of other programs, all others at a slightly lower one. */
const lowPriority = { isolate: false, setupFiles: ['dev/testRun/lowPriority.mjs', endProcesses] };
const timed = ['natsOutage', 'dependencyFaults', 'stopping', 'revocation', 'tokenAttacks'].map(
  (name) => `tests/${name}.test.ts`,
);

/** The project of a package: it has the name of the folder. */
function projectOf(folder: string): TestProjectInlineConfiguration {
  const include = [`${folder}/**/*.test.ts`];
  return {
    extends: true,
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: { ...lowPriority, name: path.basename(folder), include },
  };
}

const packages = ['apps', 'packages', 'dev'].flatMap((parent) =>
  readdirSync(path.join(import.meta.dirname, parent)).map((name) => `${parent}/${name}`),
);

export default defineConfig({
  test: {
    pool: 'forks',
    exclude: ['**/node_modules/**', '**/dist/**', ...(runsAll ? [] : nightlyTests)],
    ...limits,
    globalSetup: path.join(import.meta.dirname, 'dev/testRun/leftProcesses.mjs'),
    // More workers than cores: each waits occasionally, for a delivery or a process that starts.
    maxWorkers: Math.min(availableParallelism(), 4) + 1,
    // In the folder of the package whose task this is.
    reporters: ['default', ['json', { outputFile: path.resolve('test-results/report.json') }]],
    projects: [
      ...[...packages, 'bench', 'scripts'].map(projectOf),
      {
        // Tests of the whole platform, in both deployment modes.
        extends: true,
        test: {
          ...asBuilt,
          ...lowPriority,
          name: 'platform',
          include: ['tests/*.test.ts'],
          exclude: timed,
        },
      },
      { extends: true, test: { ...asBuilt, name: 'timed', setupFiles: endProcesses, include: timed } },
    ],
  },
});

import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Parts are tested from their sources: the packages export them under this condition. */
// Not `module`, which Node does not know either: some packages have under it what only bundlers can read.
const conditions = ['@gatehouse/source', 'node', 'development|production'];
/** The platform is tested as it was built: Node loads that by itself, in half of the time. */
const asBuilt = { server: { deps: { external: [/\/(?:apps|packages)\/[a-z]+\/dist\//] } } };

const minuteMs = 60_000;

const inTests = (name: string) => `tests/${name}.test.ts`;

/** These watch the clock, and for the most part wait. All others make way for them: see `makeWay`. */
const timedFirst = ['natsOutage', 'dependencyFaults'].map(inTests);
const timedLater = ['stopping', 'revocation', 'tokenAttacks'].map(inTests);
const makeWay = { setupFiles: 'scripts/makeWay.mjs' };

/** The longest ones, the longest first: one that is begun last keeps one worker busy and leaves the others idle. */
const longest = [
  ...[
    'launch',
    'crash',
    'migrationCrash',
    'scopes',
    'statuses',
    'accessCases',
    'randomJson',
    'operationsUpgrade',
    'randomOrganizations',
    'badInput',
    'eventReplay',
    'matrix',
    'console',
    'eventFaults',
    'crashedRequests',
    'operationsRotation',
    'connections',
    'operationsBackup',
    'audit',
  ].map(inTests),
  'apps/audit/src/deliveryWorkers.test.ts',
  'apps/policy/src/testing/postgresDifferential.test.ts',
  'packages/service/src/events/natsBus.test.ts',
  'apps/audit/src/deliveryCrash.test.ts',
  'packages/engine/src/embeddedEngine.test.ts',
  'packages/engine/src/newerLibc.test.ts',
  'apps/lifecycle/src/git/dashboardCommits.test.ts',
  'apps/access/src/logic/organizations.test.ts',
  'apps/policy/src/polyglot/sqliteDifferential.test.ts',
];

/** What holds over HTTP, asked again of the platform's images: tests that look at nothing but answers and the database. */
const askedOfImages = [
  'accessCases',
  'accessHistory',
  'audit',
  'badInput',
  'cli',
  'client',
  'connections',
  'crashedRequests',
  'idempotency',
  'matrix',
  'platform',
  'policy',
  'preconditions',
  'previewFreshness',
  'randomJson',
  'randomOrganizations',
  'recreatedIds',
  'scopes',
  'semantics',
  'statuses',
  'validation',
  'validationInput',
  'validationStream',
].map(inTests);

/** Needs a container engine and images: `npm run test:containers` adds it. */
const containerProject: TestProjectInlineConfiguration = {
  extends: true,
  test: {
    ...asBuilt,
    name: 'containers',
    include: ['tests/containers/**/*.test.ts', ...askedOfImages],
    globalSetup: 'tests/containers/globalSetup.ts',
    // Each platform is eight containers.
    fileParallelism: false,
    testTimeout: 5 * minuteMs,
    hookTimeout: 5 * minuteMs,
  },
};

/** A worker goes on to another file only when that is of the same project, so each project's files come one after the other. */
function phaseOf({ project: { name }, moduleId }: TestSpecification): number {
  if (name === 'timed') return timedFirst.some((path) => moduleId.endsWith(`/${path}`)) ? 0 : 2;
  return name === 'platform' ? 1 : 3;
}

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const placeOf = (file: TestSpecification) => {
      const place = longest.findIndex((path) => file.moduleId.endsWith(`/${path}`));
      return place === -1 ? longest.length : place;
    };
    return files.toSorted((one, other) => phaseOf(one) - phaseOf(other) || placeOf(one) - placeOf(other));
  }
}

export default defineConfig({
  test: {
    pool: 'forks',
    // More than there are cores: each waits now and then, for a delivery or a process that starts, and those that watch the clock for
    // the most part.
    maxWorkers: Math.min(availableParallelism(), 4) + 2,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        resolve: { conditions },
        ssr: { resolve: { conditions } },
        test: {
          ...makeWay,
          name: 'parts',
          isolate: false,
          include: ['{apps,packages}/*/src/**/*.test.ts', 'bench/src/**/*.test.ts', 'scripts/**/*.test.ts'],
          testTimeout: minuteMs / 2,
          hookTimeout: minuteMs,
        },
      },
      ...(process.env['CONTAINERS'] === '1' ? [containerProject] : []),
      {
        // These ask the whole platform, in both of its forms.
        extends: true,
        test: {
          ...asBuilt,
          ...makeWay,
          name: 'platform',
          isolate: false,
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/containers/**', ...timedFirst, ...timedLater],
          testTimeout: 5 * minuteMs,
          hookTimeout: 2 * minuteMs,
        },
      },
      {
        extends: true,
        test: {
          ...asBuilt,
          name: 'timed',
          include: [...timedFirst, ...timedLater],
          testTimeout: 5 * minuteMs,
          hookTimeout: 2 * minuteMs,
        },
      },
    ],
  },
});

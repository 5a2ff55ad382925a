import { defineConfig } from 'vitest/config';
import { limits } from '../../../vitest.config.js';

/** Tests that use only responses and the database. They also run against the container images. */
const imageTests = [
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
].map((name) => `tests/${name}.test.ts`);

/** Needs a container engine and images: `npm run test:containers` uses it. */
export default defineConfig({
  test: {
    ...limits,
    name: 'containers',
    pool: 'forks',
    server: { deps: { external: [/\/(?:apps|packages|dev)\/[a-zA-Z]+\/dist\//] } },
    include: ['tests/containers/**/*.test.ts', ...imageTests],
    globalSetup: ['tests/containers/globalSetup.ts', 'dev/testRun/leftProcesses.mjs'],
    // Each platform is eight containers.
    fileParallelism: false,
    setupFiles: 'packages/testing/src/endProcesses.ts',
  },
});

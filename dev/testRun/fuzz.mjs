/**
 * Compares many more random queries than the tests do: restricted statements with native row-level security
 * on PostgreSQL, and with filtered views on SQLite and MariaDB. Then migrates random graphs of dashboards,
 * and copies random organizations through files, one of each for every hundred queries.
 * Compares the server with the OpenAPI document, too.
 * `npm run fuzz` compares 100,000 queries; `npm run fuzz -- 20000` compares 20,000.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const QUERIES = 100_000;
const QUERIES_PER_GRAPH = 100;
const root = path.resolve(import.meta.dirname, '../..');
const queries = Number(process.argv[2] ?? QUERIES);
if (!Number.isSafeInteger(queries) || queries < 1) {
  console.error('The number of queries must be a whole number above zero.');
  process.exit(2);
}

const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
/**
 * Tests of whole classes of attack: `npm test` runs a sample of each, with `FUZZ_FULL` all of it.
 * @type {string[]}
 */
const classTests = [
  'apps/policy/src/sql/compiler/hostileCompiler',
  'apps/policy/src/sql/compiler/termination',
  'apps/policy/src/sql/nameResolution',
  'apps/policy/src/sql/polyglot/combinedComparisons',
  'apps/policy/src/sql/typedValues',
  'packages/service/src/dryRun',
  'packages/service/src/quotas',
  'tests/canaries.test.ts',
  'tests/connectionAttacks',
  'tests/crash.test.ts',
  'tests/launch',
  'tests/noisyNeighbour',
  'tests/openApiFuzz',
];
const fuzzTests = [
  'apps/policy/src/sql/postgres/differential',
  'apps/policy/src/sql/polyglot/sqliteDifferential',
  'apps/policy/src/sql/polyglot/mariaDbDifferential',
  'apps/policy/src/sql/polyglot/operatorOrder',
  'tests/migrationGraphs',
  'tests/configuration.test.ts',
  'tests/configurationApply',
  ...classTests,
];
// vitest succeeds if only some of its arguments match a file.
const missing = fuzzTests.filter((start) => !hasFile(start));
if (missing.length > 0) {
  console.error(`These tests do not exist: ${missing.join(', ')}.`);
  process.exit(2);
}
const child = spawn(process.execPath, [vitest, 'run', '--reporter', 'verbose', ...fuzzTests], {
  cwd: root,
  // A new seed each time, unless one is given to reproduce a failure.
  env: {
    FUZZ_SEED: String(Date.now() % 1_000_000_000),
    ...process.env,
    ALL_TESTS: '1',
    FUZZ_FULL: '1',
    FUZZ_QUERIES: String(queries),
    FUZZ_GRAPHS: String(Math.ceil(queries / QUERIES_PER_GRAPH)),
    FUZZ_ORGANIZATIONS: String(Math.ceil(queries / QUERIES_PER_GRAPH)),
  },
  stdio: 'inherit',
});
child.on('exit', (code) => process.exit(code ?? 1));

/**
 * Whether a test file or a folder has a path that begins like this.
 * @param {string} start relative to the root
 */
function hasFile(start) {
  const place = path.join(root, start);
  if (existsSync(place)) return statSync(place).isDirectory() || start.endsWith('.test.ts');
  const names = readdirSync(path.dirname(place));
  return names.some((name) => name.startsWith(path.basename(place)) && name.endsWith('.test.ts'));
}

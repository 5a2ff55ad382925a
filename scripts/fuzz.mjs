/**
 * Compares many more random queries than the tests do: restricted statements beside native row-level security on
 * PostgreSQL, and beside filtered views on SQLite and MariaDB. Then migrates random graphs of dashboards, one for every hundred
 * queries.
 * `npm run fuzz` compares 100,000; `npm run fuzz -- 20000` as many as are asked for.
 */
import { spawn } from 'node:child_process';
import path from 'node:path';

const QUERIES = 100_000;
const QUERIES_PER_GRAPH = 100;
const root = path.resolve(import.meta.dirname, '..');
const queries = Number(process.argv[2] ?? QUERIES);
if (!Number.isSafeInteger(queries) || queries < 1) {
  console.error('The number of queries must be a whole number above zero.');
  process.exit(2);
}

const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
const args = [
  'run',
  '--project',
  'parts',
  '--project',
  'platform',
  '--reporter',
  'verbose',
  'apps/policy/src/testing/postgresDifferential',
  'apps/policy/src/polyglot/sqliteDifferential',
  'apps/policy/src/polyglot/mariaDbDifferential',
  'tests/migrationGraphs',
];
const child = spawn(process.execPath, [vitest, ...args], {
  cwd: root,
  // Others each time, unless a seed is given to see a failure again.
  env: {
    FUZZ_SEED: String(Date.now() % 1_000_000_000),
    ...process.env,
    FUZZ_QUERIES: String(queries),
    FUZZ_GRAPHS: String(Math.ceil(queries / QUERIES_PER_GRAPH)),
  },
  stdio: 'inherit',
});
child.on('exit', (code) => process.exit(code ?? 1));

/**
 * `npm test` installs what is missing and runs the `test` task of every package through turbo, which replays
 * the results of packages that did not change. With ALL_TESTS=1 it runs the nightly tests too. Options are
 * passed to turbo: `npm test -- --affected`. Paths run the test files that match, without a cache:
 * `npm test -- packages/service`. The last line of output counts the tests.
 */
import '../../scripts/requireNode.mjs';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { build, installPackages, root } from '../../scripts/prepare.mjs';
import { countTests, removeReports } from './reports.mjs';

await installPackages();
// Imported here, because the import itself installs missing packages.
await import('./systemPackages.mjs');

const args = process.argv.slice(2);
removeReports(root);
const status = args.length > 0 && !args[0]?.startsWith('-') ? await runMatching() : runTasks();

const { passed, failed: counted, skipped } = countTests(root);
// A run that fails although no test and no file did has failed too: for example with a stray rejection, or
// with a process left running.
const failed = Math.max(counted, status === 0 ? 0 : 1);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

/** Runs the test files whose paths match the arguments, nightly ones too. */
async function runMatching() {
  // Tests run from the sources, but the processes that they start run from the build.
  await build();
  process.env.ALL_TESTS = '1';
  return run('vitest/vitest.mjs', ['run', ...args]);
}

/** Runs the task of each package. A failed package is named at the end, and does not stop the others. */
function runTasks() {
  return run('turbo/bin/turbo', [
    'run',
    'test',
    '--continue',
    '--log-order=grouped',
    '--log-prefix=none',
    ...args,
  ]);
}

/**
 * @param {string} program inside node_modules
 * @param {readonly string[]} programArgs
 */
function run(program, programArgs) {
  const { status: code } = spawnSync(
    process.execPath,
    [path.join(root, 'node_modules', program), ...programArgs],
    {
      cwd: root,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1' },
    },
  );
  return code;
}

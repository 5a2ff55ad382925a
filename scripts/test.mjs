/**
 * `npm test`: installs what is missing, builds, and runs every test once, or those whose files match the arguments.
 * The last line it prints counts them.
 */
import './requireNode.mjs';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { build, installPackages, root } from './prepare.mjs';

installPackages();
// Imported here, because it looks for what is missing as it is loaded.
await import('./systemPackages.mjs');
// Tests run from the sources, but the processes that they start run from the build.
build();

const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-tests-'));
const report = path.join(folder, 'report.json');
const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
const { status } = spawnSync(process.execPath, [vitest, 'run', ...reporters, ...process.argv.slice(2)], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit'],
});
const files = readReport();
rmSync(folder, { recursive: true });

const tests = files.flatMap(({ assertionResults }) => assertionResults);
const passed = tests.filter(isPassed).length;
const failedTests = tests.filter(isFailed).length;
const skipped = tests.length - passed - failedTests;
const brokenFiles = files.filter((file) => isFailed(file) && !file.assertionResults.some(isFailed)).length;
// A run that ends badly although no test and no file did, on a stray rejection for example, has failed all the same.
const failed = Math.max(failedTests + brokenFiles, status === 0 ? 0 : 1);

console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exitCode = failed > 0 ? 1 : 0;

/**
 * @typedef {{ status: string }} Result
 * @returns {(Result & { assertionResults: Result[] })[]} what became of each test file; nothing when vitest died
 */
function readReport() {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    return [];
  }
}

/** @param {Result} result */
function isPassed({ status: outcome }) {
  return outcome === 'passed';
}

/** @param {Result} result */
function isFailed({ status: outcome }) {
  return outcome === 'failed';
}

/** The reports that vitest writes for each package, as JSON. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

const REPORT = 'test-results/report.json';
/** Folders of packages, and packages. */
const PARENTS = ['apps', 'packages', 'dev'];
const SINGLE = ['bench', 'tests', '.'];

/** @typedef {{ status: string }} Result */

/**
 * @param {string} root the folder of the repository
 * @returns {string[]} the paths that reports may have
 */
function listReports(root) {
  const folders = PARENTS.flatMap((parent) => listFolders(path.join(root, parent)));
  return [...folders, ...SINGLE.map((name) => path.join(root, name))].map((name) => path.join(name, REPORT));
}

/** @param {string} parent */
function listFolders(parent) {
  try {
    return readdirSync(parent).map((name) => path.join(parent, name));
  } catch {
    return [];
  }
}

/**
 * Deletes the reports of former runs. Turbo restores those of packages that did not change.
 * @param {string} root
 */
export function removeReports(root) {
  for (const report of listReports(root)) rmSync(report, { force: true });
}

/**
 * @param {string} root
 * @returns {{ passed: number, failed: number, skipped: number }} `failed` counts each failed test, and each
 * test file that failed without one
 */
export function countTests(root) {
  const files = listReports(root).flatMap(readReport);
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failedTests = tests.filter(isFailed).length;
  const brokenFiles = files.filter((file) => isFailed(file) && !file.assertionResults.some(isFailed)).length;
  return { passed, failed: failedTests + brokenFiles, skipped: tests.length - passed - failedTests };
}

/**
 * @param {string} report
 * @returns {(Result & { assertionResults: Result[] })[]} the result of each test file
 */
function readReport(report) {
  try {
    return JSON.parse(readFileSync(report, 'utf8')).testResults;
  } catch {
    // The package has no tests, or its vitest died and the exit code shows that.
    return [];
  }
}

/** @param {Result} result */
function isFailed({ status }) {
  return status === 'failed';
}

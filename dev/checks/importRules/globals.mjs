/**
 * Which of Node's globals a file may use: the environment is read in one file, and `logic/` uses nothing
 * whose result depends on time, chance or the environment.
 */
import { logicFolder } from './boundaries.mjs';

/**
 * The files that read the environment: that of the services, that of the command line, the environment that
 * the embedded engine inherits, and the number of runs of random tests.
 */
const CONFIG_FILES = [
  'packages/service/src/config.ts',
  'packages/cli/src/environment.ts',
  'packages/engine/src/environment.ts',
  'packages/testing/src/randomRuns.ts',
];

/** The globals that `logic/` may not use, and what it does instead. */
const impureGlobals = new Map([
  ['performance', 'take the time as an argument'],
  ['crypto', 'take ids and random values as arguments'],
  ['process', 'take the value as an argument'],
  ['global', 'name what you use'],
  ['globalThis', 'name what you use'],
  ['fetch', 'take what it would fetch as an argument'],
  ['setTimeout', 'leave waiting to the caller'],
  ['setInterval', 'leave waiting to the caller'],
  ['setImmediate', 'leave waiting to the caller'],
]);

/**
 * A use of a global in a syntax tree.
 * @typedef {object} GlobalUse
 * @property {string} name the global
 * @property {string} [property] what is read of it, where it is `name.property` or `name['property']`
 * @property {boolean} isType whether only its type is named
 * @property {boolean} isInstanceofOperand whether it is the right side of `instanceof`
 * @property {number} [argumentCount] how many arguments it gets, where it is constructed with `new`
 */

/**
 * @param {string} file relative to the repository root
 * @param {GlobalUse} use
 * @returns {string | undefined} why the use is refused, or undefined when it may stand
 */
export function judgeEnvironment(file, use) {
  if (!/^(apps|packages)\//.test(file) || CONFIG_FILES.includes(file) || use.isType) return undefined;
  if (/^global(This)?$/.test(use.name) && use.property === 'process')
    return 'Write process, not a path to it.';
  if (use.name !== 'process') return undefined;
  // A copy of `process` or a computed property would hide what is read of it.
  if (use.property === undefined) return 'Name what you read: process.argv, process.exitCode and so on.';
  return use.property === 'env'
    ? `process.env is read in ${CONFIG_FILES.join(', ')} alone: take the value as an argument.`
    : undefined;
}

/**
 * @param {string} file relative to the repository root
 * @param {GlobalUse} use
 * @returns {string | undefined} why the use is refused, or undefined when it may stand
 */
export function judgePurity(file, use) {
  if (logicFolder(file) === undefined || use.isType) return undefined;
  if (use.name === 'Date') return judgeDate(use);
  if (use.name === 'Math') {
    return use.property === undefined || use.property === 'random'
      ? 'logic/ knows no chance: take random values as arguments.'
      : undefined;
  }
  const instead = impureGlobals.get(use.name);
  return instead === undefined ? undefined : `logic/ gets values and gives values: ${instead}.`;
}

/** @param {GlobalUse} use */
function judgeDate({ property, argumentCount, isInstanceofOperand }) {
  const isGivenItsTime = (argumentCount ?? 0) > 0 || property === 'parse' || property === 'UTC';
  return isGivenItsTime || isInstanceofOperand
    ? undefined
    : 'logic/ knows no clock: take the time as an argument.';
}

/** The steps of a preparation, shown while they run. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { root } from './installed.mjs';

const REDRAW_MS = 1000;
const COMMAND_NOT_FOUND = 127;

/**
 * @typedef {object} Step
 * @property {string} title such as `Installing packages`
 * @property {() => Promise<void>} run
 */

/**
 * Runs steps one after the other, and shows the number, the title and the elapsed seconds of each: in a
 * terminal on one line that changes, otherwise on a line at its start and one at its end. On standard error,
 * because some programs write JSON.
 * @param {readonly Step[]} steps
 * @param {{ total?: number, delayMs?: number | null }} [options] `total`: the number of steps with those that
 *   follow; `delayMs`: a step that ends earlier is not shown; null shows none
 */
export async function runSteps(steps, { total = steps.length, delayMs = 0 } = {}) {
  for (const [index, { title, run }] of steps.entries()) {
    const display = delayMs === null ? undefined : showStep(`[${index + 1}/${total}] ${title}`, delayMs);
    await run();
    display?.end();
  }
}

/**
 * @param {string} line
 * @param {number} delayMs
 */
function showStep(line, delayMs) {
  const startedMs = performance.now();
  const seconds = () => `${Math.round((performance.now() - startedMs) / 1000)} s`;
  const { isTTY } = process.stderr;
  /** @type {NodeJS.Timeout | undefined} */
  let redraw;
  let isShown = false;
  const show = () => {
    isShown = true;
    if (!isTTY) {
      console.error(`${line} ...`);
      return;
    }
    const draw = () => process.stderr.write(`\r${line} ... ${seconds()}`);
    draw();
    redraw = setInterval(draw, REDRAW_MS);
  };
  const start = delayMs === 0 ? undefined : setTimeout(show, delayMs);
  if (delayMs === 0) show();
  return {
    end() {
      clearTimeout(start);
      clearInterval(redraw);
      if (isShown) console.error(`${isTTY ? '\r' : ''}${line}: ${seconds()}${isTTY ? '   ' : ''}`);
    },
  };
}

/**
 * Runs a command whose output is shown only if it fails; this process then ends with the command's exit code.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
export async function runQuietly(command, args, cwd = root) {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  /** @type {Buffer[]} */
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  /** @type {number | null} */
  const status = await once(child, 'close').then(
    ([code]) => code,
    (error) => {
      output.push(Buffer.from(`${error.message}\n`));
      return COMMAND_NOT_FOUND;
    },
  );
  if (status === 0) return;
  console.error(`\n${command} ${args.join(' ')} failed.\n${Buffer.concat(output).toString()}`);
  process.exit(status ?? 1);
}

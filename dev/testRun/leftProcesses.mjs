/**
 * Global setup of vitest. Finds and ends the processes that a run leaves behind, where `/proc` lists the
 * environment of each. The run then fails.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Every process of a run inherits it. Its value is the process id of vitest. */
const RUN_VARIABLE = 'GATEHOUSE_TEST_RUN';

/** Processes that lose their parent notice and shut down by themselves in less than this. */
const GRACE_MS = 20_000;
const INTERVAL_MS = 100;

/** Marks the processes of this run. The function that it returns runs when all workers have ended. */
export function setup() {
  const runId = String(process.pid);
  process.env[RUN_VARIABLE] = runId;
  return async () => {
    const left = await endLeftProcesses(runId);
    if (left.length === 0) return;
    console.error(`These processes were left running and are ended now:\n${left.join('\n')}`);
    process.exitCode = 1;
  };
}

/**
 * Waits until no process of a run is left. After a while kills those that are.
 *
 * @param {string} runId the value of {@link RUN_VARIABLE}
 * @returns {Promise<string[]>} the id and the command line of each process that had to be killed
 */
async function endLeftProcesses(runId) {
  const deadlineMs = performance.now() + GRACE_MS;
  let left = findProcesses(runId);
  while (left.length > 0 && performance.now() < deadlineMs) {
    await sleep(INTERVAL_MS);
    left = findProcesses(runId);
  }
  for (const { pid } of left) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It exited meanwhile.
    }
  }
  return left.map(({ pid, command }) => `${pid} ${command}`);
}

/**
 * @param {string} runId
 * @returns {{ pid: number, command: string }[]}
 */
function findProcesses(runId) {
  const marker = `${RUN_VARIABLE}=${runId}`;
  return listPids().flatMap((pid) => {
    const environment = readOf(pid, 'environ').split('\0');
    const isOfRun = pid !== process.pid && environment.includes(marker);
    return isOfRun ? [{ pid, command: readOf(pid, 'cmdline').replaceAll('\0', ' ').trim() }] : [];
  });
}

function listPids() {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/**
 * @param {number} pid
 * @param {string} name
 */
function readOf(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { childProcesses } from './childProcesses.js';

const MODULE = new URL('../dist/childProcesses.js', import.meta.url).href;
const HANG = 'setInterval(() => {}, 1000)';
const HANG_WITH_CHILD = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', ${JSON.stringify(HANG)}], { stdio: 'ignore', detached: true });
  console.log(child.pid);
  ${HANG}`;

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Starts a process that starts another; resolves with the id of that. */
async function startWithChild() {
  const child = spawn(process.execPath, ['-e', HANG_WITH_CHILD], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, grandchildPid: Number(line) };
}

it('finds the processes that started after a mark and still run', async () => {
  const processes = childProcesses();
  const before = spawn('sleep', ['600']);
  await once(before, 'spawn');
  const mark = processes.mark();
  const after = spawn('sleep', ['601']);
  await once(after, 'spawn');
  await once(execFile('true'), 'exit');
  expect(processes.findLeft(mark)).toEqual([`${after.pid} sleep 601`]);
  before.kill();
  after.kill();
  expect(processes.findLeft(mark)).toEqual([]);
});

it.runIf(process.platform === 'linux')('kills processes with their descendants', async () => {
  const processes = childProcesses();
  const mark = processes.mark();
  const { child, grandchildPid } = await startWithChild();
  await processes.kill(mark);
  expect(child.signalCode).toBe('SIGKILL');
  await expect.poll(() => isAlive(grandchildPid)).toBe(false);
});

it('leaves a kept process running', async () => {
  const processes = childProcesses();
  const mark = processes.mark();
  const child = spawn('sleep', ['600']);
  await once(child, 'spawn');
  processes.keep(child.pid ?? 0);
  await processes.kill(mark);
  expect(isAlive(child.pid ?? 0)).toBe(true);
  expect(processes.findLeft(mark)).toEqual([]);
  child.kill();
});

it.each(['SIGKILL', 'SIGINT'] as const)(
  'ends all processes when the test process gets %s',
  async (signal) => {
    const source = `
    import { spawn } from 'node:child_process';
    import { once } from 'node:events';
    const { childProcesses } = await import(${JSON.stringify(MODULE)});
    childProcesses();
    const children = ['600', '601', '602'].map((seconds) => spawn('sleep', [seconds], { detached: true }));
    await Promise.all(children.map((child) => once(child, 'spawn')));
    children[1].kill();
    await once(children[1], 'exit');
    console.log(JSON.stringify([children[0].pid, children[2].pid]));`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(createInterface(parent.stdout), 'line')) as [string];
    const pids = JSON.parse(line) as number[];
    expect(pids.map(isAlive)).toEqual([true, true]);
    parent.kill(signal);
    await expect.poll(() => pids.filter(isAlive)).toEqual([]);
  },
);

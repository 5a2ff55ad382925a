/**
 * Loaded before each test file. The processes that a test starts end with that test when it fails, and with
 * its file in any case.
 * A file whose tests passed and left a process running fails.
 */
import { afterAll, afterEach, beforeEach } from 'vitest';
import { childProcesses } from './childProcesses.js';

const processes = childProcesses();
const startOfFile = processes.mark();
let startOfTest = startOfFile;
let hasFailed = false;

beforeEach(() => {
  startOfTest = processes.mark();
});

afterEach(async ({ task }) => {
  if (task.result?.state !== 'fail') return;
  hasFailed = true;
  await processes.kill(startOfTest);
});

// Registered first, so that it runs after the hooks of the file.
afterAll(async () => {
  const left = processes.findLeft(startOfFile);
  await processes.kill(startOfFile);
  if (left.length > 0 && !hasFailed) throw new Error(`The tests left processes running:\n${left.join('\n')}`);
});

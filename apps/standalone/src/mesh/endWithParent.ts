import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into each process of the mesh before its program: ends the process, in order, when the launcher is gone,
 * however that died. The launcher holds the other end of standard input, which the system closes for it. A worker thread of
 * the process loads this too, and has a standard input of its own, which is closed from the start.
 */
if (isMainThread) {
  process.stdin.on('error', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.on('close', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.resume();
}

import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into each process of the mesh before its program: shuts the process down when the launcher has
 * ended, however it died. The launcher holds the other end of standard input, which the system closes for it.
 * A worker thread of the process loads this too; its own standard input is closed from the start.
 */
if (isMainThread) {
  process.stdin.on('error', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.on('close', () => process.kill(process.pid, 'SIGTERM'));
  process.stdin.resume();
}

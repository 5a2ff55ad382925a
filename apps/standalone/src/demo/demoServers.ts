import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Logger } from '@gatehouse/service';

// The same path from the source and from the build: programs are only run from the build.
const PROGRAM = fileURLToPath(new URL('../../dist/demo/servers/main.js', import.meta.url));

/** The process with the database and the webhook receiver of the demo organization. */
export interface DemoServers {
  /**
   * Resolves when they serve.
   * @throws Error if they did not start
   */
  ready(): Promise<void>;
  /** Renames a column of the database; repeating it changes nothing. */
  renameColumn(): Promise<void>;
  stop(timeoutMs: number): Promise<void>;
}

/** Starts the process and returns at once. An end of the process is logged: the platform runs without it. */
export function startDemoServers(dataDir: string, log: Logger): DemoServers {
  // Without the optimizing compiler, the database starts in half of the CPU time and takes less memory.
  const child = fork(PROGRAM, [dataDir], { execArgv: ['--liftoff-only'], detached: true });
  let isStopping = false;
  child.once('exit', (code, signal) => {
    if (!isStopping) log.error({ code, signal }, 'the servers of the demo organization have ended');
  });
  const isReady = reply(child, 'ready');
  isReady.catch(() => {});
  return {
    ready: () => isReady,
    async renameColumn() {
      const isRenamed = reply(child, 'renamed');
      child.send('renameColumn');
      await isRenamed;
    },
    async stop(timeoutMs) {
      isStopping = true;
      if (hasEnded(child)) return;
      const force = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
      // The process ends when this channel does, so that it ends with a killed launcher, too.
      child.disconnect();
      await once(child, 'exit');
      clearTimeout(force);
    },
  };
}

/** Resolves when the process sends this message. */
async function reply(child: ChildProcess, expected: string): Promise<void> {
  const end = new AbortController();
  child.once('exit', () => end.abort());
  try {
    for (;;) {
      const [message] = (await once(child, 'message', { signal: end.signal })) as [unknown];
      if (message === expected) return;
    }
  } catch (cause) {
    throw new Error(
      'The database of the demo organization did not start. DEMO=0 starts without the organization.',
      { cause },
    );
  }
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

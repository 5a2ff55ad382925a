import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '@gatehouse/service';

export interface ProcessPlan {
  name: string;
  command: string;
  args: readonly string[];
  environment: NodeJS.ProcessEnv;
  /** Whether the process serves by now. */
  isReady(): Promise<boolean>;
}

/** A process that is restarted when it ends by itself. */
export interface SupervisedProcess {
  readonly name: string;
  /** Of the current process; undefined during a restart. */
  readonly pid: number | undefined;
  /** Stops it: with SIGTERM, and with SIGKILL if it has not ended after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void>;
}

const READY_TIMEOUT_MS = 120_000;
const POLL_MS = 25;
const BACKOFF_MS = 100;
const BACKOFF_MAX_MS = 5000;
/** A process that ran for this long did not fail because of how it was started. */
const SETTLED_MS = 10_000;

/**
 * Starts a process and resolves once it is ready. After that, each end of the process is reported and it is
 * restarted: immediately the first time, and with a longer delay after each further failure.
 *
 * @throws Error if it ends, or is not ready in time, at the first start
 */
export async function superviseProcess(plan: ProcessPlan, log: Logger): Promise<SupervisedProcess> {
  const supervision = new Supervision(plan, log);
  try {
    await supervision.ready();
  } catch (error) {
    await supervision.stop(0);
    throw error;
  }
  return supervision;
}

class Supervision implements SupervisedProcess {
  readonly name: string;
  readonly #plan: ProcessPlan;
  readonly #log: Logger;
  #child: ChildProcess;
  #startedAtMs = 0;
  #failures = 0;
  #wasReady = false;
  #isStopping = false;
  #restart: NodeJS.Timeout | undefined;

  constructor(plan: ProcessPlan, log: Logger) {
    this.name = plan.name;
    this.#plan = plan;
    this.#log = log;
    this.#child = this.#spawn();
  }

  get pid(): number | undefined {
    return isRunning(this.#child) ? this.#child.pid : undefined;
  }

  async ready(): Promise<void> {
    const deadlineMs = performance.now() + READY_TIMEOUT_MS;
    for (;;) {
      const isReady = await this.#plan.isReady();
      if (!isRunning(this.#child)) throw new Error(`${this.name} did not start`);
      if (isReady) break;
      if (performance.now() > deadlineMs) throw new Error(`${this.name} was not ready in time`);
      await sleep(POLL_MS);
    }
    this.#wasReady = true;
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    if (!isRunning(this.#child)) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const force = setTimeout(() => this.#child.kill('SIGKILL'), timeoutMs);
    await ended;
    clearTimeout(force);
  }

  #spawn(): ChildProcess {
    const { command, args, environment } = this.#plan;
    this.#startedAtMs = performance.now();
    // A group of its own: the terminal's Ctrl-C is for the launcher, which stops the processes in order.
    const child = spawn(command, args, {
      env: environment,
      detached: true,
      stdio: ['pipe', 'inherit', 'inherit'],
    });
    child.stdin?.on('error', () => {});
    child.on('error', (err) => this.#log.error({ err, process: this.name }, 'process could not be started'));
    child.once('exit', (code, signal) => this.#onExit(code, signal));
    return child;
  }

  #onExit(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.#isStopping || !this.#wasReady) return;
    const hasSettled = performance.now() - this.#startedAtMs > SETTLED_MS;
    this.#failures = hasSettled ? 1 : this.#failures + 1;
    const delayMs = Math.min(BACKOFF_MS * 2 ** (this.#failures - 1), BACKOFF_MAX_MS);
    this.#log.error(
      { process: this.name, code, signal, delayMs },
      'process ended by itself; it is started again',
    );
    this.#restart = setTimeout(() => {
      this.#child = this.#spawn();
    }, delayMs);
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.pid !== undefined && child.exitCode === null && child.signalCode === null;
}

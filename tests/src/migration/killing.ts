import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Caller, ProcedureAt, ProcedurePath, RawInputOf } from '@gatehouse/contract';
import { rolldown } from 'rolldown';

const PROGRAM = fileURLToPath(new URL('killedProcess.mjs', import.meta.url));

interface Message {
  ready?: true;
  point?: string;
  answer?: Record<string, unknown>;
  failure?: string;
}

/**
 * Bundles the program into one file, from the build, so that each of many processes starts in less than half
 * the time.
 */
export async function bundleProgram(file: string): Promise<void> {
  const bundle = await rolldown({ input: PROGRAM, platform: 'node' });
  await bundle.write({ file, format: 'esm', codeSplitting: false });
  await bundle.close();
}

/** How a call in a process of its own ended. */
export interface Ended {
  /** The points that it came by, the last one where it was killed. */
  points: string[];
  wasKilled: boolean;
  answer: Record<string, unknown> | undefined;
}

export interface KillableCall<P extends ProcedurePath> {
  path: P;
  caller: Caller;
  input: RawInputOf<ProcedureAt<P>>;
  /** Null lets it live. */
  killAt: string | null;
}

export interface KillableSettings {
  /** Where `bundleProgram` has written it. */
  program: string;
  url: string;
  prefix: string;
  leaseMs: number;
  repositoryDir: string;
}

/** Starts processes of the services on the database of a test: the next one while the present one works. */
export class KillablePlatforms {
  readonly #program: string;
  readonly #arguments: string[];
  #next: Promise<ChildProcess>;
  readonly #started = new Set<ChildProcess>();

  constructor({ program, url, prefix, leaseMs, repositoryDir }: KillableSettings) {
    this.#program = program;
    this.#arguments = [url, prefix, String(leaseMs), repositoryDir];
    this.#next = this.#start();
    this.#next.catch(() => {});
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(this.#program, this.#arguments, {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#started.add(child);
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const ended = once(child, 'exit').then(() => {
      throw new Error(`The process did not start: ${errors}`);
    });
    await Promise.race([once(child, 'message'), ended]);
    return child;
  }

  /** Makes one call in a process and sees it to its end, or to the process's. */
  async call<P extends ProcedurePath>(told: KillableCall<P>): Promise<Ended> {
    const child = await this.#next;
    this.#next = this.#start();
    this.#next.catch(() => {});
    const points: string[] = [];
    const exited = once(child, 'exit');
    const answered = new Promise<Message>((resolve) => {
      child.on('message', (message: Message) => {
        if (message.point === undefined) resolve(message);
        else points.push(message.point);
      });
    });
    child.send(told);
    const ended = await Promise.race([answered, exited.then(() => null)]);
    child.kill('SIGKILL');
    await exited;
    if (ended?.failure !== undefined) throw new Error(`The call failed: ${ended.failure}`);
    return { points, wasKilled: ended === null, answer: ended?.answer };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#next.catch(() => null);
    for (const child of this.#started) child.kill('SIGKILL');
  }
}

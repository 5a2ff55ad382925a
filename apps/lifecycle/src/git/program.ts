import { spawn, type ChildProcess } from 'node:child_process';
import { childEnvironment } from '@gatehouse/service';

/** How one git command is run. */
export interface GitRun {
  /** The repository; absent for commands that need none. */
  directory?: string;
  args: readonly string[];
  /** For its standard input. */
  input?: string;
  /** Settings beside the ones that always hold, in order. They do not appear among the arguments of the process. */
  settings?: readonly (readonly [name: string, value: string])[];
  environment?: Record<string, string>;
  timeoutMs?: number;
  /** Whether the time that it takes is another machine's: then it takes nobody else's place. */
  isRemote?: boolean;
  /** Ends the command early. */
  signal?: AbortSignal | undefined;
  /** A longer output is a failure. */
  outputMax?: number;
}

/** What went wrong with a git command. The message may hold what git said, so it is for the log alone. */
export class GitError extends Error {
  override readonly name = 'GitError';
  constructor(
    readonly reason: 'missing' | 'timeout' | 'tooLarge' | 'failed',
    /** What git wrote to its standard output and its standard error. */
    readonly said: { output: string; errors: string },
    message: string,
  ) {
    super(message);
  }
}

/** The git program. */
export interface Git {
  /** The output of a command that succeeds. Throws GitError. */
  run(run: GitRun): Promise<string>;
}

/** Commands that wait for nobody else; more at once would only take the machine from each other. */
const LOCAL_AT_ONCE = 8;
const LOCAL_TIMEOUT_MS = 20_000;
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
const ERRORS_MAX_BYTES = 16 * 1024;
/** How long a command has to remove its lock files before it is killed. */
const GRACE_MS = 500;

/** No hook, no background work, no redirect, no proxy, no prompt; what was written is on the disk. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsync', 'committed,reference'],
  ['core.fsyncMethod', 'fsync'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['credential.helper', ''],
  ['http.followRedirects', 'false'],
  ['http.proxy', ''],
  ['http.lowSpeedLimit', '1'],
  ['http.lowSpeedTime', '30'],
  ['transfer.fsckObjects', 'true'],
];

/** Of the service's own environment git sees where programs are, and which authorities it is to trust. */
const INHERITED = ['PATH', 'GIT_SSL_CAINFO'];

function environmentOf({ directory, settings = [], environment = {} }: GitRun): Record<string, string> {
  const own = childEnvironment({});
  const inherited = INHERITED.flatMap((name) => (own[name] === undefined ? [] : [[name, own[name]]]));
  const all = [...SETTINGS, ...settings];
  const numbered = all.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    HOME: '/dev/null',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_ALLOW_PROTOCOL: 'none',
    ...(directory !== undefined && { GIT_DIR: directory }),
    ...environment,
    GIT_CONFIG_COUNT: String(all.length),
    ...(Object.fromEntries(numbered) as Record<string, string>),
  };
}

/** Signals the whole group, so that what git has started ends with it. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** Collects what a stream brings, up to a limit; `onExcess` is called once when there is more. */
class Collector {
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(stream: NodeJS.ReadableStream, max: number, onExcess: () => void = () => {}) {
    stream.on('data', (chunk: Buffer) => {
      const wasWithin = this.#size <= max;
      this.#size += chunk.length;
      if (this.#size <= max) this.#chunks.push(chunk);
      else if (wasWithin) onExcess();
    });
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}

/** Lets so many run at once, and the others in the order in which they came. */
class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async use<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/** Runs the program at `path` as `git`, without a shell and in a process group of its own. */
export function createGit(path: string): Git {
  const slots = new Slots(LOCAL_AT_ONCE);
  return {
    run: (run) => (run.isRemote ? runProgram(path, run) : slots.use(() => runProgram(path, run))),
  };
}

function runProgram(path: string, run: GitRun): Promise<string> {
  const { args, input, timeoutMs = LOCAL_TIMEOUT_MS, signal, outputMax = OUTPUT_MAX_BYTES } = run;
  return new Promise((resolve, reject) => {
    const child = spawn(path, [...args], {
      env: environmentOf(run),
      // Not among files that another repository may be found in.
      cwd: '/',
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let ended: GitError['reason'] | undefined;
    let killing: NodeJS.Timeout | undefined;
    const end = (reason: GitError['reason']) => {
      ended ??= reason;
      signalGroup(child, 'SIGTERM');
      killing ??= setTimeout(() => signalGroup(child, 'SIGKILL'), GRACE_MS);
    };
    const abort = () => end('timeout');
    const output = new Collector(child.stdout, outputMax, () => end('tooLarge'));
    const errors = new Collector(child.stderr, ERRORS_MAX_BYTES);
    const timer = setTimeout(abort, timeoutMs);
    const settle = (failure?: GitError) => {
      clearTimeout(timer);
      clearTimeout(killing);
      signal?.removeEventListener('abort', abort);
      if (failure === undefined) resolve(output.text());
      else reject(failure);
    };
    const failureOf = (reason: GitError['reason'], how: string) => {
      const said = { output: output.text(), errors: errors.text().trim() };
      return new GitError(reason, said, `git ${args[0]} ${how}: ${said.errors}`);
    };
    child.once('error', (error) => settle(failureOf('missing', error.message)));
    child.once('close', (code, killedBy) => {
      if (ended !== undefined) settle(failureOf(ended, `was ended (${ended})`));
      else if (code === 0) settle();
      else settle(failureOf('failed', `ended with ${code ?? killedBy}`));
    });
    // Who ends before it has read everything says so by its exit code.
    child.stdin.on('error', () => {}).end(input ?? '');
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

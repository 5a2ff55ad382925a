import { spawn, type ChildProcess } from 'node:child_process';
import { readdir, rm, stat } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import { childEnvironment } from '@gatehouse/service';
import pLimit from 'p-limit';
import { isGitSupported } from '../logic/gitVersion.js';

/** A git command to run. */
export interface GitRun {
  /** The repository; absent for commands that do not need one. */
  directory?: string;
  args: readonly string[];
  /** Its standard input. */
  input?: string;
  /** Additional git settings, in order. They are passed in the environment, not as arguments. */
  settings?: readonly (readonly [name: string, value: string])[];
  environment?: Record<string, string>;
  timeoutMs?: number;
  /**
   * Whether the command waits for another machine. Then it does not count towards the limit of concurrent
   * commands.
   */
  isRemote?: boolean;
  /** Aborts the command. */
  signal?: AbortSignal | undefined;
  /** The most bytes of output. More fail the command. */
  outputMax?: number;
}

/** A git command failed. The message may quote git and the remote, so it is for the log only. */
export class GitError extends Error {
  override readonly name = 'GitError';
  readonly stdout: string;
  readonly stderr: string;

  constructor(
    readonly reason: 'missing' | 'timeout' | 'tooLarge' | 'failed',
    message: string,
    { stdout, stderr }: { stdout: string; stderr: string },
  ) {
    super(message);
    this.stdout = stdout;
    this.stderr = stderr;
  }
}

/** The git program. */
export interface Git {
  /** Runs a command and returns its standard output. Throws GitError. */
  run(run: GitRun): Promise<string>;
}

/** The most concurrent local commands. More would only compete for the machine. */
const LOCAL_AT_ONCE = 8;
const LOCAL_TIMEOUT_MS = 20_000;
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
const ERRORS_MAX_BYTES = 16 * 1024;
/** The time between SIGTERM and SIGKILL, in which git removes its lock files. */
const GRACE_MS = 500;
/** No command holds a lock for longer. The process of an older lock file has died. */
const STALE_LOCK_MS = 30_000;
/**
 * The most memory that git allocates at once. The largest file of a dashboard, with 43 MB, fits. An object of
 * a remote states its own size, and half a megabyte on the wire can unpack to half a gigabyte.
 */
const ALLOCATION_MAX = '48m';
/** The memory of a command that calls a remote, in KiB: git keeps two objects and some of their bases. */
const REMOTE_MEMORY_MAX_KIB = 256 * 1024;
/** The largest file that such a command writes, in blocks of 512 bytes: the objects that a remote sends. */
const REMOTE_FILE_MAX_BLOCKS = 2 * 1024 * 1024;
/** Sets the limits of the process and then becomes the program. A shell without such limits ignores them. */
const LIMITED = [
  `ulimit -v ${REMOTE_MEMORY_MAX_KIB} 2>/dev/null`,
  `ulimit -f ${REMOTE_FILE_MAX_BLOCKS} 2>/dev/null`,
  'exec "$0" "$@"',
].join('; ');

/** No hooks, background tasks, redirects, proxies or prompts. Writes are synced to disk. */
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
  // One thread, few bases of differences, and small windows of packs, so that the memory has a bound.
  ['pack.threads', '1'],
  ['core.deltaBaseCacheLimit', '16m'],
  ['core.packedGitWindowSize', '16m'],
  ['core.packedGitLimit', '64m'],
];

/**
 * The variables of the service's environment that git sees: where programs are, and which authorities to
 * trust.
 */
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
    GIT_ALLOC_LIMIT: ALLOCATION_MAX,
    MALLOC_ARENA_MAX: '1',
    ...(directory !== undefined && { GIT_DIR: directory }),
    ...environment,
    GIT_CONFIG_COUNT: String(all.length),
    ...(Object.fromEntries(numbered) as Record<string, string>),
  };
}

/** Signals the process group, so that git's child processes end too. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The process has ended already.
  }
}

/** Collects a stream up to a limit, and calls `onExcess` once above it. */
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

/** Creates a runner of the git program at `path`, without a shell and in a process group of its own. */
export function createGit(path: string): Git {
  const limit = pLimit(LOCAL_AT_ONCE);
  const start = (run: GitRun) => (run.isRemote ? runProgram(path, run) : limit(() => runProgram(path, run)));
  return {
    async run(run) {
      try {
        return await start(run);
      } catch (error) {
        if (error instanceof GitError) await removeStaleLock(run, error);
        if (run.isRemote) await removeReceived(run);
        throw error;
      }
    },
  };
}

/**
 * Removes a stale lock file that made a command fail, so that the next attempt succeeds. A killed process
 * left it. The errors may quote a remote, so that the named file must be in the repository itself.
 */
async function removeStaleLock({ directory }: GitRun, { stderr }: GitError): Promise<void> {
  const [, named] = /Unable to create '([^'\n]+\.lock)': File exists/.exec(stderr) ?? [];
  const lock = normalize(named ?? '/');
  if (directory === undefined || !lock.startsWith(`${directory}/`)) return;
  await removeOlder(lock, STALE_LOCK_MS);
}

/**
 * Removes the objects that killed commands had received so far: git keeps such files for two weeks, and a
 * remote can send some with each attempt. The files of commands that still run are younger.
 */
async function removeReceived({ directory, timeoutMs = LOCAL_TIMEOUT_MS }: GitRun): Promise<void> {
  if (directory === undefined) return;
  for (const folder of [join(directory, 'objects'), join(directory, 'objects', 'pack')]) {
    const names = await readdir(folder).catch(() => []);
    for (const name of names.filter((each) => each.startsWith('tmp_')))
      await removeOlder(join(folder, name), Math.max(STALE_LOCK_MS, 2 * timeoutMs));
  }
}

async function removeOlder(file: string, ageMs: number): Promise<void> {
  const found = await stat(file).catch(() => null);
  if (found !== null && Date.now() - found.mtimeMs > ageMs) await rm(file, { force: true });
}

function runProgram(path: string, run: GitRun): Promise<string> {
  const { args, input, timeoutMs = LOCAL_TIMEOUT_MS, signal, outputMax = OUTPUT_MAX_BYTES } = run;
  return new Promise((resolve, reject) => {
    const [program, ...programArgs] = run.isRemote
      ? ['/bin/sh', '-c', LIMITED, path, ...args]
      : [path, ...args];
    const child = spawn(program, programArgs, {
      env: environmentOf(run),
      // Not a folder in which git may discover a repository.
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
      const stderr = errors.text().trim();
      return new GitError(reason, `git ${args[0]} ${how}: ${stderr}`, { stdout: output.text(), stderr });
    };
    child.once('error', (error) => settle(failureOf('missing', error.message)));
    child.once('close', (code, killedBy) => {
      if (ended !== undefined) settle(failureOf(ended, `was ended (${ended})`));
      else if (code === 0) settle();
      else settle(failureOf('failed', `ended with ${code ?? killedBy}`));
    });
    // A process that ends before it reads all input reports that by its exit code.
    child.stdin.on('error', () => {}).end(input ?? '');
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

/** The git program of this machine. It may be missing or too old, and may be installed later. */
export class GitInstallation {
  readonly #git: Git;
  #isSupported = false;

  constructor(program: string) {
    this.#git = createGit(program);
  }

  /** Finds the program; null without a supported version. Only a positive result is cached. */
  async find(): Promise<Git | null> {
    if (this.#isSupported) return this.#git;
    const output = await this.#git.run({ args: ['version'] }).catch(() => '');
    this.#isSupported = isGitSupported(output);
    return this.#isSupported ? this.#git : null;
  }
}

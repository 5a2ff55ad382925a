import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chown, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { findFreePort } from '@gatehouse/service';
import { removeDataDir } from './removeDataDir.js';

const START_TIMEOUT_MS = 300_000;
/**
 * Database servers do not run as root; this account owns nothing. Its ids are those of Debian and the kernel.
 */
const NOBODY = 65_534;

const run = promisify(execFile);

/** A database server that this process started, bound to 127.0.0.1. */
export interface DatabaseServer extends AsyncDisposable {
  port: number;
  /** An administrator. */
  user: string;
  password: string;
  pid: number;
}

/** A server certificate and its key, in PEM. */
export interface ServerCertificate {
  certificate: string;
  key: string;
}

/** A new folder that belongs to the account of the server. */
export class ServerFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(prefix: string): Promise<ServerFolder> {
    const folder = new ServerFolder(await mkdtemp(join(tmpdir(), prefix)));
    await folder.#own(folder.path);
    return folder;
  }

  /** Writes a file that only the server may read and returns its path. */
  async write(name: string, content: string): Promise<string> {
    const path = join(this.path, name);
    await writeFile(path, content, { mode: 0o600 });
    await this.#own(path);
    return path;
  }

  /**
   * Runs a program to its end as the server's account.
   * @throws Error with the hint if the program is missing
   */
  async run(program: string, args: readonly string[], hint: string): Promise<void> {
    await run(program, args, { cwd: this.path, ...account() }).catch((error: unknown) => {
      // EACCES if the search includes folders that the account may not enter.
      const isMissing = error instanceof Error && 'code' in error && /ENOENT|EACCES/.test(String(error.code));
      throw isMissing ? new Error(`${program} is not installed. ${hint}`) : error;
    });
  }

  async remove(): Promise<void> {
    await removeDataDir(this.path);
  }

  async #own(path: string): Promise<void> {
    const { uid, gid } = account();
    if (uid !== undefined && gid !== undefined) await chown(path, uid, gid);
  }
}

/** How to start a server, on a free port. */
export interface ServerCommand {
  program: string;
  argsFor(port: number): string[];
  /** The line of its log that reports that it accepts connections. */
  ready: RegExp;
  /** The signal that ends it immediately. */
  stopSignal: NodeJS.Signals;
}

/**
 * Starts a server and resolves once it accepts connections.
 * @throws Error with its log if it does not
 */
export async function startServer(
  folder: ServerFolder,
  command: ServerCommand,
): Promise<{ port: number; pid: number; stop(): Promise<void> }> {
  const port = await findFreePort();
  const child = spawn(command.program, command.argsFor(port), {
    cwd: folder.path,
    stdio: ['ignore', 'ignore', 'pipe'],
    ...account(),
  });
  const endWithParent = (): void => void child.kill(command.stopSignal);
  process.once('exit', endWithParent);
  const exited = once(child, 'exit').finally(() => process.off('exit', endWithParent));
  const stop = async (): Promise<void> => {
    child.kill(command.stopSignal);
    await exited;
  };
  const failure = await awaitReady(child, command.ready);
  if (failure === undefined) return { port, pid: child.pid ?? 0, stop };
  await stop();
  throw new Error(`${command.program} did not start:\n${failure}`);
}

/** The path of a program in one of the folders; else its name alone, for the PATH. */
export function findProgram(name: string, folders: readonly string[]): string {
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? name;
}

function account(): { uid?: number; gid?: number } {
  return userInfo().uid === 0 ? { uid: NOBODY, gid: NOBODY } : {};
}

/** Reads the log until the server is ready. Returns the log if it ends before that. */
async function awaitReady(child: ChildProcess, ready: RegExp): Promise<string | undefined> {
  if (child.stderr === null) throw new Error('The server has no log to read');
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  const lines: string[] = [];
  try {
    for await (const line of createInterface(child.stderr)) {
      if (ready.test(line)) return undefined;
      lines.push(line);
    }
    return lines.join('\n');
  } finally {
    clearTimeout(timer);
    // The rest of the log must be read, or the server blocks on a full pipe.
    child.stderr.resume();
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { findFreePort } from '@gatehouse/service';
import { removeDataDir } from './removeDataDir.js';

/** A nats-server with JetStream that this process started, bound to 127.0.0.1. */
export interface NatsServer extends AsyncDisposable {
  /** The URL for clients. */
  url: string;
  port: number;
  /** The directory of JetStream's streams. Start another server with it to read them again. */
  storeDir: string;
  pid: number;
  /** Stops the server gracefully and keeps its store. */
  stop(): Promise<void>;
  /** Kills the server, as a crash would, and keeps its store. */
  kill(): Promise<void>;
}

/** Options of {@link startNats}. */
export interface NatsOptions {
  /** Default: a free one. */
  port?: number;
  /** Default: a new empty directory, removed when the server is disposed of. */
  storeDir?: string;
  /** The only credentials that the server accepts. Default: no authentication. */
  credentials?: NatsUser;
  /** Several credentials, instead of `credentials`. */
  users?: readonly NatsUser[];
}

export interface NatsUser {
  user: string;
  password: string;
}

// Debian installs it in a folder that is not in the PATH of users other than root.
const PROGRAMS = ['nats-server', '/usr/sbin/nats-server'];
const START_TIMEOUT_MS = 120_000;

/**
 * Starts a nats-server and resolves once it accepts connections.
 *
 * @throws Error with the installation command if nats-server is missing, or with the reason if it did not
 * start
 */
export async function startNats(options: NatsOptions = {}): Promise<NatsServer> {
  const storeDir = options.storeDir ?? (await mkdtemp(join(tmpdir(), 'gatehouse-nats-')));
  const removeStore = async (): Promise<void> => {
    if (options.storeDir === undefined) await removeDataDir(storeDir);
  };
  // Reserved, so that it is still free when the server restarts.
  const port = options.port ?? (await findFreePort());
  const child = await spawnNats(storeDir, { ...options, port }).catch(async (error: unknown) => {
    await removeStore();
    throw error;
  });
  const endWithParent = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithParent);
  const exited = once(child, 'exit').finally(() => process.off('exit', endWithParent));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  try {
    await untilReady(child);
    return {
      url: `nats://127.0.0.1:${port}`,
      port,
      storeDir,
      pid: child.pid ?? 0,
      stop: () => end('SIGTERM'),
      kill: () => end('SIGKILL'),
      [Symbol.asyncDispose]: async () => {
        await end('SIGKILL');
        await removeStore();
      },
    };
  } catch (error) {
    await end('SIGKILL');
    await removeStore();
    throw error;
  }
}

async function spawnNats(
  storeDir: string,
  { port, credentials, users }: NatsOptions & { port: number },
): Promise<ChildProcess> {
  const args = ['-js', '-sd', storeDir, '-a', '127.0.0.1', '-p', String(port)];
  if (credentials) args.push('--user', credentials.user, '--pass', credentials.password);
  if (users) {
    const file = join(storeDir, 'users.conf');
    await writeFile(file, JSON.stringify({ authorization: { users } }), { mode: 0o600 });
    args.push('-c', file);
  }
  for (const program of PROGRAMS) {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const error = await once(child, 'spawn').then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason,
    );
    if (error === undefined) return child;
    if (error.code !== 'ENOENT') throw error;
  }
  throw new Error(
    'nats-server is not installed. Debian and Ubuntu: apt-get install nats-server. ' +
      'Others: https://docs.nats.io/running-a-nats-service/introduction/installation',
  );
}

/** Reads the server's log until it reports that it is ready. */
async function untilReady(child: ChildProcess): Promise<void> {
  if (child.stderr === null) throw new Error('nats-server has no log to read');
  const timer = setTimeout(() => child.kill('SIGKILL'), START_TIMEOUT_MS);
  const lines: string[] = [];
  try {
    for await (const line of createInterface(child.stderr)) {
      lines.push(line);
      if (line.endsWith('Server is ready')) return;
    }
    throw new Error(`nats-server did not start:\n${lines.join('\n')}`);
  } finally {
    clearTimeout(timer);
    // The rest of the log must be read, or the server blocks on a full pipe.
    child.stderr.resume();
  }
}

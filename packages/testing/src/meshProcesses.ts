import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { ServiceName } from '@gatehouse/contract';
import { childEnvironment, generateInternalKeys, joinVerifyKeys, type Config } from '@gatehouse/service';
import { removeDataDir } from './removeDataDir.js';

/** The programs of a mesh. */
export type MeshApp = 'gateway' | ServiceName;

type Environment = Partial<Record<keyof Config | 'NODE_OPTIONS', string>>;

/** One process of a mesh. */
export interface MeshProcess {
  app: MeshApp;
  pid: number;
  port: number;
  /** Resolves with the exit code once it has ended, null when a signal ended it. */
  exited: Promise<number | null>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** The data that the setup of the platform has produced. */
export interface MeshCredentials {
  projectId: string;
  projectSecret: string;
  organizationId: string;
  adminOrgUserId: string;
}

/**
 * The processes of one mesh, started individually from the build, each on a port of its own. Unlike `npm run
 * mesh`, they are not restarted, and there may be several of each. Disposing kills the remaining ones.
 */
export interface MeshProcesses extends AsyncDisposable {
  credentials: MeshCredentials;
  /**
   * Starts a process and resolves once it listens. `environment` is added to the common variables. The
   * program comes from `checkout`, another copy of the project that is built, or by default from this one.
   */
  start(app: MeshApp, environment?: Environment, checkout?: string): Promise<MeshProcess>;
}

const OWN_CHECKOUT = fileURLToPath(new URL('../../..', import.meta.url));

/** The program of a process, in one of the copies of the project. */
export function programOf(
  app: string,
  { NODE_OPTIONS }: Environment = {},
  checkout: string = OWN_CHECKOUT,
): string {
  const folder = join(checkout, 'apps', app, 'dist');
  // Earlier commits have only the compiler's output.
  const isBundled = checkout === OWN_CHECKOUT || existsSync(join(folder, 'bundle'));
  // A module that is loaded before a program can change its libraries only if they are not bundled with it.
  return join(folder, isBundled && !NODE_OPTIONS ? 'bundle' : '', 'main.js');
}

const COMMON = { HOST: '127.0.0.1', PORT: '0', DEMO: '0', RATE_LIMIT: '0', RATE_LIMIT_TOKEN: '0' };

/**
 * Sets a platform up on a MongoDB and returns the configuration of its processes. `environment` is for all of
 * them. The program that sets it up comes from `checkout`, as for `start`.
 */
export async function prepareMesh(
  environment: Environment & { MONGODB_URL: string; NATS_URL: string },
  checkout?: string,
): Promise<MeshProcesses> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-mesh-'));
  const gatewayKeys = await generateInternalKeys();
  const lifecycleKeys = await generateInternalKeys('lifecycle');
  const shared: Environment = {
    ...COMMON,
    SEALING_KEYS: randomBytes(32).toString('base64'),
    INTERNAL_SIGNING_KEY: gatewayKeys.signingKey,
    INTERNAL_VERIFY_KEY: joinVerifyKeys([gatewayKeys.verifyKey, lifecycleKeys.verifyKey]),
    LIFECYCLE_SIGNING_KEY: lifecycleKeys.signingKey,
    DATA_DIR: dataDir,
    REPOSITORY_DIR: join(dataDir, 'repositories'),
    ...environment,
  };
  const children = new Children();
  const dispose = async () => {
    await children.kill();
    await removeDataDir(dataDir);
  };
  try {
    // Everything in one process, until it has created the first organization.
    const standalone = await children.start('standalone', { ...shared, NATS_URL: '' }, checkout);
    await standalone.end('SIGTERM');
    const credentials = await readFile(join(dataDir, 'credentials.json'), 'utf8');
    return {
      credentials: JSON.parse(credentials) as MeshCredentials,
      start: (app, own = {}, other) => children.start(app, { ...shared, ...own }, other),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

/** The child processes of this process, which do not outlive it. */
class Children {
  readonly #running = new Map<ChildProcess, Promise<number | null>>();
  readonly #killAll = (): void => {
    for (const child of this.#running.keys()) child.kill('SIGKILL');
  };

  constructor() {
    process.once('exit', this.#killAll);
  }

  async start<A extends string>(app: A, environment: Environment, checkout?: string) {
    const child = spawn(process.execPath, [programOf(app, environment, checkout)], {
      // It logs the address at which it listens.
      env: childEnvironment({ ...environment, LOG_LEVEL: 'info' }),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    this.#running.set(child, exited);
    void exited.then(() => this.#running.delete(child));
    const port = await readPort(app, child);
    const end = (signal: NodeJS.Signals) => {
      child.kill(signal);
      return exited;
    };
    return { app, pid: child.pid ?? 0, port, exited, end };
  }

  async kill(): Promise<void> {
    this.#killAll();
    await Promise.all(this.#running.values());
    process.off('exit', this.#killAll);
  }
}

async function readPort(app: string, { stderr }: ChildProcess): Promise<number> {
  if (stderr === null) throw new Error(`${app} has no log to read`);
  const lines: string[] = [];
  try {
    for await (const line of createInterface(stderr)) {
      lines.push(line);
      const port = /"url":"[^"]*:(\d+)","msg":"listening"/.exec(line)?.[1];
      if (port !== undefined) return Number(port);
    }
    throw new Error(`${app} did not start:\n${lines.join('\n')}`);
  } finally {
    // The rest of the log must be read, or the process blocks on a full pipe.
    stderr.resume();
  }
}

import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const START_TIMEOUT_MS = 60_000;

export interface Server {
  name: string;
  baseUrl: string;
  pid: number;
  stop(): Promise<void>;
}

export interface Credentials {
  baseUrl: string;
  projectId: string;
  projectSecret: string;
  organizationId: string;
  adminOrgUserId: string;
}

/** The arguments that `npm start` and `npm run mesh` pass to Node. */
const NODE_ARGUMENTS = { standalone: ['--max-semi-space-size=64'], mesh: [] } as const;

/** The settings of a Gatehouse under load: no limits of its own, and logs of warnings only. */
const SETTINGS = {
  PORT: '0',
  HOST: '127.0.0.1',
  DEMO: '0',
  RATE_LIMIT: '0',
  RATE_LIMIT_TOKEN: '0',
  LOG_LEVEL: 'warn',
};

const running = new Set<ChildProcess>();

/** A benchmark that is aborted stops its servers. */
function keepTrackOf(child: ChildProcess): void {
  running.add(child);
  child.once('exit', () => running.delete(child));
}

process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.stdin?.end();
    child.kill('SIGTERM');
  });
}

export async function readCredentials(dataDir: string): Promise<Credentials> {
  return JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
}

async function isReady(baseUrl: string): Promise<boolean> {
  try {
    return (await fetch(`${baseUrl}/readyz`)).status === 200;
  } catch {
    return false;
  }
}

/** Waits until the started program has written its address and responds there. */
async function waitUntilReady(dataDir: string, child: ChildProcess, startedAt: number): Promise<string> {
  while (Date.now() - startedAt < START_TIMEOUT_MS && child.exitCode === null) {
    await new Promise((resolve) => setTimeout(resolve, 25));
    const credentials = await readCredentials(dataDir).catch(() => null);
    if (credentials && (await isReady(credentials.baseUrl))) return credentials.baseUrl;
  }
  throw new Error('Gatehouse did not become ready');
}

/** Starts the standalone program, or the mesh, on the given MongoDB and data directory. */
export async function startGatehouse(
  form: 'standalone' | 'mesh',
  {
    mongodbUrl,
    dataDir,
    settings = {},
    nodeArguments = NODE_ARGUMENTS[form],
    isBundled = true,
  }: {
    mongodbUrl?: string;
    dataDir: string;
    settings?: Record<string, string>;
    nodeArguments?: readonly string[];
    /** Whether it runs from one file, as `npm start` runs it, or from the files of the build. */
    isBundled?: boolean;
  },
): Promise<Server & { readyAfterMs: number }> {
  const folder = isBundled ? 'apps/standalone/dist/bundle' : 'apps/standalone/dist';
  const program = join(ROOT, folder, form === 'mesh' ? 'mesh.js' : 'main.js');
  const startedAt = Date.now();
  const child = spawn(process.execPath, [...nodeArguments, program], {
    env: {
      ...process.env,
      ...SETTINGS,
      DATA_DIR: dataDir,
      ...(mongodbUrl ? { MONGODB_URL: mongodbUrl } : {}),
      ...settings,
    },
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  keepTrackOf(child);
  const baseUrl = await waitUntilReady(dataDir, child, startedAt);
  const readyAfterMs = Date.now() - startedAt;
  return { name: form, baseUrl, pid: child.pid ?? 0, readyAfterMs, stop: () => stopChild(child) };
}

/**
 * Starts a program of this folder. Returns the line with `start` that it writes when it is ready, possibly
 * after others.
 */
export async function startProgram(
  name: string,
  {
    file,
    args,
    start = '',
    env = {},
  }: { file: string; args: readonly string[]; start?: string; env?: Record<string, string> },
) {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  keepTrackOf(child);
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (text) => text.startsWith(start) && resolve(text));
    child.once('exit', () => reject(new Error(`${name} did not start`)));
  });
  return { name, line, pid: child.pid ?? 0, stop: () => stopChild(child) };
}

/** Starts the minimal server; see `limit.ts`. */
export async function startLimit(args: string[]): Promise<Server> {
  const { line: port, ...server } = await startProgram('limit', { file: 'limit.js', args });
  return { ...server, baseUrl: `http://127.0.0.1:${port}` };
}

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { childEnvironment, readConfig, type Config } from '@gatehouse/service';
import { startStandalone, type Credentials } from '@gatehouse/standalone';
import { startMesh } from '@gatehouse/standalone/mesh';
import { removeDataDir } from '@gatehouse/testing';
import { inject } from 'vitest';

/** Variables that a test sets; each server gets a data directory and a database of its own beside them. */
export type Settings = Partial<Record<keyof Config | 'HOME' | 'NODE_OPTIONS', string>>;

/** The two ways to run the platform. Whatever holds over HTTP holds on both. */
export type Form = 'standalone' | 'mesh';

/** A running platform. Disposing of it stops it and removes its data directory, unless that was given. */
export interface TestServer extends AsyncDisposable {
  form: Form;
  baseUrl: string;
  credentials: Credentials;
  dataDir: string;
  /**
   * The metrics addresses of the processes, the gateway's first; none unless METRICS_PORT is set, and none of
   * programs and containers.
   */
  metricsUrls: readonly string[];
  stop(): Promise<void>;
}

/** The mesh, started from the test's own process: each service can be killed by itself. */
export interface TestMesh extends TestServer {
  /** Process ids by name: `gateway`, each service, and what the mesh started for itself. */
  pids(): Record<string, number | undefined>;
}

/** A form run as a user runs it: as a program, which can be killed. */
export interface Program {
  pid: number;
  dataDir: string;
  /** Resolves to the rest once it reports its address; rejects, with its output, if it ends before that. */
  listening: Promise<Credentials>;
  /** What it has printed for people so far. */
  output(): string;
  /** What it has written to standard error so far: its log. */
  errors(): string;
  /** Resolves when it has ended, with its exit code, or null when a signal ended it. */
  exited: Promise<number | null>;
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** A platform run as a program. Its data directory stays until the disposal, also when it is killed. */
export interface SpawnedServer extends TestServer, Omit<Program, 'listening'> {}

const PROGRAMS: Record<Form, string> = {
  standalone: fileURLToPath(new URL('../../apps/standalone/dist/bundle/main.js', import.meta.url)),
  mesh: fileURLToPath(new URL('../../apps/standalone/dist/bundle/mesh.js', import.meta.url)),
};

interface Preparation {
  settings: Settings;
  dataDir: string;
  dispose(): Promise<void>;
}

async function prepare(settings: Settings): Promise<Preparation> {
  const dataDir = settings.DATA_DIR ?? (await mkdtemp(join(tmpdir(), 'gatehouse-')));
  return {
    dataDir,
    settings: {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: dataDir,
      DEMO: '0',
      LOG_LEVEL: 'fatal',
      RATE_LIMIT: '0',
      RATE_LIMIT_TOKEN: '0',
      // The tests keep connections that they do not use again.
      DRAIN_MS: '0',
      // A call that takes a millisecond may wait for seconds on a busy machine.
      COMPILE_TIMEOUT_MS: '60000',
      REQUEST_TIMEOUT_MS: '120000',
      VALIDATE_OUTPUT: '1',
      // On a server that is shared: the same database for each start on a data directory, and no other's.
      MONGODB_PREFIX: `t${createHash('sha256').update(dataDir).digest('hex').slice(0, 20)}`,
      // Events of one test are no business of another's.
      NATS_URL: '',
      ...settings,
    },
    async dispose() {
      if (settings.DATA_DIR === undefined) await removeDataDir(dataDir);
    },
  };
}

async function readyServer(
  form: Form,
  { dataDir, dispose }: Preparation,
  running: { credentials: Credentials; metricsUrls?: readonly string[]; stop(): Promise<void> },
): Promise<TestServer> {
  return {
    form,
    baseUrl: running.credentials.baseUrl,
    credentials: running.credentials,
    dataDir,
    metricsUrls: running.metricsUrls ?? [],
    stop: () => running.stop(),
    async [Symbol.asyncDispose]() {
      await running.stop();
      await dispose();
    },
  };
}

/** Starts everything inside the process of the test, from the built packages. */
export async function startTestStandalone(settings: Settings = {}): Promise<TestServer> {
  const preparation = await prepare(settings);
  const running = await startStandalone(readConfig(childEnvironment(preparation.settings)));
  return readyServer('standalone', preparation, running);
}

/** Starts the gateway and each service as a process of its own, from the build. */
export async function startTestMesh(settings: Settings = {}): Promise<TestMesh> {
  const preparation = await prepare(settings);
  const running = await startMesh(readConfig(childEnvironment(preparation.settings)));
  return { ...(await readyServer('mesh', preparation, running)), pids: () => running.pids() };
}

/** Where MongoDB is, in the container suite. */
const network = inject('containerNetwork');

/** Starts the gateway and each service from an image of its own. */
async function startTestContainers(settings: Settings = {}): Promise<TestServer> {
  if (network === undefined) throw new Error('Only the container suite starts containers');
  const preparation = await prepare(settings);
  // Loaded here, because the other suites have no use for what it needs.
  const { startContainers } = await import('../containers/platform.js');
  const running = await startContainers({ ...preparation, network });
  return readyServer('mesh', preparation, running);
}

interface StartableForm {
  form: Form;
  start(settings?: Settings): Promise<TestServer>;
}

/** Both forms, for `describe.each`; in the container suite the mesh alone, in containers. */
export const bothForms: readonly StartableForm[] =
  network === undefined
    ? [
        { form: 'standalone', start: startTestStandalone },
        { form: 'mesh', start: startTestMesh },
      ]
    : [{ form: 'mesh', start: startTestContainers }];

/** The forms of most tests: the first alone, and both in the nightly run. */
export const forms = process.env['ALL_TESTS'] === '1' ? bothForms : bothForms.slice(0, 1);

/** The form of those tests that need just one: the standalone, and in the container suite the containers. */
export function startTestPlatform(settings: Settings = {}): Promise<TestServer> {
  return network === undefined ? startTestStandalone(settings) : startTestContainers(settings);
}

async function runProgram(form: Form, { settings, dataDir }: Preparation): Promise<Program> {
  const child = spawn(process.execPath, [PROGRAMS[form]], {
    env: childEnvironment(settings),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { output: '', errors: '' };
  child.stderr.setEncoding('utf8').on('data', (text: string) => (texts.errors += text));
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const said = new Promise<true>((resolve) => {
    createInterface({ input: child.stdout })
      .on('line', (line) => (texts.output += `${line}\n`))
      .on('line', (line) => line.startsWith('curl ') && resolve(true));
  });
  const listening = Promise.race([said, exited]).then(async (outcome) => {
    if (outcome !== true) throw new Error(`The ${form} did not start: ${texts.errors}`);
    return JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')) as Credentials;
  });
  // A test that kills it during the start does not await it.
  listening.catch(() => {});
  return {
    pid: child.pid ?? 0,
    dataDir,
    listening,
    output: () => texts.output,
    errors: () => texts.errors,
    exited,
    async end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}

/** Runs a form as a program on a data directory of the caller's, and does not wait for it to listen. */
export async function launchProgram(form: Form, settings: Settings & { DATA_DIR: string }): Promise<Program> {
  return runProgram(form, await prepare(settings));
}

/**
 * Runs a deployment mode as a program, from the build, and resolves once it reports its address.
 *
 * @throws Error with its output if it ends before that
 */
export async function spawnServer(form: Form, settings: Settings = {}): Promise<SpawnedServer> {
  const preparation = await prepare(settings);
  const program = await runProgram(form, preparation);
  try {
    const credentials = await program.listening;
    const stop = async () => void (await program.end('SIGTERM'));
    return { ...program, ...(await readyServer(form, preparation, { credentials, stop })) };
  } catch (error) {
    await preparation.dispose();
    throw error;
  }
}

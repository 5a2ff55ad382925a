import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readConfig, type Config } from '@gatehouse/service';
import type { Credentials } from '@gatehouse/standalone';
import { startUserMongo } from '@gatehouse/testing';
import { GenericContainer, Wait, type StartedTestContainer } from 'testcontainers';
import { APPS, imageOf, NATS_IMAGE, SERVICES, type App } from './images.js';

/** A platform whose processes run in containers, each from its own image. */
export interface RunningContainers {
  credentials: Credentials;
  /** The container of each process, by its name. */
  containers: ReadonlyMap<App, StartedTestContainer>;
  stop(): Promise<void>;
}

export interface ContainerSettings {
  settings: Partial<Record<keyof Config, string>>;
  /**
   * Keeps the secrets and the credentials, so that a second start on the same database works with those of
   * the first.
   */
  dataDir: string;
  /** The name of the network that `mongodb` is on. */
  network: string;
}

type Environment = Record<string, string>;
type BindMounts = Parameters<GenericContainer['withBindMounts']>[0];

const run = promisify(execFile);
const MAKE_SECRETS = fileURLToPath(new URL('../../scripts/secrets.mjs', import.meta.url));
const PORT = 8080;
const STOP_LIMIT_MS = 15_000;
const START_LIMIT_MS = 60_000;
const PREFIX = 'gatehouse';

/** What infra/compose.yaml gives every process. */
const COMMON: Environment = {
  HOST: '0.0.0.0',
  PORT: String(PORT),
  ...Object.fromEntries(SERVICES.map((name) => [`${name.toUpperCase()}_URL`, `ws://${name}:${PORT}`])),
};

/** A process as it is meant to be run: it can write nothing but `/tmp`, and gains no rights. */
class AppContainer extends GenericContainer {
  constructor(app: App) {
    super(imageOf(app));
    this.hostConfig.ReadonlyRootfs = true;
    this.withNetworkAliases(app)
      .withTmpFs({ '/tmp': 'rw' })
      .withDroppedCapabilities('ALL')
      .withSecurityOpt('no-new-privileges:true')
      .withExposedPorts(PORT)
      .withWaitStrategy(Wait.forHttp('/readyz', PORT))
      .withStartupTimeout(START_LIMIT_MS);
  }
}

/** The databases that lie in files, at the same place, which the user of the image is let read. */
async function mountsOf({ SQLITE_DIR: folder }: ContainerSettings['settings']): Promise<BindMounts> {
  if (folder === undefined) return [];
  await chmod(folder, 0o755);
  return [{ source: folder, target: folder, mode: 'ro' }];
}

/** The environment file that `npm run secrets` makes for a process. */
async function readSecrets(folder: string, app: App): Promise<Environment> {
  const text = await readFile(join(folder, `${app}.env`), 'utf8');
  const lines = text.split('\n').filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/**
 * Creates for each service the user with the password of `npm run secrets`, on the database of this platform.
 * Returns each service's URL: the one of `npm run secrets`, with the other name of the database.
 */
async function createUsers(
  secrets: ReadonlyMap<App, Environment>,
  prefix: string,
): Promise<{ urls: ReadonlyMap<App, string>; drop(): Promise<void> }> {
  const mongo = await startUserMongo({ url: readConfig().MONGODB_URL ?? '' });
  const urls = new Map<App, string>();
  for (const app of SERVICES) {
    const database = `${prefix}_${app}`;
    const url = new URL((secrets.get(app)?.['MONGODB_URL'] ?? '').replace(`${PREFIX}_${app}`, database));
    await mongo.create({ name: url.username, password: url.password, database });
    urls.set(app, url.href);
  }
  return { urls, drop: async () => mongo[Symbol.asyncDispose]() };
}

/** As an operator does it: the directory's own program prints the credentials once. */
async function bootstrap(directory: StartedTestContainer): Promise<Credentials> {
  const { stdout, stderr, exitCode } = await directory.exec([
    'node',
    'dist/bundle/main.js',
    '--bootstrap',
    '--credentials',
    '-',
  ]);
  if (exitCode !== 0) throw new Error(`The first organization was not made: ${stdout}${stderr}`);
  return JSON.parse(stdout) as Credentials;
}

/**
 * Those of an earlier start, or new ones. As with the standalone, the file contains the current address of
 * the platform.
 */
async function provideCredentials(
  dataDir: string,
  directory: StartedTestContainer,
  baseUrl: string,
): Promise<Credentials> {
  const file = join(dataDir, 'credentials.json');
  const known = await readFile(file, 'utf8').catch(() => undefined);
  const given = known === undefined ? await bootstrap(directory) : (JSON.parse(known) as Credentials);
  const credentials = { ...given, baseUrl };
  await writeFile(file, JSON.stringify(credentials), { mode: 0o600 });
  return credentials;
}

async function startNats(network: string, config: string): Promise<StartedTestContainer> {
  return new GenericContainer(NATS_IMAGE)
    .withNetworkMode(network)
    .withNetworkAliases('nats')
    .withCopyContentToContainer([{ content: config, target: '/etc/nats/nats.conf' }])
    .withCommand(['--config', '/etc/nats/nats.conf'])
    .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
    .start();
}

/**
 * Starts the whole mesh in containers, with the secrets that `npm run secrets` makes and a NATS that
 * knows each process by its password, and makes the first organization.
 *
 * @throws Error when a container does not start; those that did are stopped by then.
 */
export async function startContainers(given: ContainerSettings): Promise<RunningContainers> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const next of stops.splice(0).toReversed()) await next();
  };
  try {
    const { containers, credentials } = await launch(given, stops);
    return { containers, credentials, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function launch(
  { settings, dataDir, network }: ContainerSettings,
  stops: (() => Promise<unknown>)[],
): Promise<Omit<RunningContainers, 'stop'>> {
  const folder = join(dataDir, 'secrets');
  await run(process.execPath, [MAKE_SECRETS, folder]);
  const nats = await startNats(network, await readFile(join(folder, 'nats.conf'), 'utf8'));
  stops.push(() => nats.stop());
  const secrets = new Map<App, Environment>();
  for (const app of APPS) secrets.set(app, await readSecrets(folder, app));
  const { urls, drop } = await createUsers(secrets, settings.MONGODB_PREFIX ?? PREFIX);
  stops.push(drop);

  const containers = new Map<App, StartedTestContainer>();
  const start = async (app: App) => {
    const own = {
      ...(app !== 'gateway' && { MONGODB_URL: urls.get(app) ?? '' }),
      ...(app === 'lifecycle' && { REPOSITORY_DIR: '/tmp/repositories' }),
    };
    const environment = { ...settings, ...COMMON, ...secrets.get(app), ...own };
    const container = await new AppContainer(app)
      .withNetworkMode(network)
      .withEnvironment(environment)
      .withBindMounts(app === 'semantics' ? await mountsOf(settings) : [])
      .start();
    containers.set(app, container);
    stops.push(() => container.stop({ timeout: STOP_LIMIT_MS }));
    return container;
  };
  const starts = await Promise.allSettled(SERVICES.map(start));
  const failure = starts.find((result) => result.status === 'rejected');
  if (failure) throw failure.reason;
  const directory = containers.get('directory');
  if (directory === undefined) throw new Error('The directory was not started');
  const gateway = await start('gateway');
  const baseUrl = `http://${gateway.getHost()}:${gateway.getMappedPort(PORT)}`;
  return { containers, credentials: await provideCredentials(dataDir, directory, baseUrl) };
}

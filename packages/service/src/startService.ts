import type { ServiceName } from '@gatehouse/contract';
import type { Config } from './config.js';
import { createInProcessBus } from './events/inProcessBus.js';
import { connectNatsBus } from './events/natsBus.js';
import { createInternalTokenSigner, createInternalTokenVerifier } from './internalToken.js';
import { createLog } from './log.js';
import { openDatabases, type Databases } from './mongo/database.js';
import { resealFields } from './mongo/reseal.js';
import { observeProcess } from './observability/observe.js';
import { runProcess, runTask, type Stoppable } from './process.js';
import { connectServices, type ServiceLinks } from './rpc/connect.js';
import { networkLink } from './rpc/link.js';
import { serveService } from './rpc/serve.js';
import { createSealer } from './sealing.js';
import type { ServiceDefinition, ServiceRuntime } from './serviceDefinition.js';

/** The value of a variable without which a process of the mesh cannot run. */
export function requireSetting<N extends keyof Config>(config: Config, name: N): NonNullable<Config[N]> {
  const value = config[name];
  if (value === undefined || value === null) throw new Error(`${name} must be set`);
  return value;
}

/** The variables that say where each service listens. */
export const SERVICE_URLS = {
  directory: 'DIRECTORY_URL',
  access: 'ACCESS_URL',
  semantics: 'SEMANTICS_URL',
  policy: 'POLICY_URL',
  lifecycle: 'LIFECYCLE_URL',
  audit: 'AUDIT_URL',
} as const satisfies Record<ServiceName, keyof Config>;

/** Network links to the services that are named, or to every one. */
export function networkLinks(
  config: Config,
  names = Object.keys(SERVICE_URLS) as readonly ServiceName[],
): ServiceLinks {
  const timeoutMs = config.REQUEST_TIMEOUT_MS;
  return Object.fromEntries(
    names.map((name) => [name, networkLink({ url: config[SERVICE_URLS[name]], timeoutMs })]),
  );
}

/** Signs for the one service that acts without being asked; only that one's process is given the key. */
async function ownSigner({ LIFECYCLE_SIGNING_KEY: key }: Config) {
  return key === undefined ? undefined : createInternalTokenSigner(key);
}

type OpenRuntime = Omit<ServiceRuntime<ServiceName>, 'bus' | 'log'> & {
  databases: Databases;
  links: ServiceLinks;
};

/** What a process of one service works with, but for its bus and log. */
async function openRuntime({ name, calls }: ServiceDefinition, config: Config): Promise<OpenRuntime> {
  const url = requireSetting(config, 'MONGODB_URL');
  const databases = await openDatabases(url, config.MONGODB_PREFIX, config.MONGODB_TIMEOUT_MS);
  const links = networkLinks(config, calls);
  return {
    config,
    databases,
    links,
    database: databases.of(name),
    services: connectServices(links),
    // Only who seals needs the keys.
    get sealer() {
      return createSealer(requireSetting(config, 'SEALING_KEYS'));
    },
    verifier: await createInternalTokenVerifier(requireSetting(config, 'INTERNAL_VERIFY_KEY')),
    signer: await ownSigner(config),
  };
}

async function closeRuntime({ links, databases }: OpenRuntime): Promise<void> {
  await Promise.all(Object.values(links).map((link) => link?.close()));
  await databases.close();
}

/** Something that the program of a service does in place of serving, on its database, and then ends. */
export type ServiceTask = (runtime: ServiceRuntime<ServiceName>) => Promise<void>;

/**
 * Runs the program of one service: serves it, or does the task that the command line names. Every program has `--indexes`, which
 * makes the indexes of its database, and `--reseal`, which seals with the first of SEALING_KEYS what another one sealed.
 */
export function runService(
  definition: ServiceDefinition,
  ownTasks: Record<string, ServiceTask> = {},
): Promise<void> {
  const tasks: Record<string, ServiceTask> = {
    indexes: (runtime) => makeIndexes(definition, runtime),
    reseal: (runtime) => reseal(definition, runtime),
    ...ownTasks,
  };
  const task = Object.entries(tasks).find(([name]) => process.argv.includes(`--${name}`))?.[1];
  if (task === undefined) return runProcess((config) => startService(definition, config));
  return runTask((config) => runServiceTask(definition, task, config));
}

async function runServiceTask(
  definition: ServiceDefinition,
  task: ServiceTask,
  config: Config,
): Promise<void> {
  const log = createLog(definition.name, config);
  // What a task asks of a large collection, such as an index, takes as long as it takes.
  const opened = await openRuntime(definition, { ...config, MONGODB_TIMEOUT_MS: 0 });
  // Nothing is published: without a relay the events of the database stay where they are.
  const bus = createInProcessBus({ log, onDeadLetter: () => Promise.resolve() });
  try {
    await task(Object.assign(opened, { log, bus }));
  } finally {
    await bus.close();
    await closeRuntime(opened);
  }
}

async function makeIndexes(
  definition: ServiceDefinition,
  runtime: ServiceRuntime<ServiceName>,
): Promise<void> {
  await definition.prepare(runtime);
  runtime.log.info('the indexes are there');
}

async function reseal({ sealedFields }: ServiceDefinition, runtime: ServiceRuntime): Promise<void> {
  const { resealed, remaining } = await resealFields(runtime, sealedFields);
  process.stdout.write(`${runtime.database.databaseName}: ${resealed} sealed anew, ${remaining} left\n`);
  if (remaining > 0) throw new Error('Some were written meanwhile, or do not open: run it again');
}

/** Runs one service as a process of its own: its database, the bus, its links to those that it calls, and a server. */
export async function startService(definition: ServiceDefinition, config: Config): Promise<Stoppable> {
  const { name } = definition;
  const log = createLog(name, config);
  const observation = await observeProcess(config, { name, log });
  const opened = await openRuntime(definition, config);
  const bus = await connectNatsBus({ url: requireSetting(config, 'NATS_URL'), name, log });
  const service = await definition.start(Object.assign(opened, { log, bus }));
  const checkReady = async () =>
    void (await Promise.all([opened.databases.ping(name), service.checkReady()]));
  const server = await serveService(service, { host: config.HOST, port: config.PORT, log, checkReady });
  log.info({ url: server.url }, 'listening');
  return {
    async stop() {
      await server.close(config.SHUTDOWN_TIMEOUT_MS);
      await service.stop();
      await bus.close();
      await closeRuntime(opened);
      await observation.stop();
      log.info('stopped');
    },
  };
}

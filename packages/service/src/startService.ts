import { services, type ServiceName } from '@gatehouse/contract';
import type { Config } from './config.js';
import { createInProcessBus } from './events/inProcessBus.js';
import { connectNatsBus } from './events/nats.js';
import { createInternalTokenSigner, createInternalTokenVerifier } from './internalToken.js';
import { createLog } from './log.js';
import { openDatabases, type Databases } from './mongo/database.js';
import { resealFields } from './mongo/reseal.js';
import { observeProcess } from './observability/observe.js';
import { runProcess, runTask, type Stoppable } from './process.js';
import { connectServices, networkLink, type ServiceLinks } from './rpc/client.js';
import { serveService } from './rpc/serve.js';
import { createSealer } from './sealing.js';
import { SERVICE_URLS } from './serviceUrls.js';
import type { ServiceDefinition, ServiceRuntime } from './serviceDefinition.js';

/** The value of a variable that a process of the mesh requires. */
export function requireSetting<N extends keyof Config>(config: Config, name: N): NonNullable<Config[N]> {
  const value = config[name];
  if (value === undefined || value === null) throw new Error(`${name} must be set`);
  return value;
}

/** Network links to the named services, or to all services. */
export function networkLinks(
  config: Config,
  names = Object.keys(SERVICE_URLS) as readonly ServiceName[],
): ServiceLinks {
  const timeoutMs = config.REQUEST_TIMEOUT_MS;
  return Object.fromEntries(
    names.map((name) => [name, networkLink(services[name], { url: config[SERVICE_URLS[name]], timeoutMs })]),
  );
}

/** The signer of the service that acts on its own behalf. Only the process of that service has the key. */
async function ownSigner({ LIFECYCLE_SIGNING_KEY: key, REQUEST_TIMEOUT_MS: callTimeoutMs }: Config) {
  return key === undefined ? undefined : createInternalTokenSigner(key, callTimeoutMs);
}

type OpenRuntime = Omit<ServiceRuntime<ServiceName>, 'bus' | 'log'> & {
  databases: Databases;
  links: ServiceLinks;
};

/** The dependencies of a service process, except its bus and log. */
async function openRuntime({ database, calls }: ServiceDefinition, config: Config): Promise<OpenRuntime> {
  const url = requireSetting(config, 'MONGODB_URL');
  const databases = await openDatabases(url, config.MONGODB_PREFIX, config);
  const links = networkLinks(config, calls);
  return {
    config,
    databases,
    links,
    database: databases.of(database),
    services: connectServices(links),
    // A getter, because only services that seal need the keys.
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

/** A command of a service program, which runs on its database instead of serving, and then ends. */
export type ServiceTask = (runtime: ServiceRuntime<ServiceName>) => Promise<void>;

/**
 * Runs the program of one service: serves it, or runs the task that the command line names. Every program has
 * `--indexes`, which creates the indexes of its database, and `--reseal`, which reseals with the first of
 * SEALING_KEYS what another key has sealed.
 */
export function runService(
  definition: ServiceDefinition,
  ownTasks: Record<string, ServiceTask> = {},
): Promise<void> {
  const tasks: Record<string, ServiceTask> = {
    indexes: (runtime) => createIndexes(definition, runtime),
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
  // A task on a large collection, such as an index, has no time limit.
  const opened = await openRuntime(definition, { ...config, MONGODB_TIMEOUT_MS: 0 });
  // Nothing is published: without a relay, the events stay in the database.
  const bus = createInProcessBus({ log, onDeadLetter: () => Promise.resolve() });
  try {
    await task(Object.assign(opened, { log, bus }));
  } finally {
    await bus.close();
    await closeRuntime(opened);
  }
}

async function createIndexes(
  definition: ServiceDefinition,
  runtime: ServiceRuntime<ServiceName>,
): Promise<void> {
  await definition.prepare(runtime);
  runtime.log.info('indexes created');
}

async function reseal({ sealedFields }: ServiceDefinition, runtime: ServiceRuntime): Promise<void> {
  const { resealed, remaining } = await resealFields(runtime, sealedFields);
  process.stdout.write(`${runtime.database.databaseName}: ${resealed} resealed, ${remaining} left\n`);
  if (remaining > 0)
    throw new Error('some texts were written meanwhile or cannot be opened: run the command again');
}

/**
 * Runs one service as a process: its database, the bus, links to the services that it calls, and a server.
 */
export async function startService(definition: ServiceDefinition, config: Config): Promise<Stoppable> {
  const { name, database } = definition;
  const log = createLog(name, config);
  const observation = await observeProcess(config, { name, log });
  const opened = await openRuntime(definition, config);
  const bus = await connectNatsBus({ url: requireSetting(config, 'NATS_URL'), name, log });
  const service = await definition.start(Object.assign(opened, { log, bus }));
  const checkReady = async () =>
    void (await Promise.all([opened.databases.ping(database), service.checkReady()]));
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

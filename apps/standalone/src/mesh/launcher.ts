import { PROCESS_NAMES, SERVICE_NAMES } from '@gatehouse/contract';
import {
  connectNatsBus,
  connectServices,
  createInternalTokenSigner,
  createLog,
  findFreePort,
  findFreePorts,
  generateInternalKeys,
  joinVerifyKeys,
  networkLinks,
  verifyKeyOf,
  type Config,
  type InternalKeys,
  type Logger,
  type ServiceLinks,
} from '@gatehouse/service';
import { baseUrlOf } from '../baseUrl.js';
import { CREDENTIALS_FILE, provideSealingKey, updateBaseUrl } from '../credentials.js';
import { openDataDirectory, REPOSITORIES, type DataDirectory } from '../dataDirectory.js';
import { openDemo, type Demo } from '../demo/demo.js';
import { loadPendingDemo } from '../demo/pending.js';
import { provideStore } from '../embeddedStore.js';
import {
  createSignInCode,
  establishInstallation,
  type Installation,
  type OperatorParts,
} from '../installation.js';
import type { RunningForm } from '../program.js';
import { createStopSequence, type StopSequence } from '../stopSequence.js';
import { prepareNats } from './nats.js';
import { planApp, serviceUrls, type MeshSettings } from './plan.js';
import { superviseProcess, type ProcessPlan, type SupervisedProcess } from './supervisor.js';

/** The gateway and every service, each in a process of its own. */
export interface RunningMesh extends RunningForm {
  /** Current process ids by the name of the process. A restarted process has a new id. */
  pids(): Record<string, number | undefined>;
}

interface Launch {
  config: Config;
  directory: DataDirectory;
  log: Logger;
  stops: StopSequence;
  processes: SupervisedProcess[];
}

const FREE_PLACE = { host: '127.0.0.1', port: 0 };

/**
 * Starts the mesh on loopback and resolves once the gateway serves. It uses the servers of MONGODB_URL and
 * NATS_URL, by default an embedded engine and a nats-server of its own, which keep their data in DATA_DIR. A
 * process that dies is reported and restarted.
 *
 * @throws Error if a part does not start; the started parts are stopped before
 */
export async function startMesh(config: Config): Promise<RunningMesh> {
  const stops = createStopSequence();
  try {
    const directory = await openDataDirectory(config.DATA_DIR);
    return await launch({ config, directory, log: createLog('mesh', config), stops, processes: [] });
  } catch (error) {
    await stops.run().catch(() => {});
    throw error;
  }
}

async function launch(parts: Launch): Promise<RunningMesh> {
  const { config, directory, log, stops, processes } = parts;
  const demo = await openDemo(directory, { config, log, stops });
  const store = await provideStore(directory, { config, log, stops });
  const keys = await provideKeys(config);
  const lifecycleKeys = await generateInternalKeys('lifecycle');
  const settings: MeshSettings = {
    config,
    own: {
      INTERNAL_SIGNING_KEY: keys.signingKey,
      INTERNAL_VERIFY_KEY: joinVerifyKeys([keys.verifyKey, lifecycleKeys.verifyKey]),
      LIFECYCLE_SIGNING_KEY: lifecycleKeys.signingKey,
      MONGODB_URL: store.url,
      OIDC_CLIENT_SECRET: config.OIDC_CLIENT_SECRET ?? '',
      SEALING_KEYS: config.SEALING_KEYS ?? (await provideSealingKey(directory)),
      CONNECTION_HOSTS: demo?.connectionHosts ?? config.CONNECTION_HOSTS,
      SQLITE_DIR: config.SQLITE_DIR ?? '',
      REPOSITORY_DIR: config.REPOSITORY_DIR ?? directory.entry(REPOSITORIES),
      REPOSITORY_HOSTS: config.REPOSITORY_HOSTS,
      WEBHOOK_HOSTS: demo?.webhookHosts ?? config.WEBHOOK_HOSTS,
    },
    natsUrl: config.NATS_URL ?? (await startNats(parts)),
    ...(await findPorts(config)),
  };
  const services = SERVICE_NAMES.map((name) => planApp(name, settings));
  await startAll(services, parts);
  const installation = await establish(settings, demo, parts);
  await startAll([planApp('gateway', settings)], parts);
  const baseUrl = baseUrlOf(config.HOST, settings.ports.gateway);
  const credentials = await updateBaseUrl(directory, installation.credentials, baseUrl);
  return {
    credentials,
    credentialsFile: directory.entry(CREDENTIALS_FILE),
    pids: () => ({ engine: store.pid, ...Object.fromEntries(processes.map(({ name, pid }) => [name, pid])) }),
    metricsUrls: metricsUrlsOf(settings),
    createSignInCode: () => asOperator(settings, (operator) => createSignInCode(credentials, operator)),
    failed: store.lost,
    stop: () => stops.run(),
  };
}

async function findPorts(config: Config): Promise<Pick<MeshSettings, 'ports' | 'metricsPorts'>> {
  const { HOST, PORT, METRICS_HOST, METRICS_PORT: first } = config;
  const places = PROCESS_NAMES.map((app) => (app === 'gateway' ? { host: HOST, port: PORT } : FREE_PLACE));
  const metricsPlaces = PROCESS_NAMES.map((_, index) => ({
    host: METRICS_HOST,
    port: first ? first + index : 0,
  }));
  const found = await findFreePorts(first === undefined ? places : [...places, ...metricsPlaces]);
  const byApp = (ports: number[]) =>
    Object.fromEntries(PROCESS_NAMES.map((app, index) => [app, ports[index]])) as MeshSettings['ports'];
  const metricsPorts = first === undefined ? null : byApp(found.slice(PROCESS_NAMES.length));
  return { ports: byApp(found), metricsPorts };
}

function metricsUrlsOf({ config, metricsPorts }: MeshSettings): string[] {
  return Object.values(metricsPorts ?? {}).map((port) => `${baseUrlOf(config.METRICS_HOST, port)}/metrics`);
}

async function provideKeys({ INTERNAL_SIGNING_KEY }: Config): Promise<InternalKeys> {
  if (INTERNAL_SIGNING_KEY === undefined) return generateInternalKeys();
  return { signingKey: INTERNAL_SIGNING_KEY, verifyKey: verifyKeyOf(INTERNAL_SIGNING_KEY) };
}

async function startNats(parts: Launch): Promise<string> {
  const { plan, url } = await prepareNats(parts.directory, await findFreePort());
  await startAll([plan], parts);
  return url;
}

/** Starts processes concurrently; they are stopped one after the other, in reverse order. */
async function startAll(plans: ProcessPlan[], { log, processes, stops }: Launch): Promise<void> {
  const starts = await Promise.allSettled(plans.map((plan) => superviseProcess(plan, log)));
  // Wait for all of them even after a failure, because the others have to be stopped.
  for (const start of starts) {
    if (start.status === 'rejected') continue;
    processes.push(start.value);
    stops.add((timeoutMs) => start.value.stop(timeoutMs));
  }
  const failure = starts.find((start) => start.status === 'rejected');
  if (failure) throw failure.reason;
}

/** Calls the services as the operator of the platform, who holds the signing key. */
async function asOperator<T>(
  settings: MeshSettings,
  work: (parts: OperatorParts & { links: ServiceLinks }) => Promise<T>,
): Promise<T> {
  const { config, own } = settings;
  const links = networkLinks({ ...config, ...serviceUrls(settings) });
  try {
    const signer = await createInternalTokenSigner(own.INTERNAL_SIGNING_KEY, config.REQUEST_TIMEOUT_MS);
    return await work({ links, services: connectServices(links), signer });
  } finally {
    await Promise.all(Object.values(links).map((link) => link?.close()));
  }
}

/** Creates all data before the gateway serves. */
async function establish(
  settings: MeshSettings,
  demo: Demo | null,
  { config, directory, log }: Launch,
): Promise<Installation> {
  const bus = await connectNatsBus({ url: settings.natsUrl, name: 'mesh', log });
  try {
    const baseUrl = baseUrlOf(config.HOST, settings.ports.gateway);
    return await asOperator(settings, async ({ links, services, signer }) => {
      const isDemo = demo !== null;
      const installation = await establishInstallation({ directory, isDemo, services, signer, log, baseUrl });
      await loadPendingDemo(demo, installation, { directory, parts: { config, log, links, bus, signer } });
      return installation;
    });
  } finally {
    await bus.close();
  }
}

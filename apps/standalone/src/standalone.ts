import {
  connectNatsBus,
  createInProcessBus,
  createInternalTokenSigner,
  createInternalTokenVerifier,
  createLog,
  createSealer,
  connectServices,
  generateInternalKeys,
  joinVerifyKeys,
  observeProcess,
  openDatabases,
  startReplays,
  storeDeadLetters,
  type Config,
  type Databases,
  type EventBus,
  type InternalTokenSigner,
  type Logger,
  type ServiceLinks,
} from '@gatehouse/service';
import { baseUrlOf } from './baseUrl.js';
import { CREDENTIALS_FILE, provideSealingKey, updateBaseUrl } from './credentials.js';
import { openDataDirectory, REPOSITORIES } from './dataDirectory.js';
import { openDemo } from './demo/demo.js';
import { loadPendingDemo } from './demo/pending.js';
import { provideStore } from './embeddedStore.js';
import { createSignInCode, establishInstallation } from './installation.js';
import type { RunningForm } from './program.js';
import { createStopSequence, type StopSequence } from './stopSequence.js';

export type { Credentials } from './credentials.js';
export type { RunningForm } from './program.js';

/** The platform in this process. The links and the signer are for a program that embeds it. */
export interface RunningStandalone extends RunningForm {
  /** Links to the services, for `connectService`. */
  links: ServiceLinks;
  /** Signs the tokens of calls. Its holder can act for every user. */
  signer: InternalTokenSigner;
}

/**
 * Starts the platform in this process and resolves once it serves. It uses the embedded engine unless
 * MONGODB_URL names a server, and an event bus in process unless NATS_URL is set.
 *
 * @throws Error if a part does not start; the started parts are stopped before
 */
export async function startStandalone(config: Config): Promise<RunningStandalone> {
  const stops = createStopSequence();
  try {
    return await launch(config, stops);
  } catch (error) {
    await stops.run().catch(() => {});
    throw error;
  }
}

async function launch(config: Config, stops: StopSequence): Promise<RunningStandalone> {
  const log = createLog('standalone', config);
  const observation = await observeProcess(config, { name: 'standalone', log });
  stops.add(() => observation.stop());
  const directory = await openDataDirectory(config.DATA_DIR);
  const demo = await openDemo(directory, { config, log, stops });
  // The engine opens while the modules of the services and of the gateway load.
  const [store, { startServices }, { createGateway }] = await Promise.all([
    provideStore(directory, { config, log, stops }),
    import('./services.js'),
    import('@gatehouse/gateway'),
  ]);
  const databases = await openDatabases(store.url, config.MONGODB_PREFIX, config);
  stops.add(() => databases.close());
  const bus = await openBus(config, databases, { log, stops });

  const { signer, lifecycleSigner, verifier } = await createTokens(config);
  const sealer = createSealer(config.SEALING_KEYS ?? (await provideSealingKey(directory)));
  const settings = {
    ...config,
    REPOSITORY_DIR: config.REPOSITORY_DIR ?? directory.entry(REPOSITORIES),
    CONNECTION_HOSTS: demo?.connectionHosts ?? config.CONNECTION_HOSTS,
    WEBHOOK_HOSTS: demo?.webhookHosts ?? config.WEBHOOK_HOSTS,
  };
  const parts = { config: settings, databases, bus, sealer, verifier, lifecycleSigner, stops };
  const links = await startServices(parts);

  const baseUrl = baseUrlOf(config.HOST, config.PORT);
  const services = connectServices(links);
  const isDemo = demo !== null;
  const installation = await establishInstallation({ directory, isDemo, services, signer, log, baseUrl });
  const gatewayParts = { config, log: createLog('gateway', config), links, bus, signer };
  await loadPendingDemo(demo, installation, { directory, parts: gatewayParts });

  const gateway = await createGateway(gatewayParts);
  stops.add(() => gateway.stop());
  const { port } = await gateway.listen();
  const credentials = await updateBaseUrl(directory, installation.credentials, baseUrlOf(config.HOST, port));
  return {
    credentials,
    credentialsFile: directory.entry(CREDENTIALS_FILE),
    metricsUrls: observation.metricsUrl === undefined ? [] : [observation.metricsUrl],
    createSignInCode: () => createSignInCode(credentials, { services, signer }),
    failed: store.lost,
    links,
    signer,
    stop: () => stops.run(),
  };
}

/** Creates what signs and verifies the tokens of calls. The keys are never stored. */
async function createTokens({ REQUEST_TIMEOUT_MS }: Config) {
  const keys = await generateInternalKeys();
  const lifecycleKeys = await generateInternalKeys('lifecycle');
  return {
    signer: await createInternalTokenSigner(keys.signingKey, REQUEST_TIMEOUT_MS),
    lifecycleSigner: await createInternalTokenSigner(lifecycleKeys.signingKey, REQUEST_TIMEOUT_MS),
    verifier: await createInternalTokenVerifier(joinVerifyKeys([keys.verifyKey, lifecycleKeys.verifyKey])),
  };
}

async function openBus(
  config: Config,
  databases: Databases,
  { log, stops }: { log: Logger; stops: StopSequence },
): Promise<EventBus> {
  if (config.NATS_URL !== undefined) {
    const bus = await connectNatsBus({ url: config.NATS_URL, name: 'standalone', log });
    stops.add(() => bus.close());
    return bus;
  }
  const database = databases.of('events');
  const bus = createInProcessBus({ log, onDeadLetter: storeDeadLetters(database) });
  stops.add(() => bus.close());
  const replays = startReplays({ database, bus, log });
  stops.add(() => replays.stop());
  return bus;
}

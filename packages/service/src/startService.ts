import type { ServiceName } from '@gatehouse/contract';
import type { Config } from './config.js';
import { connectNatsBus } from './events/natsBus.js';
import { createInternalTokenSigner, createInternalTokenVerifier } from './internalToken.js';
import { createLog } from './log.js';
import { openDatabases } from './mongo/database.js';
import type { Stoppable } from './process.js';
import { connectServices, type ServiceLinks } from './rpc/connect.js';
import { networkLink } from './rpc/link.js';
import { serveService } from './rpc/serve.js';
import { createSealer } from './sealing.js';
import type { ServiceDefinition } from './serviceDefinition.js';

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

/** Network links to every service but the one named. */
export function networkLinks(config: Config, except?: string): ServiceLinks {
  const timeoutMs = config.REQUEST_TIMEOUT_MS;
  const others = Object.entries(SERVICE_URLS).filter(([name]) => name !== except);
  return Object.fromEntries(
    others.map(([name, variable]) => [name, networkLink({ url: config[variable], timeoutMs })]),
  );
}

/** Signs for the one service that acts without being asked; only that one's process is given the key. */
async function ownSigner({ LIFECYCLE_SIGNING_KEY: key }: Config) {
  return key === undefined ? undefined : createInternalTokenSigner(key);
}

/** Runs one service as a process of its own: its database, the bus, its links to the others, and a server. */
export async function startService(definition: ServiceDefinition, config: Config): Promise<Stoppable> {
  const { name } = definition;
  const log = createLog(name, config);
  const databases = await openDatabases(requireSetting(config, 'MONGODB_URL'), config.MONGODB_PREFIX);
  const bus = await connectNatsBus({ url: requireSetting(config, 'NATS_URL'), name, log });
  const links = networkLinks(config, name);
  const service = await definition.start({
    config,
    log,
    database: databases.of(name),
    bus,
    services: connectServices(links),
    // Only who seals needs the keys.
    get sealer() {
      return createSealer(requireSetting(config, 'SEALING_KEYS'));
    },
    verifier: await createInternalTokenVerifier(requireSetting(config, 'INTERNAL_VERIFY_KEY')),
    signer: await ownSigner(config),
  });
  const checkReady = async () => void (await Promise.all([databases.ping(), service.checkReady()]));
  const server = await serveService(service, { host: config.HOST, port: config.PORT, log, checkReady });
  log.info({ url: server.url }, 'listening');
  return {
    async stop() {
      await server.close(config.SHUTDOWN_TIMEOUT_MS);
      await service.stop();
      await Promise.all(Object.values(links).map((link) => link?.close()));
      await bus.close();
      await databases.close();
      log.info('stopped');
    },
  };
}

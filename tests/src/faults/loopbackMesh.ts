import { services, type ServiceName } from '@gatehouse/contract';
import { createGateway } from '@gatehouse/gateway';
import {
  childEnvironment,
  connectNatsBus,
  connectServices,
  createInternalTokenSigner,
  createInternalTokenVerifier,
  createLog,
  createSealer,
  generateInternalKeys,
  joinVerifyKeys,
  networkLink,
  openDatabases,
  readConfig,
  serveService,
  type Config,
  type ServiceLinks,
} from '@gatehouse/service';
import { startStandalone, type Credentials } from '@gatehouse/standalone';
import { DEFINITIONS } from '@gatehouse/standalone/services';
import { startTcpProxy, type TcpProxy } from '@gatehouse/testing';
import type { NetConnectOpts } from 'node:net';
import type { Settings } from '../servers.js';
import { readHops, SERVICES, type Part } from './hops.js';
import type { Parts } from './parts.js';

const HOST = '127.0.0.1';

/**
 * The gateway and every service, each with its own connections to all its dependencies, and a proxy in each
 * of them.
 */
export interface LoopbackMesh {
  credentials: Credentials;
  /** The proxy before what a part depends on. */
  before(part: Part, dependency: ServiceName | 'mongodb' | 'nats'): TcpProxy;
}

/** Where a MongoDB URL leads: a port, or the socket of the embedded engine. */
function placeOf(url: string): NetConnectOpts {
  const host = decodeURIComponent(/^mongodb:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url)?.[1] ?? '');
  if (host.startsWith('/')) return { path: host };
  const [name = HOST, port = '27017'] = host.split(':');
  return { host: name, port: Number(port) };
}

/** The same server by way of a proxy, and no other of its set. */
function by(proxy: TcpProxy, url: string): string {
  const led = url.replace(/^(mongodb:\/\/(?:[^@/]*@)?)[^/?]+/, `$1${HOST}:${proxy.port}`);
  if (led.includes('directConnection')) return led;
  return `${led}${led.includes('?') ? '&' : led.endsWith('/') ? '?' : '/?'}directConnection=true`;
}

/**
 * Runs a mesh in the test's own process, with sockets between parts that call each other. `parts` stops it.
 */
export async function startLoopbackMesh(
  parts: Parts,
  settings: Settings & { MONGODB_URL: string; MONGODB_PREFIX: string; NATS_URL: string; DATA_DIR: string },
): Promise<LoopbackMesh> {
  const base = {
    LOG_LEVEL: 'silent',
    DEMO: '0',
    RATE_LIMIT: '0',
    RATE_LIMIT_TOKEN: '0',
    DRAIN_MS: '0',
    PORT: '0',
  };
  const keys = await makeKeys();
  const config = readConfig(childEnvironment({ ...base, ...keys.settings, ...settings }));
  const standalone = await startStandalone({ ...config, NATS_URL: undefined });
  await standalone.stop();
  const mesh = new Mesh(parts, config, keys);
  await mesh.startServices();
  const { port } = await mesh.startGateway();
  return {
    credentials: { ...standalone.credentials, baseUrl: `http://${HOST}:${port}` },
    before: (part, dependency) => mesh.before(part, dependency),
  };
}

async function makeKeys() {
  const gateway = await generateInternalKeys();
  const lifecycle = await generateInternalKeys('lifecycle');
  return {
    signer: await createInternalTokenSigner(gateway.signingKey),
    lifecycleSigner: await createInternalTokenSigner(lifecycle.signingKey),
    verifier: await createInternalTokenVerifier(joinVerifyKeys([gateway.verifyKey, lifecycle.verifyKey])),
    settings: { SEALING_KEYS: Buffer.alloc(32, 7).toString('base64') },
  };
}

type Keys = Awaited<ReturnType<typeof makeKeys>>;

class Mesh {
  readonly #parts: Parts;
  readonly #config: Config;
  readonly #keys: Keys;
  readonly #proxies = new Map<string, TcpProxy>();

  constructor(parts: Parts, config: Config, keys: Keys) {
    this.#parts = parts;
    this.#config = config;
    this.#keys = keys;
  }

  before(part: string, dependency: string): TcpProxy {
    const proxy = this.#proxies.get(`${part} ${dependency}`);
    if (proxy === undefined) throw new Error(`Nothing stands between ${part} and ${dependency}`);
    return proxy;
  }

  async startServices(): Promise<void> {
    for (const { part, dependency } of await readHops()) await this.#place(part, dependency, { port: 0 });
    await Promise.all(SERVICES.map((name) => this.#startService(name)));
  }

  async startGateway(): Promise<{ port: number }> {
    const log = createLog('gateway', this.#config);
    const [bus, links] = [await this.#connectBus('gateway'), this.#linksOf('gateway')];
    const gateway = await createGateway({ config: this.#config, log, links, bus, signer: this.#keys.signer });
    this.#parts.add({ [Symbol.asyncDispose]: () => gateway.stop() });
    return gateway.listen();
  }

  async #startService(name: ServiceName): Promise<void> {
    const log = createLog(name, this.#config);
    const [bus, links] = [await this.#connectBus(name), this.#linksOf(name)];
    const url = this.#config.MONGODB_URL ?? '';
    const databases = await openDatabases(
      by(await this.#place(name, 'mongodb', placeOf(url)), url),
      this.#config.MONGODB_PREFIX,
      this.#config,
    );
    const service = await DEFINITIONS[name].start({
      config: this.#config,
      log,
      bus,
      database: databases.of(name),
      services: connectServices(links),
      sealer: createSealer(this.#config.SEALING_KEYS ?? ''),
      verifier: this.#keys.verifier,
      signer: name === 'lifecycle' ? this.#keys.lifecycleSigner : undefined,
    });
    const server = await serveService(service, {
      host: HOST,
      port: 0,
      log,
      checkReady: () => service.checkReady(),
    });
    const target = { host: HOST, port: Number(new URL(server.url).port) };
    for (const [edge, proxy] of this.#proxies) if (edge.endsWith(` ${name}`)) proxy.target = target;
    this.#parts.add({
      async [Symbol.asyncDispose]() {
        await server.close(1000);
        await service.stop();
        await databases.close();
      },
    });
  }

  async #connectBus(name: string) {
    const url = new URL(this.#config.NATS_URL ?? '');
    const proxy = await this.#place(name, 'nats', { host: url.hostname, port: Number(url.port) });
    const log = createLog(name, this.#config);
    const bus = await connectNatsBus({ url: `nats://${HOST}:${proxy.port}`, name, log });
    this.#parts.add({ [Symbol.asyncDispose]: () => bus.close() });
    return bus;
  }

  #linksOf(part: string): ServiceLinks {
    const called = SERVICES.filter((name) => this.#proxies.has(`${part} ${name}`));
    const links = called.map((name) => {
      const url = `ws://${HOST}:${this.before(part, name).port}`;
      const link = networkLink(services[name], { url, timeoutMs: this.#config.REQUEST_TIMEOUT_MS });
      this.#parts.add({ [Symbol.asyncDispose]: () => link.close() });
      return [name, link];
    });
    return Object.fromEntries(links) as ServiceLinks;
  }

  async #place(part: string, dependency: string, target: NetConnectOpts): Promise<TcpProxy> {
    const proxy = this.#parts.add(await startTcpProxy(target));
    this.#proxies.set(`${part} ${dependency}`, proxy);
    return proxy;
  }
}

import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AppError, routes, type EventType, type Route } from '@gatehouse/contract';
import {
  connectServices,
  createRefusals,
  offerGauge,
  type Config,
  type EventBus,
  type InternalTokenSigner,
  type Logger,
  type ServiceLinks,
  type Subscription,
} from '@gatehouse/service';
import { answerMalformed } from './answerMalformed.js';
import { createTokenVerifier, type TokenVerifier } from './authenticate.js';
import { createCors } from './cors.js';
import { createEndpoint, type Endpoint } from './endpoint.js';
import { createForwarder } from './forward.js';
import { Handler } from './handle.js';
import { createRunOnce } from './idempotency.js';
import { createRateLimit } from './limits.js';
import { createMatcher } from './match.js';
import { createPages, type Page } from './pages/pages.js';
import { readSitePages } from './pages/sites.js';
import { Principals } from './principals.js';

export interface GatewayOptions {
  config: Config;
  log: Logger;
  /** Links to every service that the route table names. */
  links: ServiceLinks;
  bus: EventBus;
  signer: InternalTokenSigner;
  /** What is served in the place of the route table. */
  routes?: readonly Route[];
}

export interface Gateway {
  /** Begins to serve, on HOST and PORT. Rejects when the address cannot be had. */
  listen(): Promise<{ url: string; port: number }>;
  /**
   * Is not ready any more and lets callers leave for DRAIN_MS, then takes no new connections, finishes what is in flight, and
   * closes; all within SHUTDOWN_TIMEOUT_MS.
   */
  stop(): Promise<void>;
}

/** Events after which somebody may no longer be who the cache says. */
const PRINCIPAL_EVENTS = [
  'management.token.revoked.v1',
  'management.project_secret.rotated.v1',
  'management.dashboard_secret.rotated.v1',
  'management.tenant.deleted.v1',
  'management.org_user.updated.v1',
  'management.org_user.deleted.v1',
  'management.tenant_user.updated.v1',
  'management.tenant_user.deleted.v1',
  'management.group.deleted.v1',
  'management.group_member.added.v1',
  'management.group_member.removed.v1',
] as const satisfies EventType[];
const KEY_EVENTS = ['management.signing_key.rotated.v1'] as const satisfies EventType[];

/** Times within which a caller has to have sent its headers, and all of its request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the minute after which load balancers usually let go of an idle connection. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const TIMEOUT_CHECK_MS = 5000;
const IDLE_SWEEP_MS = 50;
const DRAIN_CHECK_MS = 25;
/** How long a stop waits for refusals to be published. */
const REFUSALS_TIMEOUT_MS = 1000;
/** Room for an access token that carries policies. */
const HEADERS_MAX_BYTES = 64 * 1024;
const HEADERS_MAX = 100;

/** Follows the events that change who somebody is, or which keys sign. */
async function watchDirectory(
  { bus, log }: GatewayOptions,
  principals: Principals,
  verifier: TokenVerifier,
): Promise<Subscription[]> {
  const refreshKeys = () => {
    verifier
      .refreshKeys()
      .then(() => principals.forgetTokens())
      .catch((err: unknown) => log.warn({ err }, 'signing keys not fetched; tried when needed'));
  };
  const forget = await bus.watch(
    [...PRINCIPAL_EVENTS],
    (event) => principals.forget(event.organizationid),
    () => principals.forgetAll(),
  );
  return [forget, await bus.watch([...KEY_EVENTS], refreshKeys, refreshKeys)];
}

/** Puts the parts together. They know each other only by what is passed here. */
function assemble(options: GatewayOptions, sitePages: readonly Page[], isStopping: () => boolean) {
  const { config, log, links, signer, bus } = options;
  const { directory } = connectServices(links);
  const principals: Principals = new Principals({
    verify: (token) => verifier.verify(token),
    async resolve(claims) {
      const origin = await forwarder.ownOrigin(randomUUID());
      return (await directory.principals.resolve(origin, { claims })).principal;
    },
    lifetimeMs: config.PRINCIPAL_CACHE_MS,
  });
  const forwarder = createForwarder({ links, signer, forgetPrincipals: (id) => principals.forget(id) });
  const verifier = createTokenVerifier({
    async fetchKeys() {
      return (await directory.tokens.keys(await forwarder.ownOrigin(randomUUID()), {})).keys;
    },
    issuer: config.TOKEN_ISSUER,
    audience: config.TOKEN_AUDIENCE,
  });
  const refusals = createRefusals({ service: 'gateway', bus, log });
  const checkReady = async () => {
    if (isStopping()) throw new AppError('UNAVAILABLE');
    await verifier.refreshKeys();
  };
  const pages = [...createPages({ checkReady }), ...sitePages];
  const handler = new Handler({
    match: createMatcher<Endpoint | Page>([...(options.routes ?? routes).map(createEndpoint), ...pages]),
    findPrincipal: (token) => principals.find(token),
    forwarder,
    runOnce: createRunOnce({ directory, timeoutMs: config.REQUEST_TIMEOUT_MS, log }),
    tokenLimit: createRateLimit('token', config.RATE_LIMIT_TOKEN),
    requestLimit: createRateLimit('project', config.RATE_LIMIT),
    addressLimit: createRateLimit('address', config.RATE_LIMIT),
    cors: createCors(config.CORS_ORIGINS),
    refusals,
    log,
    inFlightMax: config.MAX_IN_FLIGHT,
  });
  return { handler, principals, verifier, refusals };
}

function createHttpServer(serve: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const server = createServer({
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    maxHeaderSize: HEADERS_MAX_BYTES,
    noDelay: true,
    // Refused like anything else, where Node would answer nothing but the status.
    requireHostHeader: false,
  });
  server.maxHeadersCount = HEADERS_MAX;
  server.on('request', serve);
  // With a listener of its own, `Expect: 100-continue` is answered when the body is wanted, not before.
  server.on('checkContinue', serve);
  server.on('clientError', answerMalformed);
  return server;
}

/**
 * Waits, for at most `timeoutMs`, until the connections are gone that callers keep: the next answer on each ends it. Closed while
 * it is idle, it might lose a request that is on its way.
 */
async function drain(server: Server, timeoutMs: number): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (performance.now() < deadlineMs && (await countConnections(server)) > 0) await sleep(DRAIN_CHECK_MS);
}

async function countConnections(server: Server): Promise<number> {
  return promisify(server.getConnections.bind(server))();
}

/** Closes the server; connections that are still open after `timeoutMs` are cut. */
async function close(server: Server, timeoutMs: number): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
  // A connection whose last request ends after the close is kept alive by Node, and would hold up the end.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  clearInterval(sweep);
  clearTimeout(cut);
}

/** Makes a gateway that serves every route of the table. It owns no data: all it knows, it asks the services. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log } = options;
  let isStopping = false;
  const parts = assemble(options, await readSitePages(), () => isStopping);
  const { handler, principals, verifier, refusals } = parts;
  const subscriptions = await watchDirectory(options, principals, verifier);
  const withdrawGauge = offerGauge('httpInFlight', async () => [{ labels: {}, value: handler.inFlight }]);
  const server = createHttpServer((request, response) => {
    if (isStopping) response.shouldKeepAlive = false;
    handler.handle(request, response);
  });
  return {
    async listen() {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject).listen(config.PORT, config.HOST, resolve);
      });
      const { port } = server.address() as AddressInfo;
      const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
      const url = `http://${host}:${port}`;
      log.info({ url }, 'listening');
      return { url, port };
    },
    async stop() {
      isStopping = true;
      withdrawGauge();
      const deadlineMs = performance.now() + config.SHUTDOWN_TIMEOUT_MS;
      await drain(server, Math.min(config.DRAIN_MS, config.SHUTDOWN_TIMEOUT_MS));
      await close(server, deadlineMs - performance.now());
      await refusals.stop(REFUSALS_TIMEOUT_MS);
      await Promise.all(subscriptions.map((subscription) => subscription.stop()));
    },
  };
}

import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { AppError, routes, watchedEvents, type Route, type WatchedEvent } from '@gatehouse/contract';
import helmet, { type FastifyHelmetOptions } from '@fastify/helmet';
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
import fastify, { type FastifyInstance } from 'fastify';
import { Admission } from './admission/admission.js';
import { rejectMalformed } from './rejectMalformed.js';
import { createTokenVerifier, type TokenVerifier } from './authenticate.js';
import { createEndpoint } from './endpoint.js';
import { createRateLimit } from './limits.js';
import { createPages } from './pages/pages.js';
import { readSitePages } from './pages/sites.js';
import { Authentication, Principals } from './plugins/authentication.js';
import { registerCors } from './plugins/cors.js';
import { Exchanges, HEADERS_MAX } from './plugins/exchanges.js';
import { createRunOnce } from './plugins/idempotency.js';
import { escapeTarget, RouteServer } from './routes.js';
import { createForwarder, RouteRunner } from './runRoute.js';
import { createSessions } from './sessions/createSessions.js';
import { TokenLimits, type TokenLimitsOptions } from './tokenLimits.js';

export interface GatewayOptions {
  config: Config;
  log: Logger;
  /** Links to every service that the route table names. */
  links: ServiceLinks;
  bus: EventBus;
  signer: InternalTokenSigner;
  /** Replaces the route table. */
  routes?: readonly Route[];
}

export interface Gateway {
  /** Listens on HOST and PORT. Rejects if the address is taken. */
  listen(): Promise<{ url: string; port: number }>;
  /**
   * Reports that it is not ready and drains connections for DRAIN_MS. Then accepts no new connections,
   * completes requests in flight, and closes, all within SHUTDOWN_TIMEOUT_MS.
   */
  stop(): Promise<void>;
}

/** After this event, other keys sign tokens. The other events of the manifest change principals. */
const KEYS_ROTATED = 'management.signing_key.rotated.v1' satisfies WatchedEvent<'gateway'>;
const PRINCIPAL_EVENTS = watchedEvents('gateway').filter((type) => type !== KEYS_ROTATED);

/** The time limits for the headers, and for the whole request. */
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 60_000;
/** Longer than the minute after which load balancers usually close an idle connection. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const TIMEOUT_CHECK_MS = 500;
const IDLE_SWEEP_MS = 50;
const DRAIN_CHECK_MS = 25;
/** How long a stop waits until rejections are published. */
const REFUSALS_TIMEOUT_MS = 1000;
/**
 * The headers that all pages have alike. HTTPS is decided elsewhere, and so is the policy of each page,
 * which helmet would write without the spaces that it has.
 */
const HELMET: FastifyHelmetOptions = {
  contentSecurityPolicy: false,
  crossOriginOpenerPolicy: false,
  crossOriginResourcePolicy: { policy: 'same-origin' },
  originAgentCluster: false,
  referrerPolicy: { policy: 'no-referrer' },
  strictTransportSecurity: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
};
/** No route has a schema of Fastify, which would load two compilers of schemas at each start. */
const NO_COMPILERS = { buildValidator: () => refuseSchema, buildSerializer: () => refuseSchema };

function refuseSchema(): never {
  throw new Error('The contract validates input and output, not Fastify');
}
/** Room for an access token that carries policies. */
const HEADERS_MAX_BYTES = 64 * 1024;

/** Watches the events that change principals or signing keys. */
async function watchDirectory(
  { bus, log }: GatewayOptions,
  principals: Principals,
  verifier: TokenVerifier,
): Promise<Subscription[]> {
  const refreshKeys = () => {
    verifier
      .refreshKeys()
      .then(() => principals.forgetTokens())
      .catch((err: unknown) => log.warn({ err }, 'signing keys not fetched; retried when needed'));
  };
  const forget = await bus.watch(
    PRINCIPAL_EVENTS,
    (event) => principals.forget(event.organizationid),
    () => principals.forgetAll(),
  );
  return [forget, await bus.watch([KEYS_ROTATED], refreshKeys, refreshKeys)];
}

function createTokenLimits(config: Config, checkSecret: TokenLimitsOptions['checkSecret']): TokenLimits {
  return new TokenLimits({
    issued: createRateLimit('token', config.RATE_LIMIT_TOKEN),
    failed: createRateLimit('failures', config.RATE_LIMIT),
    guessed: createRateLimit('guesses', config.RATE_LIMIT_TOKEN),
    checkSecret,
  });
}

function createAdmission(config: Config): Admission {
  return new Admission({
    inFlightMax: config.MAX_IN_FLIGHT,
    perOrganization: config.MAX_RUNNING_PER_ORGANIZATION,
    waitMs: config.REQUEST_TIMEOUT_MS,
    connectionsMax: config.MAX_CONNECTIONS,
    trustedProxies: config.TRUSTED_PROXIES,
  });
}

/** Assembles the parts. They know each other only through their arguments here. */
function assemble(options: GatewayOptions) {
  const { config, log, links, signer, bus } = options;
  const services = connectServices(links);
  const { directory } = services;
  const principals: Principals = new Principals({
    verify: (token) => verifier.verify(token),
    async resolve(claims) {
      const origin = await forwarder.ownOrigin(randomUUID());
      return (await directory.principals.resolve.query({ claims }, { context: origin })).principal;
    },
    lifetimeMs: config.PRINCIPAL_CACHE_MS,
  });
  const forwarder = createForwarder({ services, signer, forgetPrincipals: (id) => principals.forget(id) });
  const verifier = createTokenVerifier({
    async fetchKeys() {
      return (await directory.tokens.keys.query({}, { context: await forwarder.ownOrigin(randomUUID()) }))
        .keys;
    },
    issuer: config.TOKEN_ISSUER,
    audience: config.TOKEN_AUDIENCE,
  });
  const refusals = createRefusals({ service: 'gateway', bus, log });
  const checkReady = async () => {
    if (exchanges.isStopping || admission.lanes.isFull) throw new AppError('UNAVAILABLE');
    await verifier.refreshKeys();
  };
  const admission = createAdmission(config);
  const exchanges = new Exchanges({ admission, log, refusals });
  const addressLimit = createRateLimit('address', config.RATE_LIMIT);
  const { credentials, operations } = createSessions({ config, directory, forwarder, addressLimit, log });
  const authentication = new Authentication({
    credentials,
    principals,
    admission,
    requestLimit: createRateLimit('project', config.RATE_LIMIT),
    addressLimit,
  });
  const runOnce = createRunOnce({ directory, timeoutMs: config.REQUEST_TIMEOUT_MS, log });
  const routeServer = new RouteServer({
    authentication,
    exchanges,
    admission,
    runner: new RouteRunner({ exchanges, admission, forwarder, runOnce }),
    tokenLimits: createTokenLimits(config, async (body, requestId) => {
      await directory.tokens.checkSecret.query(body, { context: await forwarder.ownOrigin(requestId) });
    }),
  });
  return { exchanges, routeServer, operations, checkReady, principals, verifier, refusals, admission };
}

/**
 * Creates the server. The order of the hooks is the order that a request passes: its exchange is opened,
 * the headers for other origins are set, its head is checked, and then come the hooks of its route.
 */
async function createApp(
  { config, routes: table = routes }: GatewayOptions,
  { exchanges, routeServer, checkReady, operations }: ReturnType<typeof assemble>,
): Promise<FastifyInstance> {
  const app = fastify({
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      maxHeaderSize: HEADERS_MAX_BYTES,
      noDelay: true,
      // Rejected like any other request, where Node would respond with the status alone.
      requireHostHeader: false,
    },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    clientErrorHandler: (fault, socket) => rejectMalformed(fault, socket, exchanges.incompleteFormOf(socket)),
    rewriteUrl: escapeTarget,
    routerOptions: { maxParamLength: HEADERS_MAX_BYTES },
    schemaController: { compilersFactory: NO_COMPILERS },
    exposeHeadRoutes: false,
    return503OnClosing: false,
  });
  // One more than the limit, so that the check of the head sees that there are too many.
  app.server.maxHeadersCount = HEADERS_MAX + 1;
  // With a listener of its own, `Expect: 100-continue` gets its response when the body is needed, not before.
  app.server.on('checkContinue', app.routing);
  exchanges.register(app);
  await registerCors(app, config.CORS_ORIGINS);
  exchanges.registerChecks(app);
  const pages = [...createPages({ checkReady }), ...(await readSitePages())];
  // Helmet builds its middleware again for each request, so only the pages have its hooks.
  await app.register(async (sessionsApp) => {
    await sessionsApp.register(async (pagesApp) => {
      await pagesApp.register(helmet, HELMET);
      routeServer.register({ app, pagesApp, sessionsApp }, [
        ...table.map((route) => createEndpoint(route, table)),
        ...pages,
        ...operations,
      ]);
    });
  });
  return app;
}

/**
 * Waits until all connections are closed, for at most `timeoutMs`. The next response on each closes it.
 * Closing an idle connection might lose a request that is on its way.
 */
async function drain(server: Server, timeoutMs: number): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  while (performance.now() < deadlineMs && (await countConnections(server)) > 0) await sleep(DRAIN_CHECK_MS);
}

async function countConnections(server: Server): Promise<number> {
  return promisify(server.getConnections.bind(server))();
}

/** Closes the server. Connections that are still open after `timeoutMs` are destroyed. */
async function close(app: FastifyInstance, timeoutMs: number): Promise<void> {
  const { server } = app;
  const cut = setTimeout(() => server.closeAllConnections(), timeoutMs);
  // Node keeps a connection alive whose last request ends after the close, which would delay the end.
  const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
  await app.close();
  clearInterval(sweep);
  clearTimeout(cut);
}

/** Creates a gateway that serves every route of the table. It owns no data and calls the services. */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { config, log } = options;
  const parts = assemble(options);
  const { exchanges, principals, verifier, refusals, admission } = parts;
  const app = await createApp(options, parts);
  const subscriptions = await watchDirectory(options, principals, verifier);
  const withdrawGauge = offerGauge('httpInFlight', async () => [
    { labels: {}, value: admission.lanes.inFlight },
  ]);
  admission.connections.watch(app.server);
  return {
    async listen() {
      await app.listen({ port: config.PORT, host: config.HOST });
      const { port } = app.server.address() as AddressInfo;
      const host = config.HOST.includes(':') ? `[${config.HOST}]` : config.HOST;
      const url = `http://${host}:${port}`;
      log.info({ url }, 'listening');
      return { url, port };
    },
    async stop() {
      exchanges.stop();
      withdrawGauge();
      const deadlineMs = performance.now() + config.SHUTDOWN_TIMEOUT_MS;
      await drain(app.server, Math.min(config.DRAIN_MS, config.SHUTDOWN_TIMEOUT_MS));
      await close(app, deadlineMs - performance.now());
      await refusals.stop(REFUSALS_TIMEOUT_MS);
      await Promise.all(subscriptions.map((subscription) => subscription.stop()));
    },
  };
}

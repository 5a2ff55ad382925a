import {
  routes,
  type CloudEvent,
  type EventType,
  type OrgUserPrincipal,
  type Route,
} from '@gatehouse/contract';
import {
  createInProcessBus,
  createInternalTokenSigner,
  createLog,
  generateInternalKeys,
  readConfig,
  readersOf,
  type Config,
  type EventBus,
} from '@gatehouse/service';
import { createGateway, type Gateway } from '../server.js';
import { claimsOf, createIssuerKey, signToken, type IssuerKey } from './accessTokens.js';
import { TestServices } from './services.js';

export const ADMIN: OrgUserPrincipal = {
  kind: 'orgUser',
  tokenType: 'project',
  tokenId: 'jti-1',
  tokenExpiresAt: 4_000_000_000,
  organizationId: 'o_1',
  projectId: 'p_1',
  userId: 'ou_admin',
  userKey: 'u:admin',
  email: 'admin@example.com',
  role: 'ADMIN',
  groupIds: [],
};

/** A gateway on a free loopback port, with in-memory services. */
export interface TestGateway extends AsyncDisposable {
  url: string;
  port: number;
  gateway: Gateway;
  services: TestServices;
  bus: EventBus;
  key: IssuerKey;
  /** Returns a token of the ADMIN with changed claims. */
  token(changes?: Record<string, unknown>): string;
  /** Sends a request as the ADMIN unless `init` has an Authorization header. */
  send(path: string, init?: RequestInit & { json?: unknown }): Promise<Response>;
  publish(type: EventType, data?: Record<string, unknown>): Promise<void>;
  /** Returns the number of requests in flight. */
  countInFlight(): Promise<number>;
}

/** Starts a gateway. `environment` overrides environment variables; `table` replaces the route table. */
export async function startTestGateway(
  environment: Partial<Record<keyof Config, string>> = {},
  table: readonly Route[] = routes,
): Promise<TestGateway> {
  const config = readConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    RATE_LIMIT: '0',
    RATE_LIMIT_TOKEN: '0',
    DRAIN_MS: '0',
    VALIDATE_OUTPUT: '1',
    ...environment,
  });
  const log = createLog('gateway', config);
  const key = createIssuerKey('k1');
  const services = new TestServices([key]);
  services.principals.set('u:admin', ADMIN);
  const internal = await generateInternalKeys();
  const links = await services.link(internal.verifyKey, log, config.VALIDATE_OUTPUT);
  const signer = await createInternalTokenSigner(internal.signingKey, config.REQUEST_TIMEOUT_MS);
  const bus = createInProcessBus({ log, onDeadLetter: async () => {} });
  const gateway = await createGateway({ config, log, links, bus, signer, routes: table });
  const { url, port } = await gateway.listen();
  const token = (changes: Record<string, unknown> = {}) => signToken(key, claimsOf(changes));
  const adminToken = token();
  return {
    url,
    port,
    gateway,
    services,
    bus,
    key,
    token,
    async send(path, { json, ...init } = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${adminToken}`);
      if (json !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
      const body = json === undefined ? init.body : JSON.stringify(json);
      return fetch(url + path, { ...init, headers, ...(body === undefined ? {} : { body }) });
    },
    publish: (type, data = {}) => bus.publish([eventOf(type, data)]),
    countInFlight: () => countInFlight(),
    async [Symbol.asyncDispose]() {
      await gateway.stop();
      await bus.close();
    },
  };
}

/** Reads the gauge, which is process-wide: only one gateway may run. */
async function countInFlight(): Promise<number> {
  const samples = await Promise.all([...readersOf('httpInFlight')].map((read) => read()));
  return samples.flat().reduce((sum, { value }) => sum + value, 0);
}

let events = 0;

function eventOf(type: EventType, data: Record<string, unknown>): CloudEvent {
  events += 1;
  return {
    specversion: '1.0',
    id: `event-${events}`,
    source: '/gatehouse/directory',
    type,
    subject: 'ou_admin',
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    organizationid: 'o_1',
    data,
  };
}

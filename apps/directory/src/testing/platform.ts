import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  TokenClaims,
  type Caller,
  type CloudEvent,
  type Principal,
  type RawInputOf,
  type Services,
} from '@gatehouse/contract';
import {
  connectServices,
  createInProcessBus,
  createInternalTokenSigner,
  createInternalTokenVerifier,
  createLog,
  createRefusals,
  createSealer,
  generateInternalKeys,
  inProcessLink,
  newKey,
  readConfig,
  type CallOrigin,
  type Databases,
  type EventBus,
  type IfMatch,
  type InternalTokenSigner,
  type RunningService,
  type ServiceClients,
} from '@gatehouse/service';
import type { Directory } from '../directory.js';
import { ActiveKeyCache } from '../operations/activeKey.js';
import { directoryService } from '../service.js';
import { createStores } from '../store/stores.js';
import { AccessService } from './accessService.js';
import { SemanticsService } from './semanticsService.js';

type Tokens = Services['directory']['procedures']['tokens'];
export type TokenInput = RawInputOf<Tokens['issue']>;
type Database = ReturnType<Databases['of']>;

interface PlatformParts {
  services: ServiceClients;
  access: AccessService;
  semantics: SemanticsService;
  inner: Directory;
  database: Database;
  signer: InternalTokenSigner;
  service: RunningService;
  bus: EventBus;
  mongo: AsyncDisposable;
}

const EVENT_WAIT_MS = 5000;

/** The directory as it runs, over a real engine and bus, called as the gateway calls it. */
export class TestPlatform {
  readonly directory: ServiceClients['directory'];
  readonly access: AccessService;
  readonly semantics: SemanticsService;
  readonly database: Database;
  /** What the operations work with, for tests of what no call shows: as in another process of the same service. */
  readonly inner: Directory;
  /** Every event that was published. */
  readonly events: CloudEvent[] = [];
  readonly #parts: PlatformParts;

  constructor(parts: PlatformParts) {
    this.#parts = parts;
    this.directory = parts.services.directory;
    this.access = parts.access;
    this.semantics = parts.semantics;
    this.database = parts.database;
    this.inner = parts.inner;
  }

  /** What goes along with a call of this caller. */
  async originOf(caller: Caller, ifMatch?: IfMatch): Promise<CallOrigin> {
    const token = await this.#parts.signer.sign(caller);
    return { token, requestId: `test-${newKey()}`, ifMatch };
  }

  /** As the gateway calls on its own behalf. */
  get asSystem(): Promise<CallOrigin> {
    return this.originOf({ kind: 'system', name: 'gateway' });
  }

  /** Issues a token and gives its bearer. */
  async login<P extends Principal = Principal>(request: TokenInput): Promise<P> {
    const { accessToken } = await this.directory.tokens.issue(await this.asSystem, request);
    const principal = await this.resolve(claimsIn(accessToken));
    if (!principal) throw new Error('The token is nobody');
    return principal as P;
  }

  async resolve(claims: TokenClaims): Promise<Principal | null> {
    return (await this.directory.principals.resolve(await this.asSystem, { claims })).principal;
  }

  /** Everything stored but tombstones and what waits to be published, to compare before and after. */
  async snapshot(): Promise<Record<string, unknown>> {
    const names = (await this.database.listCollections().toArray()).map(({ name }) => name);
    const contents = names.toSorted().map(async (name) => {
      const live = { deletedAt: { $exists: false } };
      const projection = { outbox: 0 };
      return [
        name,
        await this.database
          .collection(name)
          .find(live, { projection, sort: { _id: 1 } })
          .toArray(),
      ];
    });
    return Object.fromEntries(await Promise.all(contents));
  }

  /** The published events of a type about a subject, once there are `count` of them. */
  async eventsOf(type: string, subject: string, count = 1): Promise<CloudEvent[]> {
    for (let waitedMs = 0; waitedMs < EVENT_WAIT_MS; waitedMs += 25) {
      const found = this.events.filter((event) => event.type === type && event.subject === subject);
      if (found.length >= count) return found;
      await sleep(25);
    }
    throw new Error(`Not ${count} events ${type} about ${subject}`);
  }

  async stop(): Promise<void> {
    await this.#parts.service.stop();
    await this.#parts.bus.close();
    await this.#parts.mongo[Symbol.asyncDispose]();
  }
}

/** Starts the directory on an engine, which stops with it. `settings` are variables of the environment. */
export async function startPlatform(
  mongo: AsyncDisposable & { databases: Databases },
  settings: Record<string, string> = {},
): Promise<TestPlatform> {
  const quiet = { LOG_LEVEL: 'silent', VALIDATE_OUTPUT: '1', SWEEP_INTERVAL_MS: '3600000' };
  const config = readConfig({ ...quiet, ...settings });
  const log = createLog('directory', config);
  const keys = await generateInternalKeys();
  const verifier = await createInternalTokenVerifier(keys.verifyKey);
  const bus = createInProcessBus({ log, onDeadLetter: async () => {}, redeliveryDelaysMs: [50, 50, 50] });
  const access = new AccessService();
  const semantics = new SemanticsService();
  const running: { service?: RunningService } = {};
  const services = connectServices({
    directory: inProcessLink(() => {
      if (!running.service) throw new Error('The directory is not started');
      return running.service.router;
    }),
    access: access.linkFor(verifier),
    semantics: semantics.linkFor(verifier),
  });
  const database = mongo.databases.of('directory');
  const sealer = createSealer(randomBytes(32).toString('base64'));
  const service = await directoryService.start({ config, log, database, bus, services, sealer, verifier });
  running.service = service;
  const signer = await createInternalTokenSigner(keys.signingKey);
  const refusals = createRefusals({ service: 'another', bus, log });
  const inner = {
    stores: createStores(database),
    services,
    sealer,
    config,
    activeKey: new ActiveKeyCache(),
    refusals,
  };
  const platform = new TestPlatform({
    services,
    access,
    semantics,
    inner,
    database,
    signer,
    service,
    bus,
    mongo,
  });
  await bus.watch(['management.*.*.v1'], (event) => platform.events.push(event));
  return platform;
}

/** The claims in a token, unverified; throws when they are not exactly those of the contract. */
export function claimsIn(accessToken: string): TokenClaims {
  const [, payload = ''] = accessToken.split('.');
  return TokenClaims.strict().parse(JSON.parse(Buffer.from(payload, 'base64url').toString()));
}

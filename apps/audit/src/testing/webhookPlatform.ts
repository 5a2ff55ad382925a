import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  audit,
  directory,
  type CloudEvent,
  type EventData,
  type EventType,
  type OrgUserPrincipal,
  type Principal,
  type ServiceContract,
  type WebhookDelivery,
} from '@gatehouse/contract';
import {
  connectServices,
  createActivity,
  createEvent,
  createInProcessBus,
  createInternalTokenSigner,
  createInternalTokenVerifier,
  createLog,
  createSealer,
  defineService,
  generateInternalKeys,
  implement,
  inProcessLink,
  newKey,
  readConfig,
  resolveName,
  type CallOrigin,
  type Databases,
  type IfMatch,
  type RunningService,
  type Sweep,
} from '@gatehouse/service';
import type { Surroundings } from '../operations/webhookContext.js';
import { DeliveryStore } from '../store/webhookDeliveries.js';
import { WebhookStore } from '../store/webhooks.js';
import { startWebhooks } from '../webhooks.js';

const { webhooks } = audit.procedures;
const webhookContract = { name: 'audit', procedures: { webhooks } };

export const newSealingKey = () => randomBytes(32).toString('base64');

export interface PlatformOptions {
  /** Variables of the environment. */
  settings?: Record<string, string>;
  surroundings?: Partial<Surroundings>;
  sealingKeys?: string;
  /** The name of its database: platforms with one name share their work. */
  name?: string;
  /** Those that the directory knows. */
  projects?: readonly string[];
}

/** An ADMIN of an organization. */
export function adminOf(organizationId: string): OrgUserPrincipal {
  return {
    kind: 'orgUser',
    tokenType: 'project',
    tokenId: `token-${organizationId}`,
    tokenExpiresAt: Math.floor(Date.now() / 1000) + 3600,
    organizationId,
    projectId: 'p_1',
    userId: 'ou_1',
    userKey: `key-${organizationId}`,
    email: 'ada@example.com',
    role: 'ADMIN',
    groupIds: [],
  };
}

/** Answers for the projects that there are, as the directory does. */
function directoryOf(projects: readonly string[]) {
  const contract: ServiceContract = {
    name: 'directory',
    procedures: { projects: { get: directory.procedures.projects.get } },
  };
  const at = new Date(0).toISOString();
  const get = async (input: unknown) => {
    const { id } = input as { id: string };
    if (!projects.includes(id)) throw new AppError('NOT_FOUND');
    const project = { id, name: id, organizationId: 'o_1', version: 1, createdAt: at, updatedAt: at };
    return { project };
  };
  return { contract, handlers: { projects: { get } } };
}

/** Webhooks as they run, over a real engine and bus, called as the gateway calls them. */
export async function startWebhookPlatform(databases: Databases, options: PlatformOptions = {}) {
  const config = readConfig({
    LOG_LEVEL: 'silent',
    VALIDATE_OUTPUT: '1',
    SWEEP_INTERVAL_MS: '3600000',
    WEBHOOK_HOSTS: '127.0.0.1',
    WEBHOOK_POLL_MS: '50',
    WEBHOOK_RETRY_SECONDS: '0,0,0',
    ...options.settings,
  });
  const log = createLog('audit', config);
  const keys = await generateInternalKeys();
  const signer = await createInternalTokenSigner(keys.signingKey);
  const verifier = await createInternalTokenVerifier(keys.verifyKey);
  const bus = createInProcessBus({ log, onDeadLetter: async () => {}, redeliveryDelaysMs: [50, 50, 50] });
  const events: CloudEvent[] = [];
  await bus.watch(['management.*.*.v1'], (event) => events.push(event));
  const running: { service?: RunningService } = {};
  const { contract, handlers } = directoryOf(options.projects ?? ['p_1', 'p_2']);
  const quiet = { verifier, log, validatesOutput: true, activity: createActivity() };
  const services = connectServices({
    audit: inProcessLink(() => {
      if (!running.service) throw new Error('The service is not started');
      return running.service.router;
    }),
    directory: inProcessLink(() => implement(contract, handlers, quiet)),
  });
  const surroundings: Surroundings = {
    resolve: resolveName,
    now: () => new Date(),
    random: () => 0,
    ...options.surroundings,
  };
  const sweeps: Sweep[] = [];
  const service = defineService(webhookContract, { calls: ['directory'] }, async (runtime) => {
    const { handlers: verbs, ...parts } = await startWebhooks(runtime, surroundings);
    sweeps.push(...(parts.sweeps ?? []));
    return {
      outboxes: [],
      consumers: [],
      sweeps: [],
      ...parts,
      handlers: { webhooks: verbs },
    };
  });
  const database = databases.of(options.name ?? 'audit');
  const sealer = createSealer(options.sealingKeys ?? newSealingKey());
  running.service = await service.start({ config, log, database, bus, services, sealer, verifier });
  const calls = services.audit.webhooks;

  const as = async (caller: Principal, ifMatch?: IfMatch): Promise<CallOrigin> => ({
    token: await signer.sign(caller),
    requestId: `test-${newKey()}`,
    ifMatch,
  });
  const platform = {
    calls,
    as,
    bus,
    database,
    events,
    webhooks: new WebhookStore(database),
    deliveries: new DeliveryStore(database),

    /** Publishes an event of an organization, and gives it. */
    async publish<T extends EventType>(
      type: T,
      data: EventData<T>,
      place: { organizationId?: string; projectId?: string } = {},
    ): Promise<CloudEvent> {
      const { organizationId = 'o_1', projectId = 'p_1' } = place;
      const origin = { service: 'test', organizationId, projectId, now: new Date() };
      const event = createEvent(type, newKey(), { origin, data });
      await bus.publish([event]);
      return event;
    },

    /** Says that a tenant was made. */
    publishAny: (place?: { organizationId?: string; projectId?: string }) =>
      platform.publish(
        'management.tenant.created.v1',
        { id: 't_1', key: 'k', name: 'Acme', defaultOwnerId: null },
        place,
      ),

    /** The deliveries of a webhook, once all of them have what is asked for, and there are so many. */
    async settled(
      id: string,
      count: number,
      isWanted: (delivery: WebhookDelivery) => boolean = ({ status }) => status !== 'pending',
    ): Promise<WebhookDelivery[]> {
      let found: WebhookDelivery[] = [];
      for (let waitedMs = 0; waitedMs < 60_000; waitedMs += 20) {
        ({ deliveries: found } = await calls.listDeliveries(await as(adminOf('o_1')), { id, limit: 500 }));
        if (found.length === count && found.every(isWanted)) return found;
        await sleep(20);
      }
      throw new Error(`Not as expected: ${JSON.stringify(found)}`);
    },

    /** The published events of a type, once there are so many. */
    async eventsOf(type: EventType, count = 1): Promise<CloudEvent[]> {
      for (let waitedMs = 0; waitedMs < 10_000; waitedMs += 20) {
        const found = events.filter((event) => event.type === type);
        if (found.length >= count) return found;
        await sleep(20);
      }
      throw new Error(`Not ${count} events ${type}`);
    },

    /** Does what is due at a moment, as the sweeper does. */
    async sweep(now: Date) {
      for (const sweep of sweeps) await sweep.run(now);
    },

    async [Symbol.asyncDispose]() {
      await running.service?.stop();
      await bus.close();
    },
  };
  return platform;
}
export type WebhookPlatform = Awaited<ReturnType<typeof startWebhookPlatform>>;

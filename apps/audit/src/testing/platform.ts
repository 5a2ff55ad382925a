import { setTimeout as sleep } from 'node:timers/promises';
import {
  AppError,
  audit,
  directory,
  type CloudEvent,
  type EventData,
  type EventType,
  type OrgUserPrincipal,
  type ServiceContract,
  type WebhookDelivery,
} from '@gatehouse/contract';
import {
  createEvent,
  defineService,
  implement,
  inProcessLink,
  newKey,
  readQuotas,
  type Databases,
  type Sweep,
} from '@gatehouse/service';
import { startServicePlatform } from '@gatehouse/testing/platform';
import { DeliveryStore } from '../deliveries/store.js';
import { SYSTEM_ENVIRONMENT, type Environment } from '../dependencies.js';
import { assembleAudit } from '../service.js';
import { WebhookStore } from '../webhooks/store.js';

export { newSealingKey } from '@gatehouse/testing/platform';

const { webhooks } = audit.procedures;
const webhookContract = { name: 'audit' as const, procedures: { webhooks } };
const WEBHOOK_SETTINGS = {
  WEBHOOK_HOSTS: '127.0.0.1',
  WEBHOOK_POLL_MS: '50',
  WEBHOOK_RETRY_SECONDS: '0,0,0',
};

export interface PlatformOptions {
  /** Environment variables. */
  settings?: Record<string, string>;
  environment?: Partial<Environment>;
  sealingKeys?: string;
  /** The name of the database. Platforms with the same name share deliveries. */
  name?: string;
  /** The projects that exist in the directory. */
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

/** A stub of the directory with these projects. */
function directoryStub(projects: readonly string[]) {
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

/** Webhooks and deliveries on a real engine and bus, called the way the gateway calls them. */
export async function startWebhookPlatform(databases: Databases, options: PlatformOptions = {}) {
  const environment = { ...SYSTEM_ENVIRONMENT, random: () => 0, ...options.environment };
  const sweeps: Sweep[] = [];
  const service = defineService(webhookContract, {}, async (runtime) => {
    const parts = await assembleAudit(runtime, environment);
    sweeps.push(...parts.sweeps);
    const consumers = parts.consumers.filter(({ name }) => name === 'audit-webhooks');
    return { ...parts, consumers, handlers: { webhooks: parts.handlers.webhooks } };
  });
  const { contract, handlers } = directoryStub(options.projects ?? ['p_1', 'p_2']);
  const started = await startServicePlatform(service, {
    databases,
    databaseName: options.name,
    sealingKeys: options.sealingKeys,
    settings: { ...WEBHOOK_SETTINGS, ...options.settings },
    linksTo: (quiet) => {
      const router = implement(contract, handlers, quiet);
      return { directory: inProcessLink(() => router) };
    },
  });
  const { as, bus, database } = started;
  const calls = started.services.audit.webhooks;
  const platform = {
    ...started,
    calls,
    webhooks: new WebhookStore(database, readQuotas(started.config)),
    deliveries: new DeliveryStore(database, 0),

    /** Publishes an event of an organization and returns it. */
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

    /** Publishes the creation of a tenant. */
    publishAny: (place?: { organizationId?: string; projectId?: string }) =>
      platform.publish(
        'management.tenant.created.v1',
        { id: 't_1', key: 'k', name: 'Acme', defaultOwnerId: null },
        place,
      ),

    /** Waits until a webhook has `count` deliveries and all are wanted, by default ended. */
    async settled(
      id: string,
      count: number,
      isWanted: (delivery: WebhookDelivery) => boolean = ({ status }) => status !== 'pending',
    ): Promise<WebhookDelivery[]> {
      let found: WebhookDelivery[] = [];
      for (let waitedMs = 0; waitedMs < 120_000; waitedMs += 20) {
        ({ deliveries: found } = await calls.listDeliveries.query(
          { id, limit: 500 },
          { context: await as(adminOf('o_1')) },
        ));
        if (found.length === count && found.every(isWanted)) return found;
        await sleep(20);
      }
      throw new Error(`Not as expected: ${JSON.stringify(found)}`);
    },

    /** Waits for `count` published events of a type. */
    eventsOf: (type: EventType, count = 1) => started.eventsOf(type, undefined, count),

    /** Runs all sweeps. */
    async sweep(now: Date) {
      for (const sweep of sweeps) await sweep.run(now);
    },
  };
  return platform;
}
export type WebhookPlatform = Awaited<ReturnType<typeof startWebhookPlatform>>;

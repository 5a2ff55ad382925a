import {
  isServiceName,
  serviceEntry,
  type CalledBy,
  type ConsumerOf,
  type ServiceContract,
  type ServiceName,
  type ServiceProcedures,
  type ServiceRouter,
} from '@gatehouse/contract';
import type { Db } from 'mongodb';
import { createActivity, type Activity } from './activity.js';
import type { Config } from './config.js';
import type { EventBus, Subscription } from './events/bus.js';
import type { NamedConsumer } from './events/defineConsumer.js';
import type { InternalTokenSigner, InternalTokenVerifier } from './internalToken.js';
import type { Logger } from './log.js';
import type { OutboxDocument } from './mongo/outbox.js';
import { startRelay, type Relay } from './mongo/relay.js';
import { offerGauge } from './observability/metrics.js';
import type { ServiceClients } from './rpc/client.js';
import { implement, type Handlers } from './rpc/router.js';
import type { SealedField } from './mongo/reseal.js';
import { watchWrites, type WatchedDatabase } from './mongo/watchWrites.js';
import type { Sealer } from './sealing.js';
import { startSweeper, type Sweep } from './sweeper.js';

/** The dependencies of a service. `C` names the services that it calls. */
export interface ServiceRuntime<C extends ServiceName = never> {
  config: Config;
  log: Logger;
  database: Db;
  bus: EventBus;
  services: Pick<ServiceClients, C>;
  sealer: Sealer;
  verifier: InternalTokenVerifier;
  /** Signs for the service itself. Set only for a service that acts on its own behalf. */
  signer?: InternalTokenSigner | undefined;
}

/** The parts of a service; `C` names its durable consumers. */
export interface ServiceParts<P extends ServiceProcedures, C extends string = string> {
  handlers: Handlers<P>;
  /** The collections whose documents carry events. */
  outboxes: string[];
  consumers: NamedConsumer<C>[];
  sweeps: Sweep[];
  /** Rejects if the service cannot work although its database responds. */
  checkReady?(): Promise<void>;
  /** Stops what the service has started besides its handlers, consumers and sweeps. */
  stop?(): Promise<void>;
}

/**
 * The fields by which a sharded database distributes the documents of a collection; null for a small
 * collection that stays on one shard. Every query contains the first field, and every write to one document
 * contains all of them. A unique index begins with these fields.
 */
export type ShardKey = Readonly<Record<string, 1 | 'hashed'>>;

export interface ServiceDefinition {
  name: string;
  /** The last part of the name of its database. */
  database: string;
  /** The services that it calls, as in the manifest. Its process connects to these and to no others. */
  calls: readonly ServiceName[];
  start(runtime: ServiceRuntime<ServiceName>): Promise<RunningService>;
  /** Creates the indexes and other prerequisites of a start, without serving. */
  prepare(runtime: ServiceRuntime<ServiceName>): Promise<void>;
  /** The sealed fields of long-lived records. */
  sealedFields: readonly SealedField[];
  /** The shard key of each collection: see {@link ShardKey}. */
  shardKeys: Readonly<Record<string, ShardKey | null>>;
}

export interface RunningService {
  name: string;
  router: ServiceRouter;
  /** The calls in flight. */
  activity: Activity;
  checkReady(): Promise<void>;
  stop(): Promise<void>;
}

const FLUSH_TIMEOUT_MS = 2000;

/** Replaces the database. Getters of the runtime stay getters. */
function onDatabase<C extends ServiceName>(runtime: ServiceRuntime<C>, database: Db): ServiceRuntime<C> {
  const own = { ...Object.getOwnPropertyDescriptors(runtime), database: { value: database } };
  return Object.defineProperties({}, own) as ServiceRuntime<C>;
}

/** Registers the gauges of unpublished events. Returns the function that unregisters them. */
function offerOutboxGauges(service: string, relay: Relay): () => void {
  const labels = { service };
  const withdrawals = [
    offerGauge('outboxAge', async () => [{ labels, value: (await relay.ageMs()) / 1000 }]),
    offerGauge('outboxEvents', async () => [{ labels, value: await relay.countEvents() }]),
  ];
  return () => withdrawals.forEach((withdraw) => withdraw());
}

/** Starts the relay of a service, and wakes it when this process writes. */
function startOwnRelay(
  outboxes: readonly string[],
  watched: WatchedDatabase,
  runtime: ServiceRuntime,
): Relay {
  const { bus, log, database } = runtime;
  const collections = outboxes.map((name) => database.collection<OutboxDocument>(name));
  const relay = startRelay({ collections, bus, log });
  watched.onWrite((collection) => relay.wake(collection));
  return relay;
}

/** Starts the consumers, the sweeps and the router of a service. */
async function startParts<P extends ServiceProcedures>(
  contract: ServiceContract<P>,
  { relay, ...parts }: ServiceParts<P> & { relay: Relay },
  { config, log, bus, verifier }: ServiceRuntime,
): Promise<RunningService> {
  const subscriptions: Subscription[] = [];
  for (const consumer of parts.consumers) subscriptions.push(await bus.consume(consumer));
  const withdrawGauges = offerOutboxGauges(contract.name, relay);
  const sweeper = startSweeper(parts.sweeps, config.SWEEP_INTERVAL_MS, log);
  const activity = createActivity();
  const options = { verifier, log, activity, validatesOutput: config.VALIDATE_OUTPUT };
  return {
    name: contract.name,
    activity,
    router: implement(contract, parts.handlers, options),
    checkReady: async () => parts.checkReady?.(),
    async stop() {
      withdrawGauges();
      await sweeper.stop();
      await Promise.all(subscriptions.map((subscription) => subscription.stop()));
      await relay.stop(FLUSH_TIMEOUT_MS);
      await parts.stop?.();
    },
  };
}

/**
 * Defines a service: its contract, the fields that it seals, and a function that creates its parts and
 * indexes. The runtime has clients of the services that the manifest permits it to call.
 */
export function defineService<P extends ServiceProcedures, N extends string>(
  contract: ServiceContract<P, N>,
  { sealedFields = [], shardKeys = {} }: Partial<Pick<ServiceDefinition, 'sealedFields' | 'shardKeys'>>,
  assemble: (runtime: ServiceRuntime<CalledBy<N>>) => Promise<ServiceParts<P, ConsumerOf<N>>>,
): ServiceDefinition {
  const { name } = contract;
  const { calls, database } = isServiceName(name) ? serviceEntry(name) : { calls: [], database: name };
  return {
    name,
    database,
    calls,
    sealedFields,
    shardKeys,
    async prepare(runtime) {
      const parts = await assemble(runtime);
      await parts.stop?.();
    },
    async start(runtime) {
      const watched = watchWrites(runtime.database);
      const parts = await assemble(onDatabase(runtime, watched.database));
      const relay = startOwnRelay(parts.outboxes, watched, runtime);
      return startParts(contract, { ...parts, relay }, runtime);
    },
  };
}

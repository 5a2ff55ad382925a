import type { Procedure, ServiceContract, ServiceName, ServiceProcedures } from '@gatehouse/contract';
import type { AnyTRPCRouter } from '@trpc/server';
import type { Db } from 'mongodb';
import { createActivity, type Activity } from './activity.js';
import type { Config } from './config.js';
import type { DurableConsumer, EventBus, Subscription } from './events/bus.js';
import type { InternalTokenSigner, InternalTokenVerifier } from './internalToken.js';
import type { Logger } from './log.js';
import { startRelay, type OutboxDocument, type Relay } from './mongo/relay.js';
import { offerGauge } from './observability/metrics.js';
import type { ServiceClients } from './rpc/connect.js';
import { implement, type Handlers } from './rpc/implement.js';
import type { SealedField } from './mongo/reseal.js';
import { watchWrites, type WatchedDatabase } from './mongo/watchWrites.js';
import type { Sealer } from './sealing.js';
import { startSweeper, type Sweep } from './sweeper.js';

/** What a service is given to work with; `C` names the services that it calls. */
export interface ServiceRuntime<C extends ServiceName = never> {
  config: Config;
  log: Logger;
  database: Db;
  bus: EventBus;
  services: Pick<ServiceClients, C>;
  sealer: Sealer;
  verifier: InternalTokenVerifier;
  /** Signs for the service itself; of a service that acts without being asked. */
  signer?: InternalTokenSigner | undefined;
}

/** What a service is made of. */
export interface ServiceParts<P extends ServiceProcedures> {
  handlers: Handlers<P>;
  /** The collections whose documents carry events. */
  outboxes: string[];
  consumers: DurableConsumer[];
  sweeps: Sweep[];
  /** Rejects while the service could not do its work although its database answers. */
  checkReady?(): Promise<void>;
  /** Ends what the service has started beside all this. */
  stop?(): Promise<void>;
}

/** What one area of a service adds to it: a service of several areas is put together of these. */
export type AreaParts<V extends Record<string, Procedure>> = Partial<
  Omit<ServiceParts<ServiceProcedures>, 'handlers'>
> & {
  handlers: Handlers<{ area: V }>['area'];
};

/** The parts of all areas together, without their handlers. */
export function joinAreas(
  areas: readonly Partial<Omit<ServiceParts<ServiceProcedures>, 'handlers'>>[],
): Omit<ServiceParts<ServiceProcedures>, 'handlers'> {
  return {
    outboxes: areas.flatMap(({ outboxes = [] }) => outboxes),
    consumers: areas.flatMap(({ consumers = [] }) => consumers),
    sweeps: areas.flatMap(({ sweeps = [] }) => sweeps),
    checkReady: async () => void (await Promise.all(areas.map(async (area) => area.checkReady?.()))),
    stop: async () => void (await Promise.all(areas.map(async (area) => area.stop?.()))),
  };
}

export interface ServiceDefinition {
  name: string;
  /** The services that it calls: its process keeps connections to these and to no others. */
  calls: readonly ServiceName[];
  start(runtime: ServiceRuntime<ServiceName>): Promise<RunningService>;
  /** Makes the indexes, and whatever else has to be there before a start, and serves nothing. */
  prepare(runtime: ServiceRuntime<ServiceName>): Promise<void>;
  /** What the service keeps sealed for as long as its record lives. */
  sealedFields: readonly SealedField[];
}

export interface RunningService {
  name: string;
  router: AnyTRPCRouter;
  /** The calls in progress. */
  activity: Activity;
  checkReady(): Promise<void>;
  stop(): Promise<void>;
}

const FLUSH_TIMEOUT_MS = 2000;

/** The same on another database. What a runtime works out when it is asked for stays so. */
function onDatabase<C extends ServiceName>(runtime: ServiceRuntime<C>, database: Db): ServiceRuntime<C> {
  const own = { ...Object.getOwnPropertyDescriptors(runtime), database: { value: database } };
  return Object.defineProperties({}, own) as ServiceRuntime<C>;
}

/** Offers what is known of the events that wait. Gives the function that withdraws it. */
function offerOutboxGauges(service: string, relay: Relay): () => void {
  const labels = { service };
  const withdrawals = [
    offerGauge('outboxAge', async () => [{ labels, value: (await relay.ageMs()) / 1000 }]),
    offerGauge('outboxEvents', async () => [{ labels, value: await relay.countEvents() }]),
  ];
  return () => withdrawals.forEach((withdraw) => withdraw());
}

/** Publishes what is left in the outboxes of a service, at once where the service itself has written it. */
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

/** Starts what a service is made of: what it consumes and sweeps, and what answers calls. */
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

/** Defines a service by its contract, what it calls and seals, and a function that makes its parts, indexes included, from the runtime. */
export function defineService<P extends ServiceProcedures, C extends ServiceName>(
  contract: ServiceContract<P>,
  { calls, sealedFields = [] }: { calls: readonly C[]; sealedFields?: readonly SealedField[] },
  assemble: (runtime: ServiceRuntime<C>) => Promise<ServiceParts<P>>,
): ServiceDefinition {
  return {
    name: contract.name,
    calls,
    sealedFields,
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

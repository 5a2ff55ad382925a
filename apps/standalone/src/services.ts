import { processEntry, SERVICE_NAMES, type ServiceName } from '@gatehouse/contract';
import {
  BusUnavailableError,
  connectServices,
  createLog,
  inProcessLink,
  type Config,
  type Databases,
  type EventBus,
  type InternalTokenSigner,
  type InternalTokenVerifier,
  type RunningService,
  type Sealer,
  type ServiceLinks,
} from '@gatehouse/service';
import { DEFINITIONS } from './definitions.js';
import type { StopSequence } from './stopSequence.js';

export { DEFINITIONS };

export interface ServiceParts {
  config: Config;
  databases: Databases;
  bus: EventBus;
  sealer: Sealer;
  verifier: InternalTokenVerifier;
  /** The signer of the lifecycle service. */
  lifecycleSigner: InternalTokenSigner;
  stops: StopSequence;
}

/** Starts every service in this process and returns the links to them. */
export async function startServices(parts: ServiceParts): Promise<ServiceLinks> {
  const running = new Map<ServiceName, RunningService>();
  const linkTo = (name: ServiceName) =>
    inProcessLink(() => {
      const service = running.get(name);
      if (!service) throw new Error(`The ${name} service is called before it is started`);
      return service.router;
    });
  const links: ServiceLinks = Object.fromEntries(SERVICE_NAMES.map((name) => [name, linkTo(name)]));
  const held = holdEvents(parts.bus);
  const start = async (name: ServiceName) => {
    const definition = DEFINITIONS[name];
    const service = await definition.start({
      config: parts.config,
      log: createLog(name, parts.config),
      database: parts.databases.of(definition.database),
      bus: held.bus,
      services: connectServices(links),
      sealer: parts.sealer,
      verifier: parts.verifier,
      signer: hasOwnKey(name) ? parts.lifecycleSigner : undefined,
    });
    running.set(name, service);
    return service;
  };
  const outcomes = await Promise.allSettled(SERVICE_NAMES.map(start));
  for (const outcome of outcomes)
    if (outcome.status === 'fulfilled') parts.stops.add(() => outcome.value.stop());
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed !== undefined) {
    held.refuse();
    throw failed.reason;
  }
  held.release();
  return links;
}

const hasOwnKey = (name: ServiceName) => processEntry(name).secrets.includes('LIFECYCLE_SIGNING_KEY');

/**
 * A bus that holds events back until it is released. A service starts to publish the events that an earlier
 * process has left as soon as it starts, and a bus in process delivers events only to existing consumers.
 */
function holdEvents(bus: EventBus): { bus: EventBus; release(): void; refuse(): void } {
  let release: () => void = () => {};
  let refuse: () => void = () => {};
  const released = new Promise<void>((resolve, reject) => {
    release = resolve;
    refuse = () => reject(new BusUnavailableError('Not every consumer has started'));
  });
  released.catch(() => {});
  const held: EventBus = {
    async publish(events) {
      await released;
      await bus.publish(events);
    },
    consume: (consumer) => bus.consume(consumer),
    watch: (types, handle, onGap) => bus.watch(types, handle, onGap),
    isUp: () => bus.isUp(),
    close: () => bus.close(),
  };
  return { bus: held, release, refuse };
}

import { accessService } from '@gatehouse/access';
import { auditService } from '@gatehouse/audit';
import { directoryService } from '@gatehouse/directory';
import { lifecycleService } from '@gatehouse/lifecycle';
import { policyService } from '@gatehouse/policy';
import { semanticsService } from '@gatehouse/semantics';
import type { ServiceName } from '@gatehouse/contract';
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
  type ServiceDefinition,
  type Sealer,
  type ServiceLinks,
} from '@gatehouse/service';
import type { StopSequence } from './stopSequence.js';

/** Every service by its name, so that none is missing, and in the order in which they start. */
export const DEFINITIONS: Record<ServiceName, ServiceDefinition> = {
  directory: directoryService,
  access: accessService,
  semantics: semanticsService,
  policy: policyService,
  lifecycle: lifecycleService,
  audit: auditService,
};

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

/** Starts every service in this process and answers the links to them. */
export async function startServices(parts: ServiceParts): Promise<ServiceLinks> {
  const running = new Map<string, RunningService>();
  const linkTo = (name: string) =>
    inProcessLink(() => {
      const service = running.get(name);
      if (!service) throw new Error(`The ${name} service is called before it is started`);
      return service.router;
    });
  const links: ServiceLinks = Object.fromEntries(
    Object.keys(DEFINITIONS).map((name) => [name, linkTo(name)]),
  );
  const held = holdEvents(parts.bus);
  try {
    for (const [name, definition] of Object.entries(DEFINITIONS)) {
      const service = await definition.start({
        config: parts.config,
        log: createLog(name, parts.config),
        database: parts.databases.of(name),
        bus: held.bus,
        services: connectServices(links),
        sealer: parts.sealer,
        verifier: parts.verifier,
        signer: name === lifecycleService.name ? parts.lifecycleSigner : undefined,
      });
      running.set(name, service);
      parts.stops.add(() => service.stop());
    }
  } catch (error) {
    held.refuse();
    throw error;
  }
  held.release();
  return links;
}

/**
 * A bus that publishes only once it is released. A service begins to publish what an earlier process has left as soon
 * as it starts, and a bus in process gives events only to the consumers that are there by then.
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

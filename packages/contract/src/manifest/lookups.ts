import type { EventType } from '../events.js';
import type {
  EventPattern,
  OptionalSecretName,
  ProcessEntry,
  SecretName,
  ServiceEntry,
  SettingName,
} from './entry.js';
import { gatewayManifest, serviceManifest } from './services.js';

type Table = typeof serviceManifest;

export type ServiceName = keyof Table;
/** The processes of the mesh. */
export type ProcessName = 'gateway' | ServiceName;

/** The contract of every service, by name. */
export type Services = { [S in ServiceName]: Table[S]['contract'] };

/** The services that a service calls; none if the manifest does not list it. */
export type CalledBy<N extends string> = N extends ServiceName ? Table[N]['calls'][number] : never;

type ConsumersOf<N extends ServiceName> = keyof Table[N]['consumers'] & string;
/** The durable consumers of a service; any if the manifest does not list it. */
export type ConsumerOf<N extends string> = N extends ServiceName ? ConsumersOf<N> : string;
/** The durable consumers of all services. */
export type ConsumerName = { [N in ServiceName]: ConsumersOf<N> }[ServiceName];

/** The events of a consumer, as the manifest lists them. */
export type ConsumedEvent<C extends ConsumerName> = {
  [N in ServiceName]: Table[N]['consumers'] extends Record<C, readonly (infer E extends EventPattern)[]>
    ? E
    : never;
}[ServiceName];

/** The events that a process watches. */
export type WatchedEvent<N extends ProcessName> = N extends 'gateway'
  ? (typeof gatewayManifest)['watches'][number]
  : N extends ServiceName
    ? Table[N]['watches'][number]
    : never;

/** The environment variables that only some processes receive. */
export type OwnVariable = SecretName | OptionalSecretName | SettingName;

/** The names of the services, in the order in which they start. */
export const SERVICE_NAMES = Object.keys(serviceManifest) as ServiceName[];
/** The names of the processes of the mesh. */
export const PROCESS_NAMES: readonly ProcessName[] = ['gateway', ...SERVICE_NAMES];

const entries: Readonly<Record<string, ServiceEntry>> = serviceManifest;

/** Whether the manifest lists a service of this name. */
export function isServiceName(name: string): name is ServiceName {
  return Object.hasOwn(serviceManifest, name);
}

/** The entry of a service. */
export function serviceEntry(name: ServiceName): ServiceEntry<ServiceName> {
  return serviceManifest[name];
}

/** The entry of a process. */
export function processEntry(name: ProcessName): ProcessEntry {
  return name === 'gateway' ? gatewayManifest : serviceManifest[name];
}

/** The contracts of the services, by name. */
export const services = Object.fromEntries(
  Object.entries(serviceManifest).map(([name, { contract }]) => [name, contract]),
) as Services;

/** The secrets and settings of a process. */
export function ownVariables(name: ProcessName): readonly OwnVariable[] {
  const { secrets, optionalSecrets = [], settings = [] } = processEntry(name);
  return [...secrets, ...optionalSecrets, ...settings];
}

/** The events of a consumer. */
export function consumedEvents<C extends ConsumerName>(consumer: C): ConsumedEvent<C>[] {
  const owner = Object.values(entries).find(({ consumers }) => Object.hasOwn(consumers, consumer));
  return [...(owner?.consumers[consumer] ?? [])] as ConsumedEvent<C>[];
}

/** The events that a process watches. */
export function watchedEvents<N extends ProcessName>(name: N): WatchedEvent<N>[] {
  return [...processEntry(name).watches] as WatchedEvent<N>[];
}

const REJECTED_REQUEST = 'management.request.refused.v1' satisfies EventType;

/** Whether a process may publish events of this type. All processes publish rejected requests. */
export function isPublisher(name: ProcessName, type: EventType): boolean {
  const ofItsNoun = type.replace(/\.[a-z_]+\.v1$/, '.*.v1');
  return (
    type === REJECTED_REQUEST ||
    processEntry(name).publishes.some((pattern) => pattern === type || pattern === ofItsNoun)
  );
}

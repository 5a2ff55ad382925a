import type { EVENT_CATALOGUE, EventType } from '../events.js';
import type { ServiceContract } from '../services/procedure.js';

type NounOf<T> = T extends `management.${infer Noun}.${string}.v1` ? Noun : never;

/** The type of an event, or the types of all events of a noun, or of all nouns. */
export type EventPattern =
  | EventType
  | `management.${NounOf<keyof typeof EVENT_CATALOGUE>}.*.v1`
  | 'management.*.*.v1'
  | 'management.*.*.*';

/** Environment variables with secrets. A process receives only those that its entry names. */
export type SecretName =
  | 'INTERNAL_SIGNING_KEY'
  | 'INTERNAL_VERIFY_KEY'
  | 'LIFECYCLE_SIGNING_KEY'
  | 'MONGODB_URL'
  | 'NATS_URL'
  | 'SEALING_KEYS';

/** A secret that an installation may do without. */
export type OptionalSecretName = 'OIDC_CLIENT_SECRET';

/** Environment variables that only some processes receive, although they are no secrets. */
export type SettingName =
  | 'CONNECTION_HOSTS'
  | 'REPOSITORY_DIR'
  | 'REPOSITORY_HOSTS'
  | 'SQLITE_DIR'
  | 'WEBHOOK_HOSTS';

/** The size of a process in a cluster, in the units of Kubernetes. */
export interface Deployment {
  /** Reserved processor time, as in `250m`. */
  cpu: string;
  /** Reserved memory, as in `192Mi`. */
  memory: string;
  /** A process that uses more memory is ended. */
  memoryMax: string;
  /** Replicas under load; the minimum is 2. */
  replicasMax: number;
  /** Options of Node.js, as in `NODE_OPTIONS`, and the reason for them. */
  nodeOptions?: { value: string; reason: string };
  /** A volume that all replicas share; the setting contains its path. */
  volume?: { name: string; about: string; setting: SettingName; path: string; storage: string };
}

/** The facts of one process of the platform. */
export interface ProcessEntry {
  secrets: readonly SecretName[];
  optionalSecrets?: readonly OptionalSecretName[];
  settings?: readonly SettingName[];
  /** The events that it publishes. Every process also publishes rejected requests. */
  publishes: readonly EventPattern[];
  /** Its durable consumers by name, each with the events that it receives at least once. */
  consumers: Readonly<Record<string, readonly EventPattern[]>>;
  /** The events that every replica receives at once, and not again. */
  watches: readonly EventPattern[];
  deployment: Deployment;
}

/** The facts of one service; `Name` is the name of any service. */
export interface ServiceEntry<Name extends string = string> extends ProcessEntry {
  contract: ServiceContract;
  /** The port in the default value of `<NAME>_URL`. */
  port: number;
  /** The last part of the name of its database, and the name of its database user. */
  database: string;
  /** The services that it calls. It has clients of these only. */
  calls: readonly Name[];
}

type ServiceTable<T> = {
  [N in keyof T]: ServiceEntry<keyof T & string> & { contract: { name: N } };
};

/** A table of services: each has the name of its contract and calls only services of the same table. */
export function defineServices<const T extends ServiceTable<T>>(table: T): T {
  return table;
}

import type { audit, CalledBy, InputOf, OutputOf } from '@gatehouse/contract';
import {
  readQuotas,
  resolveName,
  type Config,
  type ResolveName,
  type Sealer,
  type ServiceClients,
  type ServiceRuntime,
} from '@gatehouse/service';
import { DeliveryStore } from './deliveries/store.js';
import { WebhookStore } from './webhooks/store.js';

// Deliveries read webhooks too.
export type { WebhookDocument } from './webhooks/store.js';

/** Name resolution, clock and randomness of webhooks and deliveries. */
export interface Environment {
  resolve: ResolveName;
  now(): Date;
  /** From 0 to 1. */
  random(): number;
}

/** What the operations on webhooks and deliveries work with. */
export interface Dependencies extends Environment {
  webhooks: WebhookStore;
  deliveries: DeliveryStore;
  directory: ServiceClients['directory'];
  sealer: Sealer;
  config: Pick<
    Config,
    | 'WEBHOOK_HOSTS'
    | 'WEBHOOK_TIMEOUT_MS'
    | 'WEBHOOK_POLL_MS'
    | 'WEBHOOK_CONCURRENCY'
    | 'WEBHOOK_RETRY_SECONDS'
  >;
}

export const SYSTEM_ENVIRONMENT: Environment = {
  resolve: resolveName,
  now: () => new Date(),
  random: Math.random,
};

export function createDependencies(
  { config, database, sealer, services }: ServiceRuntime<CalledBy<'audit'>>,
  environment: Environment,
): Dependencies {
  return {
    ...environment,
    webhooks: new WebhookStore(database, readQuotas(config)),
    deliveries: new DeliveryStore(database, config.QUOTA_STORAGE_BYTES),
    directory: services.directory,
    sealer,
    config,
  };
}

type Procedures = typeof audit.procedures.webhooks;

/** The input of a procedure of webhooks, by its verb. */
export type Input<V extends keyof Procedures> = InputOf<Procedures[V]>;
/** The output of a procedure of webhooks, by its verb. */
export type Output<V extends keyof Procedures> = OutputOf<Procedures[V]>;

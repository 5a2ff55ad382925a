import type { audit, InputOf, OutputOf } from '@gatehouse/contract';
import type { Config, ResolveName, Sealer, ServiceClients } from '@gatehouse/service';
import type { DeliveryStore } from '../store/webhookDeliveries.js';
import type { WebhookStore } from '../store/webhooks.js';

/** What webhooks take from the world around them. */
export interface Surroundings {
  resolve: ResolveName;
  now(): Date;
  /** From 0 to 1, by chance. */
  random(): number;
}

/** What the operations on webhooks work with. */
export interface Webhooks extends Surroundings {
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

type Procedures = typeof audit.procedures.webhooks;

/** What a procedure is given, by its verb. */
export type Input<V extends keyof Procedures> = InputOf<Procedures[V]>;
/** What a procedure answers, by its verb. */
export type Answer<V extends keyof Procedures> = Promise<OutputOf<Procedures[V]>>;

import { z } from 'zod';
import { rule } from '../fieldErrors.js';
import { EVENT_CATALOGUE } from '../events.js';
import { Id, JsonObject, Timestamp } from '../vocabulary.js';

const ANY_EVENT = '*';
const EVENT_PATTERN = /^management\.([a-z0-9_]+|\*)\.([a-z0-9_]+|\*)\.(v[0-9]+|\*)$/;
const KNOWN_TYPES = Object.keys(EVENT_CATALOGUE);

/**
 * Whether a webhook subscribes to an event type: the type itself, a pattern with `*` for one of its parts, or
 * `*` for all.
 */
export function isWantedEvent(wanted: readonly string[], eventType: string): boolean {
  const parts = eventType.split('.');
  const covers = (pattern: string) =>
    pattern.split('.').every((part, index) => part === '*' || part === parts[index]);
  return wanted.some((pattern) => pattern === ANY_EVENT || covers(pattern));
}

/** The event types of a webhook. A pattern that matches no event type is a typing error. */
export const WebhookEventType = z
  .string()
  .max(100)
  .refine(
    (pattern) => pattern === ANY_EVENT || EVENT_PATTERN.test(pattern),
    rule('must be an event type, management.<noun>.<verb>.v1 with * for any part, or *', 'format'),
  )
  .refine(
    (pattern) => KNOWN_TYPES.some((type) => isWantedEvent([pattern], type)),
    rule('is no known event type', 'enum'),
  );

/**
 * Why a webhook is disabled: by a user, because its server returned 410, because it failed for too long, or
 * because too many of its deliveries waited.
 */
export const WebhookDisabledReason = z.enum(['manual', 'gone', 'failing', 'overloaded']);
export type WebhookDisabledReason = z.infer<typeof WebhookDisabledReason>;

export const Webhook = z.object({
  id: Id,
  url: z.string(),
  description: z.string(),
  eventTypes: z.array(z.string()),
  /** Only events of this project; null for those of all. */
  projectId: Id.nullable(),
  isEnabled: z.boolean(),
  disabledReason: WebhookDisabledReason.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  version: z.number().int(),
});
export type Webhook = z.infer<typeof Webhook>;

/**
 * `secret` is `whsec_` and the key in base64, as in Standard Webhooks. Only the response that creates it
 * shows it.
 */
export const WebhookWithSecret = Webhook.extend({ secret: z.string() });

/**
 * Why an attempt failed. `not_allowed`: the operator does not allow the host, or an address of it. `refused`:
 * a status that is neither success nor redirection. `interrupted`: the sending process ended.
 */
export const WebhookFailure = z.enum([
  'not_allowed',
  'unresolved',
  'unreachable',
  'untrusted',
  'timed_out',
  'malformed',
  'redirected',
  'refused',
  'interrupted',
]);
export type WebhookFailure = z.infer<typeof WebhookFailure>;

export const WebhookAttempt = z.object({
  attemptedAt: Timestamp,
  durationMs: z.number().int(),
  /** Null if no response arrived. */
  statusCode: z.number().int().nullable(),
  /** Null if it was delivered. */
  failure: WebhookFailure.nullable(),
});
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;

export const WebhookDeliveryStatus = z.enum(['pending', 'delivered', 'failed']);
export type WebhookDeliveryStatus = z.infer<typeof WebhookDeliveryStatus>;

export const WebhookDelivery = z.object({
  id: Id,
  webhookId: Id,
  eventId: z.string(),
  eventType: z.string(),
  status: WebhookDeliveryStatus,
  /** The latest, oldest first. */
  attempts: z.array(WebhookAttempt),
  /** Null while it is being sent, and if there are no further attempts. */
  nextAttemptAt: Timestamp.nullable(),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

/** With the event as it is sent. */
export const WebhookDeliveryWithEvent = WebhookDelivery.extend({ event: JsonObject });

/** The type of the event that tests a webhook. It is sent to that webhook only, and not published. */
export const WEBHOOK_TEST_TYPE = 'management.webhook.test.v1';

export const WebhookTest = WebhookAttempt.extend({ eventId: z.string(), isDelivered: z.boolean() });
export type WebhookTest = z.infer<typeof WebhookTest>;

import { z } from 'zod';
import { rule } from '../../fieldErrors.js';
import {
  Webhook,
  WebhookDelivery,
  WebhookDeliveryStatus,
  WebhookDeliveryWithEvent,
  WebhookEventType,
  WebhookTest,
  WebhookWithSecret,
} from '../../records/webhook.js';
import { Id, text, Timestamp } from '../../vocabulary.js';
import { webAddress } from '../../webAddress.js';
import { ListSlice, NextCursor } from '../listSlice.js';
import { mutation, query } from '../procedure.js';

const ById = z.strictObject({ id: Id });
const ByDelivery = z.strictObject({ id: Id, deliveryId: Id });

const Fields = {
  url: webAddress(2048),
  description: text(0, 1000),
  eventTypes: z.array(WebhookEventType).min(1).max(100),
  projectId: Id.nullable(),
  isEnabled: z.boolean(),
};

/** Addresses that receive events. */
export const webhooks = {
  list: query(z.strictObject(ListSlice), z.object({ webhooks: z.array(Webhook), ...NextCursor })),
  create: mutation(
    z.strictObject({
      url: Fields.url,
      description: Fields.description.default(''),
      eventTypes: Fields.eventTypes,
      projectId: Fields.projectId.default(null),
      isEnabled: Fields.isEnabled.default(true),
    }),
    z.object({ webhook: WebhookWithSecret }),
  ),
  get: query(ById, z.object({ webhook: Webhook })),
  update: mutation(
    z
      .strictObject({
        id: Id,
        url: Fields.url.optional(),
        description: Fields.description.optional(),
        eventTypes: Fields.eventTypes.optional(),
        projectId: Fields.projectId.optional(),
        isEnabled: Fields.isEnabled.optional(),
      })
      .refine(
        ({ id: _id, ...fields }) => Object.values(fields).some((field) => field !== undefined),
        rule('at least one of url, description, eventTypes, projectId and isEnabled is required', 'required'),
      ),
    z.object({ webhook: Webhook }),
  ),
  delete: mutation(
    ById,
    z.object({ message: z.string(), deletedWebhook: z.object({ id: Id, url: z.string() }) }),
  ),
  /** The former secret signs along for 24 hours. */
  rotateSecret: mutation(ById, z.object({ webhook: WebhookWithSecret })),
  /** Sends an event immediately, whether the webhook is enabled or not, and returns the response. */
  test: mutation(ById, z.object({ test: WebhookTest })),
  /** The latest first. */
  listDeliveries: query(
    z.strictObject({
      id: Id,
      status: WebhookDeliveryStatus.optional(),
      limit: z.number().int().min(1).max(500).default(100),
      cursor: text(1, 200).optional(),
    }),
    z.object({ deliveries: z.array(WebhookDelivery), nextCursor: z.string().nullable() }),
  ),
  getDelivery: query(ByDelivery, z.object({ delivery: WebhookDeliveryWithEvent })),
  replayDelivery: mutation(ByDelivery, z.object({ delivery: WebhookDelivery })),
  /** Sends the events again whose delivery to the webhook has failed permanently since a moment. */
  replayFailed: mutation(
    z.strictObject({ id: Id, since: Timestamp }),
    z.object({ message: z.string(), replayed: z.number().int() }),
  ),
};

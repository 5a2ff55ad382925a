import type { WebhookDeliveryStatus, WebhookFailure } from '@gatehouse/contract';
import type { Sized } from '@gatehouse/service';

export interface StoredAttempt {
  attemptedAt: Date;
  durationMs: number;
  statusCode: number | null;
  failure: WebhookFailure | null;
}

/**
 * The delivery of one event to one webhook. It waits, is being sent, or has ended: it has one of the last
 * three fields.
 */
export interface DeliveryDocument extends Sized {
  /** Derived from the ids of the webhook and the event, so that there is one delivery for both. */
  _id: string;
  organizationId: string;
  webhookId: string;
  eventId: string;
  eventType: string;
  /** The request body: the same bytes for each attempt. */
  body: string;
  status: WebhookDeliveryStatus;
  /** The latest attempts, oldest first. */
  attempts: StoredAttempt[];
  /** Failed attempts since the creation or the last replay. */
  tries: number;
  /** The key of the operation that replayed it, when the operation may be retried. */
  replayKey?: string;
  createdAt: Date;
  updatedAt: Date;
  nextAttemptAt?: Date;
  /** The lease of the process that sends it. */
  leaseId?: string;
  endedAt?: Date;
}

import type { WebhookDeliveryStatus, WebhookDisabledReason, WebhookFailure } from '@gatehouse/contract';
import type { Outboxed } from '@gatehouse/service';
import type { FormerSecret } from '../logic/webhookSecrets.js';

export interface WebhookDocument extends Outboxed {
  _id: string;
  organizationId: string;
  url: string;
  description: string;
  eventTypes: string[];
  projectId: string | null;
  isEnabled: boolean;
  disabledReason: WebhookDisabledReason | null;
  sealedSecret: string;
  /** The latest first. */
  formerSecrets: FormerSecret[];
  /** The first failure since the last success. It is no part of the record: its writes are not counted. */
  failingSince: Date | null;
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface StoredAttempt {
  attemptedAt: Date;
  durationMs: number;
  statusCode: number | null;
  failure: WebhookFailure | null;
}

/** One event on its way to one webhook. It waits, is being sent, or has ended: it has one of the three last fields. */
export interface DeliveryDocument {
  /** Made of the webhook's id and the event's, so that there is one for the two. */
  _id: string;
  organizationId: string;
  webhookId: string;
  eventId: string;
  eventType: string;
  /** The event as it is sent, each time the same bytes. */
  body: string;
  status: WebhookDeliveryStatus;
  /** The latest, oldest first. */
  attempts: StoredAttempt[];
  /** Failed attempts since it was made or replayed. */
  tries: number;
  /** The operation that has replayed it, when it may be run again. */
  replayKey?: string;
  createdAt: Date;
  updatedAt: Date;
  nextAttemptAt?: Date;
  /** Who sends it. */
  leaseId?: string;
  endedAt?: Date;
}

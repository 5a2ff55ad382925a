import {
  EVENT_CATALOGUE,
  isPublisher,
  isServiceName,
  type ActorKind,
  type CloudEvent,
  type EventData,
  type EventType,
} from '@gatehouse/contract';
import type { Document, UpdateFilter } from 'mongodb';
import type { CallContext } from '../callContext.js';
import { newKey } from '../ids.js';
import { currentTraceparent } from '../observability/tracing.js';

/**
 * The fields in which every document carries the events of its own changes, so that a change and its events
 * are one atomic write. A relay publishes and then removes them.
 */
export interface Outboxed {
  /** Counts the writes of the document. A write names the revision that it was decided on. */
  revision: number;
  /** Unpublished events, oldest first. */
  outbox: CloudEvent[];
  /**
   * Counts the events that the document has ever had: the position of the last one. Absent without events.
   */
  eventCount?: number;
  /** Set on a deleted document that still has unpublished events. */
  deletedAt?: Date;
}

/** A document with an outbox, of any collection. */
export interface OutboxDocument extends Outboxed {
  _id: string;
}

/** The origin of an event. */
export interface EventOrigin {
  service: string;
  organizationId: string;
  projectId?: string | undefined;
  requestId?: string | undefined;
  /** Absent if the platform acts on its own behalf. */
  actorId?: string | undefined;
  actorKind?: ActorKind | undefined;
  /** The `jti` of the access token. */
  tokenId?: string | undefined;
  now: Date;
}

/** Returns the origin of the events of a call. */
export function originOf(service: string, context: CallContext): EventOrigin {
  const { principal, requestId, now } = context;
  const actorId = 'userId' in principal ? principal.userId : principal.projectId;
  const { organizationId, projectId, kind: actorKind, tokenId } = principal;
  return { service, organizationId, projectId, requestId, actorId, actorKind, tokenId, now };
}

/**
 * Creates an event in the format of CloudEvents 1.0.
 * @throws ZodError if the data does not match the catalogue, and Error if the manifest does not permit the
 * service to publish the event; both are bugs
 */
export function createEvent<T extends EventType>(
  type: T,
  subject: string,
  { origin, data }: { origin: EventOrigin; data: EventData<T> },
): CloudEvent {
  const { service } = origin;
  if (isServiceName(service) && !isPublisher(service, type))
    throw new Error(`the manifest does not permit ${service} to publish ${type}`);
  const traceparent = currentTraceparent();
  return {
    specversion: '1.0',
    id: newKey(),
    source: `/gatehouse/${service}`,
    type,
    subject,
    time: origin.now.toISOString(),
    datacontenttype: 'application/json',
    organizationid: origin.organizationId,
    ...(origin.projectId === undefined ? {} : { projectid: origin.projectId }),
    ...(origin.requestId === undefined ? {} : { requestid: origin.requestId }),
    ...(origin.actorId === undefined ? {} : { actorid: origin.actorId }),
    ...(origin.actorKind === undefined ? {} : { actorkind: origin.actorKind }),
    ...(origin.tokenId === undefined ? {} : { tokenid: origin.tokenId }),
    ...(traceparent === undefined ? {} : { traceparent }),
    data: EVENT_CATALOGUE[type].parse(data),
  };
}

/** The outbox fields of a new document. */
export function outboxOf(events: CloudEvent[]): Outboxed {
  return { revision: 1, outbox: events, eventCount: events.length };
}

/** Adds events to an update, and increments the number of writes. */
export function withEvents<T extends Outboxed>(
  update: UpdateFilter<T>,
  events: CloudEvent[],
): UpdateFilter<T> {
  const parts = update as Record<string, Document | undefined>;
  const merged: Record<string, Document> = {
    ...(update as Record<string, Document>),
    $inc: { ...parts['$inc'], revision: 1, ...(events.length > 0 ? { eventCount: events.length } : {}) },
  };
  if (events.length > 0) merged['$push'] = { ...parts['$push'], outbox: { $each: events } };
  return merged;
}

/**
 * Converts a document into its tombstone: only what its last events need. The relay deletes it once they are
 * published. `kept` names the fields to keep, such as the id of the organization.
 */
export function tombstone(events: CloudEvent[], now: Date, kept: readonly string[]): Document[] {
  const fields = Object.fromEntries(kept.map((field) => [field, `$${field}`]));
  return [
    {
      $replaceWith: {
        _id: '$_id',
        ...fields,
        revision: { $add: ['$revision', 1] },
        eventCount: { $add: [{ $ifNull: ['$eventCount', 0] }, events.length] },
        deletedAt: now,
        outbox: { $concatArrays: [{ $ifNull: ['$outbox', []] }, { $literal: events }] },
      },
    },
  ];
}

// Fixed in length, so that texts and numbers have the same order.
const SEQUENCE_DIGITS = 12;

/**
 * Returns the unpublished events of a document, each with its position among all events of the document:
 * "000000000001" is the first, and no number is skipped. A consumer that receives events late, twice or out
 * of order can therefore detect it, which the clocks of several processes do not allow. The attribute is
 * `sequence` of the CloudEvents extension of that name.
 */
export function sequencedEvents({
  outbox,
  eventCount = outbox.length,
}: Pick<Outboxed, 'outbox' | 'eventCount'>): CloudEvent[] {
  const before = eventCount - outbox.length;
  return outbox.map((event, index) => ({
    ...event,
    sequence: String(before + index + 1).padStart(SEQUENCE_DIGITS, '0'),
  }));
}

/**
 * The index by which the relay finds pending events. Every collection with an outbox has it. Empty outboxes
 * have no entry, so it contains only pending work.
 */
export const OUTBOX_INDEX = { key: { 'outbox.time': 1 }, name: 'outbox', sparse: true } as const;

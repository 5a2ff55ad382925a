import {
  EVENT_CATALOGUE,
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
 * The fields by which every document carries the events of its own changes, so that a change and its events are one
 * atomic write. A relay publishes and then removes them.
 */
export interface Outboxed {
  /** Counts the writes of the document. A write names the revision it was decided on. */
  revision: number;
  /** Events not yet published, oldest first. */
  outbox: CloudEvent[];
  /** Counts the events that the document ever had: the last one's place among them. Absent where there was none. */
  eventCount?: number;
  /** Set on a document that is deleted but for its last events. */
  deletedAt?: Date;
}

/** Where an event comes from. */
export interface EventOrigin {
  service: string;
  organizationId: string;
  projectId?: string | undefined;
  requestId?: string | undefined;
  /** Absent when the platform acts by itself. */
  actorId?: string | undefined;
  actorKind?: ActorKind | undefined;
  /** The `jti` of the access token. */
  tokenId?: string | undefined;
  now: Date;
}

/** The origin of the events of a principal's call. */
export function originOf(service: string, context: CallContext): EventOrigin {
  const { principal, requestId, now } = context;
  const actorId = 'userId' in principal ? principal.userId : principal.projectId;
  const { organizationId, projectId, kind: actorKind, tokenId } = principal;
  return { service, organizationId, projectId, requestId, actorId, actorKind, tokenId, now };
}

/** Makes an event as CloudEvents 1.0 has it. `data` is checked against the catalogue: a wrong one is a fault of the program. */
export function createEvent<T extends EventType>(
  type: T,
  subject: string,
  { origin, data }: { origin: EventOrigin; data: EventData<T> },
): CloudEvent {
  const traceparent = currentTraceparent();
  return {
    specversion: '1.0',
    id: newKey(),
    source: `/gatehouse/${origin.service}`,
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

/** Adds events, and the count of the write, to an update. */
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
 * Turns a document into its tombstone: all that stays is what its last events need. The relay deletes it once they
 * are published. `kept` names fields to keep, such as the organization's id.
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

// Fixed in length, so that the order of the texts is that of the numbers.
const SEQUENCE_DIGITS = 12;

/**
 * The unpublished events of a document, each with its place among all events that the document ever had: "000000000001" is
 * the first, and none is left out. So whoever gets them late, twice or in another order can tell, which the times of several
 * processes cannot. It is the attribute `sequence` of the CloudEvents extension of that name.
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
 * The index by which the relay finds pending events; every collection with an outbox has it. An empty outbox has no
 * entry in it, so it holds only pending work.
 */
export const OUTBOX_INDEX = { key: { 'outbox.time': 1 }, name: 'outbox', sparse: true } as const;

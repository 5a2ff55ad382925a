import { readAuditEvent, type AuditEvent, type AuditHead } from '@gatehouse/contract';
import { readType } from '../logic/hashChain.js';

/** An entry with the seal on its hash, by which it is known to be written by the platform. */
export interface SealedEntry {
  entry: AuditEvent;
  seal: string;
}

/** An entry as it is stored. What follows from its type is not: see `readType`. */
export interface EntryDocument extends Omit<
  AuditEvent,
  'id' | 'outcome' | 'resourceType' | 'time' | 'recordedAt' | 'data'
> {
  /** The organization and the event, so that an event is recorded once. */
  _id: string;
  eventId: string;
  time: Date;
  recordedAt: Date;
  /** As canonical JSON: any key may stand in it, and nothing of it is asked for by itself. */
  data: string;
  seal: string;
}

/** The end of an organization's log. */
export interface HeadDocument extends AuditHead {
  /** The organization's id. */
  _id: string;
}

export function entryKey(organizationId: string, eventId: string): string {
  return `${organizationId}:${eventId}`;
}

export function toDocument({ entry, seal }: SealedEntry): EntryDocument {
  const {
    id: eventId,
    outcome: _outcome,
    resourceType: _resourceType,
    time,
    recordedAt,
    data,
    ...fields
  } = entry;
  return {
    _id: entryKey(entry.organizationId, eventId),
    eventId,
    ...fields,
    time: new Date(time),
    recordedAt: new Date(recordedAt),
    data: JSON.stringify(data),
    seal,
  };
}

export function toEntry(document: EntryDocument): AuditEvent {
  const { _id, eventId: id, seal: _seal, time, recordedAt, data, ...fields } = document;
  return {
    id,
    ...fields,
    ...readType(document.type),
    time: time.toISOString(),
    recordedAt: recordedAt.toISOString(),
    data: JSON.parse(data) as AuditEvent['data'],
  };
}

/** The same of a document that somebody may have changed; null when it is no entry any more. */
export function readEntry(document: EntryDocument): AuditEvent | null {
  try {
    return readAuditEvent(toEntry(document));
  } catch {
    return null;
  }
}

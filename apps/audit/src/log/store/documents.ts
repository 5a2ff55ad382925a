import { readAuditEvent, type AuditEvent } from '@gatehouse/contract';
import { readType } from '../logic/chain.js';

/** An entry with the seal on its hash, which proves that the platform wrote it. */
export interface SealedEntry {
  entry: AuditEvent;
  seal: string;
}

/** A stored entry, without the fields that follow from its type: see `readType`. */
export interface EntryDocument extends Omit<
  AuditEvent,
  'id' | 'outcome' | 'resourceType' | 'time' | 'recordedAt' | 'data'
> {
  /** The organization and the event, so that an event is recorded once. */
  _id: string;
  eventId: string;
  time: Date;
  recordedAt: Date;
  /** JSON text: it may have any key, and no query needs a part of it. */
  data: string;
  seal: string;
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

/** Like `toEntry`, for a document that may have been tampered with; null when it is no valid entry. */
export function readEntry(document: EntryDocument): AuditEvent | null {
  try {
    return readAuditEvent(toEntry(document));
  } catch {
    return null;
  }
}

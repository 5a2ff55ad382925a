import { fieldBytes, recordBytes } from '../quotas/storedUsage.js';
import { AppError, type CloudEvent, type QuotaName } from '@gatehouse/contract';
import type { AggregateOptions, Document } from 'mongodb';
import type { Sized } from '../quotas/storedUsage.js';
import type { ListSlice } from './listSlice.js';
import type { Outboxed } from './outbox.js';

/** The fields of every record. `_id` identifies the record forever and is never reused. */
export interface StoredRecord extends Outboxed, Sized {
  _id: string;
  organizationId: string;
  /** Counts the changes of the public record. Tombstones lack it. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

/** The field whose value every filter of a store contains. */
export type ScopeField = 'organizationId' | 'projectId';

/** What a write stores besides the record: its events and its time. */
export interface Written {
  events: CloudEvent[];
  now: Date;
}

type StoreFields = 'version' | 'createdAt' | 'updatedAt' | keyof Sized | keyof Outboxed;

/** A new record without the fields that the store sets. */
export type Draft<T extends StoredRecord, S extends ScopeField> = T extends unknown
  ? Omit<T, StoreFields | S>
  : never;

/** A record as it was read. A write on it succeeds only while the record has this revision. */
export type Current = Pick<StoredRecord, '_id' | 'revision' | 'organizationId' | 'quotaBytes'>;

/** A collection and its properties. */
export interface RecordKind<T extends StoredRecord, S extends ScopeField> {
  collection: string;
  scope: S;
  quota: QuotaName;
  /** The condition that live records meet and tombstones do not. Choose one that the indexes serve. */
  live: Document;
  /** The fields whose size counts. Absent if records have no size worth counting. */
  longFields?: readonly (keyof T)[];
  /** The fields that reads omit besides the outbox. */
  omitted?: readonly string[];
}

/** Options of a read. */
export interface ReadOptions {
  projection?: Document;
  sort?: Document;
  skip?: number;
  limit?: number;
}

/** Options of an aggregation. */
export interface PipelineOptions extends Pick<AggregateOptions, 'hint'> {
  /** True if the condition itself excludes tombstones, for example to let one index cover the query. */
  excludesTombstones?: boolean;
}

/** One page of a list: after a cursor, or after a number of records. */
export interface Page extends ListSlice {
  skip: number;
}

/** Throws NOT_FOUND for null. */
export function orNotFound<T>(record: T | null): T {
  if (record === null) throw new AppError('NOT_FOUND');
  return record;
}

/**
 * A condition on texts that contain a folded text. Characters that are special in a pattern match themselves.
 */
export function containing(folded: string): Document {
  return { $regex: folded.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`) };
}

/** The size of a record that counts; null for kinds whose size does not. */
export function bytesOf<T extends StoredRecord, S extends ScopeField>(
  { longFields }: RecordKind<T, S>,
  record: Partial<T>,
): number | null {
  if (longFields === undefined) return null;
  return recordBytes(...longFields.map((field) => fieldBytes(record[field])));
}

import { RecordStore, type LimitsOf, type RecordKind } from '@gatehouse/service';
import type { Db } from 'mongodb';
import { BYTES_MAX } from '../limits/logic/byteBudget.js';
import type { RecordDocument, Sealed } from './documents.js';

/** The records of one collection, each in a project. */
export abstract class ProjectRecordStore<T extends RecordDocument> extends RecordStore<T, 'projectId'> {
  constructor(
    database: Db,
    limitsOf: LimitsOf,
    kind: Pick<RecordKind<T, 'projectId'>, 'collection' | 'quota' | 'longFields'>,
  ) {
    super(database, limitsOf, { ...kind, scope: 'projectId', live: { version: { $gte: 1 } } });
  }

  find(projectId: string, id: string): Promise<T | null> {
    return this.findByKey(projectId, id);
  }

  /** Throws NOT_FOUND. */
  get(projectId: string, id: string): Promise<T> {
    return this.getByKey(projectId, id);
  }

  listByIds(projectId: string, ids: readonly string[]): Promise<T[]> {
    return this.listByKeys(projectId, ids);
  }

  /**
   * Increments the revision of a record, so that a concurrent operation that has read it must read it again.
   * Returns false if the record does not exist.
   */
  async touch(projectId: string, id: string): Promise<boolean> {
    return (await this.touchOne(projectId, { _id: id }, { projection: { _id: 1 } })) !== null;
  }
}

/** Records that were read until there were too many of them, or too many bytes. */
export interface Part<T> {
  records: T[];
  /** Whether no record is missing. */
  isWhole: boolean;
}

/** What a record counts besides its content: about its size in memory without that. */
const RECORD_BYTES = 512;

/** The size of a record with this content. */
export function sizeOf(content: Sealed | null): number {
  const { shown = '', sealedSecrets = null } = content ?? {};
  return RECORD_BYTES + Buffer.byteLength(shown) + (sealedSecrets?.length ?? 0);
}

/** Reads records up to a number, and up to the bytes that are read for one request. */
export async function readPart<T>(
  records: AsyncIterable<T>,
  { limit = Infinity, bytesOf }: { limit?: number; bytesOf: (record: T) => number },
): Promise<Part<T>> {
  const found: T[] = [];
  let bytes = 0;
  for await (const record of records) {
    bytes += bytesOf(record);
    if (found.length >= limit || bytes > BYTES_MAX) return { records: found, isWhole: false };
    found.push(record);
  }
  return { records: found, isWhole: true };
}

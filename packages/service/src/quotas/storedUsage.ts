import type { IndexDescription } from 'mongodb';
import type { Stored } from '../mongo/platformCollection.js';
import type { ScopedCollection } from '../mongo/scopedCollection.js';
import type { Usage } from './ledger.js';
import type { UsageScope } from './quota.js';

/** The size of a document without its large fields. */
const RECORD_BYTES = 1024;
const BLOCK_BYTES = 1024;

/** A document that stores its size, so that an index can add up the usage of an organization. */
export interface Sized {
  /** In bytes. Absent on documents of an earlier version. */
  quotaBytes?: number;
}

/** The size of a large field in whole blocks, so that a small change does not update the index. */
export function fieldBytes(value: unknown): number {
  if (value === undefined || value === null) return 0;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return blockBytes(Buffer.byteLength(text));
}

export function blockBytes(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** The size of a document with large fields of these sizes. */
export function recordBytes(...fields: readonly number[]): number {
  return fields.reduce((sum, bytes) => sum + bytes, RECORD_BYTES);
}

const USAGE_INDEX = 'usage';

/** The index that covers the usage of an organization, and of a tenant if documents have a `tenantId`. */
export function usageIndex(...between: readonly string[]): IndexDescription {
  const fields = ['organizationId', ...between, 'quotaBytes'];
  return { name: USAGE_INDEX, key: Object.fromEntries(fields.map((field) => [field, 1])) };
}

/** Adds up the documents of an organization in a collection that has a `usageIndex`. */
export async function countStored<T extends Stored>(
  ofOrganization: ScopedCollection<T>,
  { organizationId, tenantId }: UsageScope,
): Promise<Usage> {
  const condition = typeof tenantId === 'string' ? { tenantId } : {};
  const bytes = { $sum: { $ifNull: ['$quotaBytes', RECORD_BYTES] } };
  const [found] = await ofOrganization.aggregate<Usage>(organizationId, condition, {
    stages: [{ $group: { _id: null, records: { $sum: 1 }, bytes } }],
    hint: USAGE_INDEX,
  });
  return { records: found?.records ?? 0, bytes: found?.bytes ?? 0 };
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Databases } from '@gatehouse/service';
import { decodeStored, findNewCollections, readStoredBytes } from '@gatehouse/testing';

const SETTLING_MS = 150;
/** The audit log stores rejections, and a rejected tenant user leaves a mark. Both are intended. */
const CHANGED_BY_REJECTIONS = ['auditEvents', 'auditHeads', 'tenantUserMarks'];

/** Everything that the platform keeps, by database: each document as text, under its collection. */
export type StoredDocuments = Record<string, string[]>;

/**
 * Reads every document of every service except those that rejections change; unsent events, tombstones and
 * stored responses are included.
 */
export async function readStoredDocuments(databases: Databases): Promise<StoredDocuments> {
  const stored: StoredDocuments = {};
  for (const [name, documents] of await readStoredBytes(databases, CHANGED_BY_REJECTIONS)) {
    stored[name] = documents.map((bytes) => JSON.stringify(decodeStored(bytes)));
  }
  return stored;
}

/** The same, once nothing is written any more: events are published and consumers have tidied up. */
export async function readSettledDocuments(databases: Databases): Promise<StoredDocuments> {
  let last = await readStoredDocuments(databases);
  for (;;) {
    await sleep(SETTLING_MS);
    const next = await readStoredDocuments(databases);
    const hasUnsent = Object.values(next).some((documents) =>
      documents.some((document) => document.includes('"outbox":[{')),
    );
    if (!hasUnsent && JSON.stringify(next) === JSON.stringify(last)) return next;
    last = next;
  }
}

/** The collections that were created since the first reading, which no reading includes. */
export function findUnreadCollections(databases: Databases): Promise<string[]> {
  return findNewCollections(databases, CHANGED_BY_REJECTIONS);
}

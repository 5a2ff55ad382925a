import { setTimeout as sleep } from 'node:timers/promises';
import { services } from '@gatehouse/contract';
import type { Databases } from '@gatehouse/service';

const DATABASES = [...Object.keys(services), 'events'];
const SETTLING_MS = 150;
/** Tells of refusals, on purpose. */
const AUDIT_LOG = ['auditEvents', 'auditHeads'];

/** Everything that the platform keeps, by collection: each document as text. */
export type StoredDocuments = Record<string, string[]>;

/** Reads every document of every service but for the audit log, unsent events, tombstones and kept answers included. */
export async function readStoredDocuments(databases: Databases): Promise<StoredDocuments> {
  const stored: StoredDocuments = {};
  for (const service of DATABASES) {
    const database = databases.of(service);
    const collections = await database.listCollections({}, { nameOnly: true }).toArray();
    for (const { name } of collections.filter((collection) => !AUDIT_LOG.includes(collection.name))) {
      const documents = await database.collection(name).find().sort({ _id: 1 }).toArray();
      stored[`${service}.${name}`] = documents.map((document) => JSON.stringify(document));
    }
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

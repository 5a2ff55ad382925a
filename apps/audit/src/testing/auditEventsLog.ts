import { randomBytes } from 'node:crypto';
import type { ChainReport, CloudEvent } from '@gatehouse/contract';
import { createSealer, newId, newKey, type Databases } from '@gatehouse/service';
import { verifyLogs } from '../operations/auditEventsVerify.js';
import { EntryAppender } from '../operations/entriesAppend.js';
import type { EntryDocument, HeadDocument } from '../store/entriesDocuments.js';
import { createEntryIndexes } from '../store/entriesIndexes.js';
import { createLogStores } from '../store/entriesStores.js';

/** An event of an organization, as the bus brings it. */
export function eventOf(organizationId: string, fields: Partial<CloudEvent> = {}): CloudEvent {
  return {
    specversion: '1.0',
    id: newKey(),
    source: '/gatehouse/access',
    type: 'management.dashboard.updated.v1',
    subject: newId('dashboard'),
    time: new Date().toISOString(),
    datacontenttype: 'application/json',
    organizationid: organizationId,
    projectid: 'p_1',
    requestid: newKey(),
    actorid: 'ou_1',
    actorkind: 'orgUser',
    tokenid: 'jti-1',
    data: { title: 'Sales', changes: { title: { from: 'a.b', to: '$where' } } },
    ...fields,
  };
}

/** The collections of the log, which a test reaches into as somebody would who has the database and no key. */
export function collectionsOf(database: ReturnType<Databases['of']>) {
  return {
    entries: database.collection<EntryDocument>('auditEvents'),
    heads: database.collection<HeadDocument>('auditHeads'),
  };
}

export function newKeys(): string {
  return randomBytes(32).toString('base64');
}

/** The audit log on a database, without a bus. */
export async function startTestLog(database: ReturnType<Databases['of']>, keys = newKeys()) {
  await createEntryIndexes(database);
  const stores = createLogStores(database);
  const sealer = createSealer(keys);
  const errors: unknown[] = [];
  const log = { error: (...said: unknown[]) => void errors.push(said) };
  const parts = { stores, sealer, log };
  return {
    ...collectionsOf(database),
    stores,
    sealer,
    /** What was logged as an error. */
    errors,
    /** As of another process. */
    newAppender: () => new EntryAppender(parts),
    async verify(organizationId?: string, using = sealer): Promise<ChainReport[]> {
      const reports: ChainReport[] = [];
      for await (const report of verifyLogs(stores, organizationId, { sealer: using })) reports.push(report);
      return reports;
    },
  };
}
export type TestLog = Awaited<ReturnType<typeof startTestLog>>;

/** Appends so many events to the log of a new organization, one after the other; gives its id. */
export async function fillLog(log: TestLog, count: number): Promise<string> {
  const organizationId = newId('organization');
  const appender = log.newAppender();
  for (let n = 0; n < count; n += 1) await appender.append(eventOf(organizationId));
  return organizationId;
}

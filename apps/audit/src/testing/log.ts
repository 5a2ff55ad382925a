import { randomBytes } from 'node:crypto';
import type { ChainReport, CloudEvent } from '@gatehouse/contract';
import { createSealer, newId, newKey, type Databases } from '@gatehouse/service';
import { EntryAppender } from '../log/appendEvents.js';
import type { EntryDocument } from '../log/store/documents.js';
import { createEntryIndexes } from '../log/store/entries.js';
import type { HeadDocument } from '../log/store/heads.js';
import { createLogStores } from '../log/store/openStores.js';
import { verifyLogs } from '../log/verifyLog.js';

/** An event of an organization, as the bus delivers it. */
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

/** The collections of the log, for tampering by an attacker with the database but without a key. */
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
  const log = { error: (...args: unknown[]) => void errors.push(args) };
  const parts = { stores, sealer, log };
  return {
    ...collectionsOf(database),
    stores,
    sealer,
    /** Arguments of logged errors. */
    errors,
    /** An appender like that of another process. */
    newAppender: () => new EntryAppender(parts),
    async verify(organizationId?: string, using = sealer): Promise<ChainReport[]> {
      const reports: ChainReport[] = [];
      for await (const report of verifyLogs(stores, organizationId, { sealer: using })) reports.push(report);
      return reports;
    },
  };
}
export type TestLog = Awaited<ReturnType<typeof startTestLog>>;

/** Appends `count` events sequentially to the log of a new organization; returns its id. */
export async function fillLog(log: TestLog, count: number): Promise<string> {
  const organizationId = newId('organization');
  const appender = log.newAppender();
  for (let n = 0; n < count; n += 1) await appender.append(eventOf(organizationId));
  return organizationId;
}

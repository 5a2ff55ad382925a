import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { newKey, type Databases } from '@gatehouse/service';
import type { Credentials } from '@gatehouse/standalone';
import { expect } from 'vitest';
import { createApi, succeeded, type Session } from './api.js';
import type { Settings } from './servers.js';
import { createWebhook } from './webhookRecords.js';

const WRITERS = 3;
export const CATCH_UP = { timeout: 120_000, interval: 250 };
/** A delivery that failed is tried again soon, and often enough for every fault here. */
export const RECEIVER_SETTINGS: Settings = {
  WEBHOOK_HOSTS: '127.0.0.1',
  WEBHOOK_RETRY_SECONDS: Array.from({ length: 30 }, () => '1').join(','),
  WEBHOOK_POLL_MS: '200',
  // What was being sent when its sender or the database died waits for twice as long.
  WEBHOOK_TIMEOUT_MS: '1000',
};

interface Recorded {
  _id: string;
  record: string;
  sequence: string;
}

/** Leaves time for what is under test: every event is recorded, logged and sent. */
const PAUSE_MS = 20;

interface Writing {
  /** Dashboards made so far. */
  made: number;
  isOver: boolean;
}

/** Creates, shares and renames until it is stopped. A rejected or interrupted request is not a fault here. */
async function write(openSession: () => Promise<Session>, writing: Writing): Promise<void> {
  let session: Session | null = null;
  while (!writing.isOver) {
    try {
      session ??= await openSession();
      const { dashboard } = succeeded(
        await session.post<{ dashboard: { id: string } }>('/dashboards', { title: 'Faults' }),
      );
      writing.made += 1;
      const path = `/dashboards/${dashboard.id}`;
      await session.post(`${path}/share`, { shares: [{ scope: 'all_org_users', role: 'VIEWER' }] });
      await session.patch(path, { title: newKey() });
    } catch {
      // The clock by which its token is judged may have been moved.
      session = null;
    }
    await sleep(PAUSE_MS);
  }
}

/** For each resource the number of events that its document has had, deleted ones left out. */
async function countEvents(databases: Databases): Promise<Map<string, number>> {
  const dashboards = databases.of('access').collection<{ _id: string; eventCount: number }>('dashboards');
  const found = await dashboards.find({}, { projection: { eventCount: 1 } }).toArray();
  return new Map(found.map(({ _id, eventCount }) => [_id, eventCount]));
}

async function listRecorded(databases: Databases): Promise<Recorded[]> {
  return databases.of('audit').collection<Recorded>('historyResources').find().toArray();
}

/** The resources of which the record does not hold every event exactly once. */
async function findFaults(databases: Databases): Promise<string[]> {
  const bySequence = new Map<string, string[]>();
  for (const { record, sequence } of await listRecorded(databases)) {
    bySequence.set(record, [...(bySequence.get(record) ?? []), sequence]);
  }
  const faults = [...(await countEvents(databases))].map(([id, count]) => {
    const found = (bySequence.get(id) ?? []).map(Number).toSorted((a, b) => a - b);
    const isWhole = found.length === count && found.every((sequence, index) => sequence === index + 1);
    return isWhole ? null : `${id} has had ${count} events; recorded are ${found.join(', ')}`;
  });
  return faults.filter((fault) => fault !== null);
}

/** The events about resources that the audit log does not hold, and those that it holds more than once. */
async function findUnlogged(databases: Databases): Promise<string[]> {
  const entries = await databases
    .of('audit')
    .collection<{ eventId: string }>('auditEvents')
    .find({}, { projection: { eventId: 1 } })
    .toArray();
  const counts = new Map<string, number>();
  for (const { eventId } of entries) counts.set(eventId, (counts.get(eventId) ?? 0) + 1);
  const twice = [...counts].filter(([, count]) => count > 1).map(([id]) => id);
  const recorded = await listRecorded(databases);
  return [...recorded.filter(({ _id }) => !counts.has(_id)).map(({ _id }) => _id), ...twice];
}

/** A receiver of webhooks, which knows an event by the id that every message names. */
async function startReceiver() {
  const ids = new Set<string>();
  const server = createServer((request, response) => {
    ids.add(String(request.headers['webhook-id']));
    request.resume().on('end', () => response.writeHead(204).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    /** Those of the events about resources that never came. */
    async findMissing(databases: Databases): Promise<string[]> {
      return (await listRecorded(databases)).map(({ _id }) => _id).filter((id) => !ids.has(id));
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What became of the events of a platform while something happened to it. */
export interface EventWatch {
  /**
   * Writes before, during and after a fault, until writing works again and each event is recorded, logged and
   * sent. The fault may be delayed until more is written. Returns the number of created dashboards.
   */
  writeDuring(fault: (writeMore: () => Promise<void>) => Promise<void>): Promise<number>;
  close(): Promise<void>;
}

/**
 * Collects the events of a platform that runs with {@link RECEIVER_SETTINGS}, from the store and from the
 * deliveries.
 */
export async function watchEvents(credentials: Credentials, databases: Databases): Promise<EventWatch> {
  const api = await createApi(credentials);
  const openSession = () => api.openSession({ orgUserId: credentials.adminOrgUserId });
  const receiver = await startReceiver();
  const eventTypes = ['management.dashboard.*.v1', 'management.dashboard_share.*.v1'];
  await createWebhook(api.admin, { url: receiver.url, eventTypes });
  return {
    async writeDuring(fault) {
      const writing = { made: 0, isOver: false };
      const writers = Array.from({ length: WRITERS }, () => write(openSession, writing));
      const writeMore = async () => {
        const before = writing.made;
        await expect.poll(() => writing.made, CATCH_UP).toBeGreaterThan(before + WRITERS);
      };
      await writeMore();
      await fault(writeMore);
      await writeMore();
      writing.isOver = true;
      await Promise.all(writers);
      await expect.poll(() => findFaults(databases), CATCH_UP).toEqual([]);
      await expect.poll(() => findUnlogged(databases), CATCH_UP).toEqual([]);
      await expect.poll(() => receiver.findMissing(databases), CATCH_UP).toEqual([]);
      return writing.made;
    },
    close: () => receiver.close(),
  };
}

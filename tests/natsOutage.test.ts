import { setTimeout as sleep } from 'node:timers/promises';
import type { CloudEvent, Dashboard } from '@gatehouse/contract';
import { connectNatsBus, createLog, newKey } from '@gatehouse/service';
import { startNats } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { createApi, type Session } from './src/api.js';
import { addOrgUser } from './src/people.js';
import { startTestMesh } from './src/servers.js';

const OUTAGE_MS = 30_000;
const WRITERS = 4;
const PAUSE_MS = 60;
/** Maximum delay of a revocation while the bus is down. */
const REVOCATION_MS = 5000;

/** Writes until it is stopped. Returns the request ids of its writes and every error status. */
async function writeUntil(session: Session, isOver: () => boolean) {
  const requestIds: string[] = [];
  const failures: number[] = [];
  const send = async (method: string, path: string, body: unknown) => {
    const requestId = newKey();
    const answer = await session.send<{ dashboard: Dashboard }>(method, path, {
      body,
      headers: { 'x-request-id': requestId },
    });
    if (answer.status >= 300) failures.push(answer.status);
    else requestIds.push(requestId);
    return answer;
  };
  while (!isOver()) {
    const { body } = await send('POST', '/dashboards', { title: 'during the outage' });
    await send('PATCH', `/dashboards/${body.dashboard.id}`, { title: 'renamed' });
    await send('POST', `/dashboards/${body.dashboard.id}/share`, {
      shares: [{ scope: 'all_org_users', role: 'VIEWER' }],
    });
    await sleep(PAUSE_MS);
  }
  return { requestIds, failures };
}

/** Milliseconds until the session is rejected. */
async function timeUntilRefused(session: Session): Promise<number> {
  const startedAt = performance.now();
  while ((await session.get('/dashboards')).status !== 401) {
    if (performance.now() - startedAt > 2 * REVOCATION_MS) return Number.POSITIVE_INFINITY;
    await sleep(50);
  }
  return performance.now() - startedAt;
}

describe('the mesh while NATS is stopped for 30 seconds under load', () => {
  it('fails no request, loses no event, and still revokes within 5 seconds', async () => {
    const nats = await startNats();
    await using mesh = await startTestMesh({ NATS_URL: nats.url });
    const api = await createApi(mesh.credentials);
    const leaver = await addOrgUser(api, 'AUTHOR');
    const revoked = await api.openSession({ orgUserId: leaver.id });
    expect((await leaver.session.get('/dashboards')).status).toBe(200);
    expect((await revoked.get('/dashboards')).status).toBe(200);

    const events = new Set<string | undefined>();
    const bus = await connectNatsBus({
      url: nats.url,
      name: 'outage-test',
      log: createLog('test', { LOG_LEVEL: 'silent' }),
    });
    const handle = async (event: CloudEvent) => void events.add(event.requestid);
    await bus.consume({ name: 'outage-test', types: ['management.*.*.v1'], handle });

    let isOver = false;
    const writers = Array.from({ length: WRITERS }, () => writeUntil(api.admin, () => isOver));
    await sleep(2000);
    await nats.stop();
    const stoppedAt = performance.now();

    await revoked.post('/api/v1/invalidate-token');
    expect(await timeUntilRefused(revoked)).toBeLessThan(REVOCATION_MS);
    await api.admin.put(`/org-users/${leaver.id}`, { isActive: false });
    expect(await timeUntilRefused(leaver.session)).toBeLessThan(REVOCATION_MS);

    await sleep(Math.max(0, OUTAGE_MS - (performance.now() - stoppedAt)));
    await using restarted = await startNats({ port: nats.port, storeDir: nats.storeDir });
    await sleep(2000);
    isOver = true;
    const outcomes = await Promise.all(writers);
    expect(outcomes.flatMap((outcome) => outcome.failures)).toEqual([]);
    const requestIds = outcomes.flatMap((outcome) => outcome.requestIds);
    expect(requestIds.length).toBeGreaterThan(500);
    const missing = () => requestIds.filter((id) => !events.has(id)).length;
    await expect.poll(missing, { message: restarted.url }).toBe(0);
    await bus.close();
  });
});

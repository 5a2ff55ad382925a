import { setTimeout as sleep } from 'node:timers/promises';
import type { Dashboard, Principal } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { ADMIN, startTestGateway, type TestGateway } from '../testing/testGateway.js';

const API = '/api/management/v1';

const { organizationId, projectId } = ADMIN;
const OF_TOKEN = { tokenId: 'jti-1', tokenExpiresAt: 4_000_000_000, organizationId, projectId };
const TENANT_USER: Principal = {
  ...OF_TOKEN,
  kind: 'tenantUser',
  tokenType: 'project',
  userId: 'tu_quiet',
  userKey: 'u:quiet',
  email: 'quiet@example.com',
  role: 'VIEWER',
  groupIds: [],
  tenantId: 'quiet',
  tenantKey: 't:quiet',
};

/** Requests of a tenant user, and of the bearers of a dashboard's token, for one dashboard. */
async function createCallers({ services, token, send }: TestGateway) {
  const created = await send(`${API}/dashboards`, { method: 'POST', json: { title: 'Sales' } });
  const { id } = ((await created.json()) as { dashboard: Dashboard }).dashboard;
  const bearer: Principal = { ...OF_TOKEN, kind: 'anonymous', tokenType: 'dashboard', dashboardId: id };
  services.principals.set(id, bearer).set('u:quiet', TENANT_USER);
  const ofDashboard = { sub: id, type: 'dashboard', dashboardId: id, orgUserId: undefined };
  const ofTenant = { sub: 'u:quiet', orgUserId: undefined, tenantUserId: 'tu_quiet', tenantId: 'quiet' };
  const readAs = (claims: Record<string, unknown>) => {
    const headers = { authorization: `Bearer ${token(claims)}` };
    return async () => (await send(`${API}/dashboards/${id}`, { headers })).status;
  };
  return { readWithToken: readAs(ofDashboard), readAsTenant: readAs(ofTenant) };
}

describe('bearers of a token of a dashboard without an identity', () => {
  it('leave a place in the queue of their organization to a tenant', async () => {
    const limits = { MAX_RUNNING_PER_ORGANIZATION: '1', MAX_IN_FLIGHT: '64' };
    await using gateway = await startTestGateway(limits);
    const { readWithToken, readAsTenant } = await createCallers(gateway);
    // A token that is not known yet is verified with the places of callers without one.
    expect([await readWithToken(), await readAsTenant()]).toEqual([200, 200]);
    let open = () => {};
    const opened = new Promise<void>((resolve) => (open = resolve));
    gateway.services.beforeGet = () => opened;
    const outcomes: number[] = [];
    const flood = Array.from({ length: 20 }, async () => outcomes.push(await readWithToken()));
    const decided = async (count: number) => {
      while ((await gateway.countInFlight()) + outcomes.length < count) await sleep(5);
    };
    await decided(flood.length);
    const quiet = readAsTenant();
    quiet.then(
      (status) => outcomes.push(status),
      () => {},
    );
    await decided(flood.length + 1);
    open();
    expect(await quiet).toBe(200);
    await Promise.all(flood);
    // One runs, as many wait as a quarter of the queue of eight, and then the tenant is served.
    expect(outcomes.filter((status) => status === 200)).toHaveLength(4);
    expect(new Set(outcomes)).toEqual(new Set([200, 429]));
  });
});

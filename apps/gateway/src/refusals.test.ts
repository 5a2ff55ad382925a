import { EVENT_CATALOGUE, type CloudEvent, type Principal } from '@gatehouse/contract';
import {
  connectNatsBus,
  createInProcessBus,
  createLog,
  createRefusals,
  readConfig,
  type EventBus,
  type Refusal,
  type RefusalsOptions,
} from '@gatehouse/service';
import { startNats } from '@gatehouse/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ADMIN, startTestGateway, type TestGateway } from './testing/testGateway.js';

const TYPE = 'management.request.refused.v1';
const silent = createLog('gateway', readConfig({ LOG_LEVEL: 'silent' }));

function refusalOf(changes: Partial<Refusal> = {}): Refusal {
  return {
    bearer: {
      organizationId: 'o_1',
      projectId: 'p_1',
      tokenId: 'jti-1',
      actorId: 'ou_1',
      actorKind: 'orgUser',
    },
    requestId: 'request-1',
    operation: 'updateDashboard',
    status: 403,
    code: 'FORBIDDEN',
    resourceId: 'd_1',
    ...changes,
  };
}

const dataOf = ({ data }: CloudEvent) => EVENT_CATALOGUE[TYPE].parse(data);
const countOf = (events: readonly CloudEvent[]) =>
  events.reduce((sum, event) => sum + dataOf(event).count, 0);

/** Creates refusals on an in-process bus with a settable clock, and collects the published events. */
async function startRefusals(options: Partial<RefusalsOptions> = {}) {
  const bus = createInProcessBus({ log: silent, onDeadLetter: async () => {} });
  const published: CloudEvent[] = [];
  await bus.watch([TYPE], (event) => published.push(event));
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
  const warnings: unknown[] = [];
  const log = { warn: (...args: unknown[]) => void warnings.push(args) };
  const refusals = createRefusals({
    service: 'gateway',
    bus,
    log,
    now: () => clock.now,
    flushMs: 5,
    ...options,
  });
  return { refusals, published, clock, warnings, bus };
}

describe('refusals', () => {
  it('are published with the caller, the operation and the resource', async () => {
    const { refusals, published } = await startRefusals();
    refusals.note(refusalOf());
    await expect.poll(() => published).toHaveLength(1);
    expect(published[0]).toMatchObject({
      type: TYPE,
      source: '/gatehouse/gateway',
      subject: 'd_1',
      time: '2026-01-01T00:00:00.000Z',
      organizationid: 'o_1',
      projectid: 'p_1',
      actorid: 'ou_1',
      actorkind: 'orgUser',
      tokenid: 'jti-1',
      requestid: 'request-1',
      data: { operation: 'updateDashboard', status: 403, code: 'FORBIDDEN', resourceId: 'd_1', count: 1 },
    });
    await refusals.stop(1000);
  });

  it('have no resource if the path does not contain a valid id', async () => {
    const { refusals, published } = await startRefusals();
    for (const resourceId of [null, '', '%2e%2e', 'x'.repeat(65), '<b>'])
      refusals.note(refusalOf({ resourceId }));
    await refusals.stop(1000);
    expect(published.map((event) => [event.subject, dataOf(event).resourceId])).toEqual(
      Array.from({ length: 5 }, () => ['updateDashboard', null]),
    );
  });

  it('of the same token, operation and code are published ten times a minute, then counted', async () => {
    const { refusals, published, clock } = await startRefusals();
    for (let n = 0; n < 500; n += 1) refusals.note(refusalOf({ requestId: `r-${n}` }));
    await expect.poll(() => published).toHaveLength(10);
    clock.now += 60_000;
    await expect.poll(() => published).toHaveLength(11);
    expect(published.map((event) => dataOf(event).count)).toEqual([
      ...Array.from({ length: 10 }, () => 1),
      490,
    ]);
    expect(published[10]).toMatchObject({ requestid: 'r-499', data: { resourceId: null } });
    refusals.note(refusalOf());
    await refusals.stop(1000);
    expect(countOf(published)).toBe(501);
  });

  it('of other tokens, operations and codes are published separately', async () => {
    const { refusals, published } = await startRefusals();
    const { bearer } = refusalOf();
    for (let n = 0; n < 20; n += 1) {
      refusals.note(refusalOf());
      refusals.note(refusalOf({ bearer: { ...bearer, tokenId: 'jti-2' } }));
      refusals.note(refusalOf({ operation: 'deleteDashboard' }));
      refusals.note(refusalOf({ code: 'UNAUTHENTICATED', status: 401 }));
    }
    await refusals.stop(1000);
    expect(published.filter((event) => dataOf(event).count === 1)).toHaveLength(40);
    expect(countOf(published)).toBe(80);
  });

  it('keep a correct count in bounded memory, in any order of a flood of tokens', async () => {
    const { refusals, published } = await startRefusals({ bufferMax: 100_000 });
    const { bearer } = refusalOf();
    for (let n = 0; n < 12_000; n += 1)
      for (let again = 0; again < 2; again += 1)
        refusals.note(refusalOf({ bearer: { ...bearer, tokenId: `jti-${n % 11_000}` } }));
    await refusals.stop(20_000);
    expect(countOf(published)).toBe(24_000);
  });

  it('that exceed the buffer are counted, and the number of lost ones is logged', async () => {
    const { refusals, published, warnings } = await startRefusals({ bufferMax: 5, flushMs: 60_000 });
    for (let n = 0; n < 8; n += 1) refusals.note(refusalOf());
    await refusals.stop(1000);
    expect(published).toHaveLength(5);
    expect(warnings).toEqual([[{ lost: 3 }, expect.any(String)]]);
  });

  it('wait while the bus is down, and are published exactly once afterwards', async () => {
    const first = await startNats();
    const { port, url } = first;
    await first.stop();
    const bus = await connectNatsBus({ url, name: 'refusals', log: silent });
    const refusals = createRefusals({ service: 'gateway', bus, log: silent });
    for (let n = 0; n < 300; n += 1) refusals.note(refusalOf({ operation: `operation${n}` }));
    const nats = await startNats({ port });
    const reader: EventBus = await connectNatsBus({ url, name: 'reader', log: silent });
    const seen: CloudEvent[] = [];
    await reader.consume({ name: 'reader', types: [TYPE], handle: async (event) => void seen.push(event) });
    await expect.poll(() => seen.length).toBe(300);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(300);
    await refusals.stop(1000);
    await Promise.all([bus.close(), reader.close()]);
    await nats[Symbol.asyncDispose]();
  });

  it('do not delay a stop while the bus is down', async () => {
    const first = await startNats();
    await first[Symbol.asyncDispose]();
    const bus = await connectNatsBus({ url: first.url, name: 'refusals', log: silent });
    const warnings: unknown[] = [];
    const refusals = createRefusals({
      service: 'gateway',
      bus,
      log: { warn: (...args: unknown[]) => void warnings.push(args) },
    });
    refusals.note(refusalOf());
    await refusals.stop(5000);
    expect(warnings.at(-1)).toEqual([{ left: 1 }, expect.any(String)]);
    await bus.close();
  });
});

describe('a gateway', () => {
  let gateway: TestGateway;
  const published: CloudEvent[] = [];
  beforeAll(async () => {
    gateway = await startTestGateway();
    await gateway.bus.watch([TYPE], (event) => published.push(event));
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  /** Sends a request with a token of its own. Resolves to its status and the published events. */
  async function send(
    path: string,
    claims: Record<string, unknown>,
    init: RequestInit & { json?: unknown } = {},
  ) {
    const requestId = `request-${Math.random()}`;
    const headers = { Authorization: `Bearer ${gateway.token(claims)}`, 'X-Request-Id': requestId };
    const response = await gateway.send(path, { ...init, headers });
    // Events are published in order, so the marker comes after the events of the request.
    const marker = `request-${Math.random()}`;
    const expired = gateway.token({ jti: marker, exp: 1_000_000_000 + Math.floor(Math.random() * 1000) });
    await gateway.send(DASHBOARDS, {
      headers: { Authorization: `Bearer ${expired}`, 'X-Request-Id': marker },
    });
    await expect.poll(() => published.some(({ requestid }) => requestid === marker)).toBe(true);
    const events = published.filter(({ requestid }) => requestid === requestId);
    return { status: response.status, events };
  }

  const DASHBOARDS = '/api/management/v1/dashboards';
  const own = (jti: string, principal: Partial<Principal> = {}) => {
    const userKey = `u:${jti}`;
    const known = { ...ADMIN, tokenId: jti, userKey, ...principal } as Principal;
    gateway.services.principals.set(userKey, known);
    return { jti, sub: userKey };
  };

  it('publishes a request that a service rejects with FORBIDDEN', async () => {
    const { status, events } = await send(DASHBOARDS, own('a'), {
      method: 'POST',
      json: { title: 'rejected' },
    });
    expect(status).toBe(403);
    expect(events).toMatchObject([
      {
        actorid: 'ou_admin',
        tokenid: 'a',
        subject: 'createDashboard',
        data: { operation: 'createDashboard', status: 403, code: 'FORBIDDEN', resourceId: null },
      },
    ]);
  });

  it('publishes the use of a token outside its scope, with the resource', async () => {
    const bearer = own('b', { tokenType: 'dashboard', dashboardId: 'd_1' });
    const { status, events } = await send(`${DASHBOARDS}/d_2`, bearer, { method: 'DELETE' });
    expect(status).toBe(403);
    expect(events).toMatchObject([
      { subject: 'd_2', data: { operation: 'deleteDashboard', resourceId: 'd_2' } },
    ]);
  });

  it('publishes the use of a token whose bearer no longer exists', async () => {
    const { status, events } = await send(`${DASHBOARDS}/d_1`, { jti: 'c', sub: 'u:deleted' });
    expect(status).toBe(401);
    expect(events).toMatchObject([
      {
        organizationid: 'o_1',
        projectid: 'p_1',
        actorid: 'ou_admin',
        actorkind: 'orgUser',
        tokenid: 'c',
        data: { operation: 'getDashboard', status: 401, code: 'UNAUTHENTICATED', resourceId: 'd_1' },
      },
    ]);
  });

  it('publishes the use of an expired token', async () => {
    const { status, events } = await send(DASHBOARDS, { jti: 'd', exp: 1_700_000_000 });
    expect({ status, events }).toMatchObject({
      status: 401,
      events: [{ tokenid: 'd', data: { status: 401 } }],
    });
  });

  it('publishes the kind of the caller: tenant user, service or anonymous viewer', async () => {
    const deleted = { sub: 'u:deleted', orgUserId: undefined };
    const tenantUser = await send(DASHBOARDS, {
      ...deleted,
      jti: 'e',
      tenantUserId: 'tu_1',
      tenantId: 't_1',
    });
    expect(tenantUser.events).toMatchObject([{ actorid: 'tu_1', actorkind: 'tenantUser' }]);
    const service = await send(DASHBOARDS, { ...deleted, jti: 'f' });
    expect(service.events).toMatchObject([{ actorid: 'p_1', actorkind: 'service' }]);
    const viewer = await send(DASHBOARDS, { ...deleted, jti: 'g', type: 'dashboard', dashboardId: 'd_1' });
    expect(viewer.events).toMatchObject([{ actorid: 'p_1', actorkind: 'anonymous' }]);
  });

  it('does not publish requests that succeed or fail with 404 or 400', async () => {
    expect(await send(DASHBOARDS, own('h'))).toEqual({ status: 200, events: [] });
    expect(await send(`${DASHBOARDS}/d_none`, own('i'))).toEqual({ status: 404, events: [] });
    expect(await send(`${DASHBOARDS}?nothing=1`, own('j'))).toEqual({ status: 400, events: [] });
  });

  it('does not publish tokens with a foreign signature, issuer, audience or organization', async () => {
    const { events: issuer } = await send(DASHBOARDS, { jti: 'k', iss: 'other-issuer' });
    const { events: audience } = await send(DASHBOARDS, {
      jti: 'l',
      aud: 'other-audience',
      exp: 1_700_000_000,
    });
    const { events: organization } = await send(DASHBOARDS, {
      jti: 'm',
      organizationId: '$',
      exp: 1_700_000_000,
    });
    expect([issuer, audience, organization]).toEqual([[], [], []]);
    const before = published.length;
    const [head = '', claims = ''] = gateway.token({ jti: 'n', exp: 1_700_000_000 }).split('.');
    const forged = `${head}.${claims}.${Buffer.alloc(64).toString('base64url')}`;
    const response = await gateway.send(DASHBOARDS, { headers: { Authorization: `Bearer ${forged}` } });
    expect(response.status).toBe(401);
    await send(DASHBOARDS, own('o'));
    expect(published.slice(before).filter(({ tokenid }) => tokenid === 'n')).toEqual([]);
  });

  it('returns the same body for an expired token and an invalid one', async () => {
    const expired = await gateway.send(DASHBOARDS, {
      headers: { Authorization: `Bearer ${gateway.token({ exp: 1_700_000_000 })}`, 'X-Request-Id': 'same' },
    });
    const invalid = await gateway.send(DASHBOARDS, {
      headers: { Authorization: 'Bearer not.a.token', 'X-Request-Id': 'same' },
    });
    expect(await expired.text()).toBe(await invalid.text());
    expect(expired.status).toBe(invalid.status);
  });
});

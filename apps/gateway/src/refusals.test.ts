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

/** Refusals on a bus in process, whose clock the test sets, and what was published of them. */
async function startRefusals(options: Partial<RefusalsOptions> = {}) {
  const bus = createInProcessBus({ log: silent, onDeadLetter: async () => {} });
  const published: CloudEvent[] = [];
  await bus.watch([TYPE], (event) => published.push(event));
  const clock = { now: Date.parse('2026-01-01T00:00:00Z') };
  const warnings: unknown[] = [];
  const log = { warn: (...said: unknown[]) => void warnings.push(said) };
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
  it('are published with who was refused what, and where', async () => {
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

  it('name no resource where the path holds what is no id', async () => {
    const { refusals, published } = await startRefusals();
    for (const resourceId of [null, '', '%2e%2e', 'x'.repeat(65), '<b>'])
      refusals.note(refusalOf({ resourceId }));
    await refusals.stop(1000);
    expect(published.map((event) => [event.subject, dataOf(event).resourceId])).toEqual(
      Array.from({ length: 5 }, () => ['updateDashboard', null]),
    );
  });

  it('of the same token, operation and code are told of ten times a minute, and then by their number', async () => {
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

  it('of other tokens, operations and codes are told of beside them', async () => {
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

  it('stay countable in whatever order a flood of tokens comes, in bounded memory', async () => {
    const { refusals, published } = await startRefusals({ bufferMax: 100_000 });
    const { bearer } = refusalOf();
    for (let n = 0; n < 12_000; n += 1)
      for (let again = 0; again < 2; again += 1)
        refusals.note(refusalOf({ bearer: { ...bearer, tokenId: `jti-${n % 11_000}` } }));
    await refusals.stop(20_000);
    expect(countOf(published)).toBe(24_000);
  });

  it('that do not fit are counted, and it is said how many were lost', async () => {
    const { refusals, published, warnings } = await startRefusals({ bufferMax: 5, flushMs: 60_000 });
    for (let n = 0; n < 8; n += 1) refusals.note(refusalOf());
    await refusals.stop(1000);
    expect(published).toHaveLength(5);
    expect(warnings).toEqual([[{ lost: 3 }, expect.any(String)]]);
  });

  it('wait while the bus is down, and are published once each when it is back', async () => {
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
    await expect.poll(() => seen.length, { timeout: 20_000 }).toBe(300);
    expect(new Set(seen.map(({ id }) => id)).size).toBe(300);
    await refusals.stop(1000);
    await Promise.all([bus.close(), reader.close()]);
    await nats[Symbol.asyncDispose]();
  });

  it('do not hold up a stop when the bus stays down', async () => {
    const first = await startNats();
    await first[Symbol.asyncDispose]();
    const bus = await connectNatsBus({ url: first.url, name: 'refusals', log: silent });
    const warnings: unknown[] = [];
    const refusals = createRefusals({
      service: 'gateway',
      bus,
      log: { warn: (...said: unknown[]) => void warnings.push(said) },
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

  /** Sends a request by a bearer of its own, and gives what was published of it. */
  async function send(
    path: string,
    claims: Record<string, unknown>,
    init: RequestInit & { json?: unknown } = {},
  ) {
    const requestId = `request-${Math.random()}`;
    const headers = { Authorization: `Bearer ${gateway.token(claims)}`, 'X-Request-Id': requestId };
    const answer = await gateway.send(path, { ...init, headers });
    // Told of after all that came before it.
    const marker = `request-${Math.random()}`;
    const ended = gateway.token({ jti: marker, exp: 1_000_000_000 + Math.floor(Math.random() * 1000) });
    await gateway.send(DASHBOARDS, { headers: { Authorization: `Bearer ${ended}`, 'X-Request-Id': marker } });
    await expect.poll(() => published.some(({ requestid }) => requestid === marker)).toBe(true);
    const told = published.filter(({ requestid }) => requestid === requestId);
    return { status: answer.status, told };
  }

  const DASHBOARDS = '/api/management/v1/dashboards';
  const own = (jti: string, principal: Partial<Principal> = {}) => {
    const userKey = `u:${jti}`;
    const known = { ...ADMIN, tokenId: jti, userKey, ...principal } as Principal;
    gateway.services.principals.set(userKey, known);
    return { jti, sub: userKey };
  };

  it('tells of what a service forbids', async () => {
    const { status, told } = await send(DASHBOARDS, own('a'), { method: 'POST', json: { title: 'refused' } });
    expect(status).toBe(403);
    expect(told).toMatchObject([
      {
        actorid: 'ou_admin',
        tokenid: 'a',
        subject: 'createDashboard',
        data: { operation: 'createDashboard', status: 403, code: 'FORBIDDEN', resourceId: null },
      },
    ]);
  });

  it('tells of a token that does not reach so far, and of the resource', async () => {
    const bearer = own('b', { tokenType: 'dashboard', dashboardId: 'd_1' });
    const { status, told } = await send(`${DASHBOARDS}/d_2`, bearer, { method: 'DELETE' });
    expect(status).toBe(403);
    expect(told).toMatchObject([
      { subject: 'd_2', data: { operation: 'deleteDashboard', resourceId: 'd_2' } },
    ]);
  });

  it('tells of a token whose bearer is nobody any more', async () => {
    const { status, told } = await send(`${DASHBOARDS}/d_1`, { jti: 'c', sub: 'u:gone' });
    expect(status).toBe(401);
    expect(told).toMatchObject([
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

  it('tells of a token that has ended, whether it was seen before or not', async () => {
    const { status, told } = await send(DASHBOARDS, { jti: 'd', exp: 1_700_000_000 });
    expect({ status, told }).toMatchObject({ status: 401, told: [{ tokenid: 'd', data: { status: 401 } }] });
  });

  it('names a tenant user, a project and an anonymous viewer as what they are', async () => {
    const nobody = { sub: 'u:gone', orgUserId: undefined };
    const tenantUser = await send(DASHBOARDS, { ...nobody, jti: 'e', tenantUserId: 'tu_1', tenantId: 't_1' });
    expect(tenantUser.told).toMatchObject([{ actorid: 'tu_1', actorkind: 'tenantUser' }]);
    const service = await send(DASHBOARDS, { ...nobody, jti: 'f' });
    expect(service.told).toMatchObject([{ actorid: 'p_1', actorkind: 'service' }]);
    const viewer = await send(DASHBOARDS, { ...nobody, jti: 'g', type: 'dashboard', dashboardId: 'd_1' });
    expect(viewer.told).toMatchObject([{ actorid: 'p_1', actorkind: 'anonymous' }]);
  });

  it('tells of nothing that was allowed, not there or not valid', async () => {
    expect(await send(DASHBOARDS, own('h'))).toEqual({ status: 200, told: [] });
    expect(await send(`${DASHBOARDS}/d_none`, own('i'))).toEqual({ status: 404, told: [] });
    expect(await send(`${DASHBOARDS}?nothing=1`, own('j'))).toEqual({ status: 400, told: [] });
  });

  it('tells of no token that somebody else has signed, or that is for somebody else', async () => {
    const { told: others } = await send(DASHBOARDS, { jti: 'k', iss: 'somebody' });
    const { told: foreign } = await send(DASHBOARDS, { jti: 'l', aud: 'another', exp: 1_700_000_000 });
    const { told: odd } = await send(DASHBOARDS, { jti: 'm', organizationId: '$', exp: 1_700_000_000 });
    expect([others, foreign, odd]).toEqual([[], [], []]);
    const before = published.length;
    const [head = '', claims = ''] = gateway.token({ jti: 'n', exp: 1_700_000_000 }).split('.');
    const forged = `${head}.${claims}.${Buffer.alloc(64).toString('base64url')}`;
    const answer = await gateway.send(DASHBOARDS, { headers: { Authorization: `Bearer ${forged}` } });
    expect(answer.status).toBe(401);
    await send(DASHBOARDS, own('o'));
    expect(published.slice(before).filter(({ tokenid }) => tokenid === 'n')).toEqual([]);
  });

  it('answers a refusal in the same words as ever', async () => {
    const ended = await gateway.send(DASHBOARDS, {
      headers: { Authorization: `Bearer ${gateway.token({ exp: 1_700_000_000 })}`, 'X-Request-Id': 'same' },
    });
    const wrong = await gateway.send(DASHBOARDS, {
      headers: { Authorization: 'Bearer not.a.token', 'X-Request-Id': 'same' },
    });
    expect(await ended.text()).toBe(await wrong.text());
    expect(ended.status).toBe(wrong.status);
  });
});

import type { OperationId } from '@gatehouse/client';
import { findProcedure, ID_PREFIXES, routes, WITHOUT_DRY_RUN, type Route } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { succeeded, type Answer } from './src/api.js';
import { readErrorBody } from './src/errorBodies.js';
import { startObserved, type ObservedServer } from './src/observedServer.js';
import { forms } from './src/servers.js';
import { refusals, specimens } from './src/statusCases/allCases.js';
import { AnswerLog } from './src/statusCases/answerLog.js';
import { makeStatusWorld, type RouteRequest, type World } from './src/statusCases/statusCase.js';
import { VERSION_CONTROL_SETTINGS } from './src/statusCases/versionControlCases.js';
import { rowsOf } from './src/turns.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const operationOf = ({ operationId }: Route) => operationId as OperationId;
const changes = routes.filter(({ procedure }) => findProcedure(procedure).changes);
const hasDryRun = ({ options }: Route) => options.includes('validateOnly');

const asDryRun = (request: RouteRequest): RouteRequest => ({
  ...request,
  query: { ...request.query, validateOnly: 'true' },
});

const PLACEHOLDERS = [
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>'],
  [new RegExp(String.raw`(${Object.values(ID_PREFIXES).join('|')})[\w-]{16}(?=")`, 'g'), '<id>'],
  [/(whsec_[\w+/]{43}=|[\w-]{43})(?=")/g, '<secret>'],
] as const;

/** A response without what each run assigns: ids, times and secrets. */
function comparable(body: unknown): unknown {
  const text = PLACEHOLDERS.reduce((part, [form, name]) => part.replaceAll(form, name), JSON.stringify(body));
  return JSON.parse(text);
}

describe('the table of changes without a dry run', () => {
  it('has no entry for another operation, and none for one that has the option', () => {
    const procedures = new Set<string>(routes.map(({ procedure }) => procedure));
    // It is a part of another change, which the option reaches.
    procedures.add('lifecycle.versionControl.commit');
    expect(Object.keys(WITHOUT_DRY_RUN).filter((name) => !procedures.has(name))).toEqual([]);
    expect(changes.filter((route) => hasDryRun(route) === route.procedure in WITHOUT_DRY_RUN)).toEqual([]);
    expect(routes.filter((route) => hasDryRun(route) && !changes.includes(route))).toEqual([]);
  });
});

describe.each(forms)('validateOnly ($form)', ({ form, start }) => {
  const own = rowsOf(form, changes);
  const dryRows = own.filter(hasDryRun).map((route) => [route.operationId, route] as const);
  const others = own.filter((route) => !hasDryRun(route)).map((route) => [route.operationId, route] as const);
  let observed: ObservedServer;
  let world: World;
  let log: AnswerLog;

  beforeAll(async () => {
    observed = await startObserved(start, {
      REQUEST_TIMEOUT_MS: '30000',
      ...WEBHOOK_SETTINGS,
      ...VERSION_CONTROL_SETTINGS,
    });
    log = new AnswerLog(() => observed.baseUrl);
    world = await makeStatusWorld(observed.api, observed.adminId);
    // Its preparation has the platform create the last of its collections.
    await specimens.restoreDashboardVersion(world);
    const { databases } = observed;
    const settings = databases.of('access').collection('commitSettings');
    await vi.waitUntil(async () => (await settings.countDocuments()) > 0, { timeout: 120_000 });
  });
  afterAll(() => observed[Symbol.asyncDispose]());

  /** The numbers of audit entries and idempotency keys, which `findChanges` leaves out. */
  async function countRecords() {
    const count = (database: string, name: string) =>
      observed.databases.of(database).collection(name).countDocuments();
    return [await count('audit', 'auditEvents'), await count('directory', 'idempotency')];
  }

  async function observe<T>(work: () => Promise<T>): Promise<{ result: T; changes: string[] }> {
    const settled = await observed.readSettled();
    const counts = await countRecords();
    const result = await work();
    const found = await observed.findChanges(settled);
    expect(await countRecords()).toEqual(counts);
    return { result, changes: found };
  }

  it.each(dryRows)('of %s changes nothing, and responds as the change', async (_, route) => {
    const request = await specimens[operationOf(route)](world);
    const dry = await observe(() => log.send(route, asDryRun(request)));
    expect(dry.changes).toEqual([]);
    const real = await log.send(route, request);
    expect({ status: dry.result.status, body: comparable(dry.result.body) }).toEqual({
      status: route.success,
      body: comparable(real.body),
    });
    expect(real.status).toBe(route.success);
    expect([...dry.result.headers.keys()].filter((name) => ['etag', 'location'].includes(name))).toEqual([]);
  });

  it.each(dryRows)('of %s is rejected for the same reasons', async (_, route) => {
    const cases = refusals[operationOf(route)] ?? [];
    const requests: RouteRequest[] = [];
    for (const [, , prepare] of cases) requests.push(await prepare(world));
    const settled = await observed.readSettled();
    const dryRuns: Answer[] = [];
    for (const request of requests) dryRuns.push(await log.send(route, asDryRun(request)));
    // Once for all of them: a look into all collections takes longer than a request.
    expect(await observed.findChanges(settled)).toEqual([]);
    const real: Answer[] = [];
    for (const request of requests) real.push(await log.send(route, request));
    for (const [index, [code, because, , field]] of cases.entries()) {
      const [found, expected] = [dryRuns, real].map((answers) => {
        const { status, body } = answers[index] as Answer;
        const { requestId: _id, ...rest } = readErrorBody(route.area, body);
        return { because, status, rest };
      });
      expect(found).toEqual(expected);
      expect(found?.rest.code).toBe(code);
      expect(found?.rest.fields).toEqual(expect.arrayContaining(field === undefined ? [] : [field]));
    }
  });

  it.each(others)('is rejected by %s', async (_, route) => {
    const request = await specimens[operationOf(route)](world);
    const { result, changes: found } = await observe(() => log.send(route, asDryRun(request)));
    expect(found).toEqual([]);
    expect(result.status).toBe(400);
    expect(readErrorBody(route.area, result.body).fields).toEqual(['validateOnly']);
  });

  const TENANTS = '/tenants';

  it.each([
    ['in another case', '?validateOnly=TRUE'],
    ['that is a number', '?validateOnly=1'],
    ['that is empty', '?validateOnly='],
    ['that is given twice', '?validateOnly=true&validateOnly=false'],
    ['that is given twice, encoded', '?validateOnly=true&validate%4Fnly=true'],
    ['that is in another case itself', '?validateonly=true'],
  ])('rejects a value %s, and creates nothing', async (_, query) => {
    const { result, changes: found } = await observe(() =>
      world.admin.post(TENANTS + query, { name: `Dry ${query}` }),
    );
    expect([result.status, found]).toEqual([400, []]);
  });

  it('is no field of a body', async () => {
    const { result, changes: found } = await observe(() =>
      world.admin.post(TENANTS, { name: 'Dry body', validateOnly: true }),
    );
    expect([result.status, found]).toEqual([400, []]);
  });

  it('with false makes the change', async () => {
    succeeded(await world.admin.post(`${TENANTS}?validateOnly=false`, { name: 'Dry false' }));
    expect((await world.admin.post(TENANTS, { name: 'Dry false' })).status).toBe(409);
  });

  it('leaves its idempotency key unused, and is never the response of the change', async () => {
    const headers = { 'idempotency-key': `dry-${form}` };
    const body = { name: `Dry key ${form}` };
    const dry = await observe(() => world.admin.post(`${TENANTS}?validateOnly=true`, body, headers));
    expect([dry.result.status, dry.changes]).toEqual([201, []]);
    expect(dry.result.headers.has('idempotency-replayed')).toBe(false);
    const real = await world.admin.post<{ tenant: { id: string } }>(TENANTS, body, headers);
    expect(real.headers.has('idempotency-replayed')).toBe(false);
    const { tenant } = succeeded(real);
    succeeded(await world.admin.get(`${TENANTS}/${tenant.id}`));
    // The name is taken now. The stored response of the change is not the one of the dry run.
    const later = await world.admin.post(`${TENANTS}?validateOnly=true`, body, headers);
    expect(later.status).toBe(409);
    const repeated = await world.admin.post<{ tenant: { id: string } }>(TENANTS, body, headers);
    expect(repeated.headers.get('idempotency-replayed')).toBe('true');
    expect(succeeded(repeated).tenant.id).toBe(tenant.id);
    const malformed = { 'idempotency-key': 'x'.repeat(256) };
    expect((await world.admin.post(`${TENANTS}?validateOnly=true`, { name: 'X' }, malformed)).status).toBe(
      400,
    );
  });

  it('checks If-Match', async () => {
    const { tenant } = succeeded(
      await world.admin.post<{ tenant: { id: string } }>(TENANTS, { name: `Dry match ${form}` }),
    );
    const place = `${TENANTS}/${tenant.id}`;
    const etag = (await world.admin.get(place)).headers.get('etag') ?? '';
    const dry = (match: string) =>
      world.admin.patch(`${place}?validateOnly=true`, { name: 'Dry other' }, { 'if-match': match });
    expect((await dry('"none"')).status).toBe(412);
    expect((await dry(etag)).status).toBe(200);
    // The record has not changed, so its tag is still current.
    expect((await dry(etag)).status).toBe(200);
  });

  it('creates no secret: that of its response opens nothing, and the former one stays valid', async () => {
    const { project } = succeeded(
      await world.admin.post<{ project: { id: string; projectSecret: string } }>('/projects', {
        name: `Dry secret ${form}`,
      }),
    );
    const place = `/projects/${project.id}/rotate-secret?validateOnly=true`;
    const dry = succeeded(await world.admin.post<{ project: Record<string, string> }>(place, {}));
    const secretOf = (found: Record<string, string>) =>
      Object.entries(found).find(([name]) => name.toLowerCase().includes('secret'))?.[1];
    const [former, shown] = [secretOf(project), secretOf(dry.project)];
    expect(shown).not.toBe(former);
    const tokenFor = (projectSecret: unknown) =>
      observed.api.requestToken({ projectId: project.id, projectSecret });
    expect((await tokenFor(shown)).status).toBe(401);
    succeeded(await tokenFor(former));
  });
});

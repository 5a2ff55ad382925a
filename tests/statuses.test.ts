import type { OperationId } from '@gatehouse/client';
import {
  COMMON_ERRORS,
  ERROR_MESSAGE,
  ERROR_STATUS,
  findProcedure,
  findRecordRoute,
  hasEntityTag,
  pagedAnswerOf,
  recordPathOf,
  routes,
  type ErrorCode,
  type Route,
} from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Session } from './src/api.js';
import { faultsOfBody, readErrorBody } from './src/errorBodies.js';
import { startObserved, type ObservedServer } from './src/observedServer.js';
import type { StoredBytes } from '@gatehouse/testing';
import { HELD_PLACE_SETTINGS, holdPlaces, type HeldPlaces } from './src/heldPlaces.js';
import { forms } from './src/servers.js';
import { failures, refusals, specimens } from './src/statusCases/allCases.js';
import { AnswerLog } from './src/statusCases/answerLog.js';
import { forgetAnswers, makeCommonCases, sendKeyed, type ReadyCase } from './src/statusCases/commonCases.js';
import { damageDirectory } from './src/statusCases/damage.js';
import {
  makeStatusWorld,
  type Prepare,
  type RouteRequest,
  type World,
} from './src/statusCases/statusCase.js';
import { mapSideBySide } from './src/sideBySide.js';
import { rowsOf } from './src/turns.js';
import { VERSION_CONTROL_SETTINGS } from './src/statusCases/versionControlCases.js';
import { WEBHOOK_SETTINGS } from './src/webhookRecords.js';

const operationOf = ({ operationId }: Route) => operationId as OperationId;
const isConditional = (route: Route) => route.method === 'GET' && hasEntityTag(route);

/** The codes that other tests reach: of quotas, and of requests that never arrive as a whole. */
const ELSEWHERE: readonly ErrorCode[] = ['QUOTA_EXCEEDED', 'REQUEST_TIMEOUT', 'HEADERS_TOO_LARGE'];

/**
 * Every status that a route declares, and may return, as `operationId status`.
 */
function declaredBy(route: Route): string[] {
  const codes = [...route.errors, ...COMMON_ERRORS].filter((code) => !ELSEWHERE.includes(code));
  const notModified = isConditional(route) ? [304] : [];
  const statuses = [route.success, ...notModified, ...codes.map((code) => ERROR_STATUS[code])];
  // Two codes may have one status.
  return [...new Set(statuses)].map((status) => `${route.operationId} ${status}`);
}

/**
 * The facts about an error: whether it has the form of its area, the request id, and the fields that it
 * names.
 */
function outcomeOf({ area }: Route, { status, body, headers }: Answer) {
  const { code, requestId, fields } = readErrorBody(area, body);
  return {
    status,
    code,
    faults: faultsOfBody(area, body),
    type: headers.get('content-type'),
    isOfRequest: requestId === headers.get('x-request-id'),
    asksForToken: headers.has('www-authenticate'),
    hasTag: headers.has('etag'),
    fields,
  };
}

/** The outcome of a code. */
function refusalOf({ area }: Route, code: ErrorCode, field?: string) {
  return {
    status: ERROR_STATUS[code],
    // The form of the token area has no code.
    code: area === 'token' ? undefined : code,
    faults: [],
    type: 'application/json',
    isOfRequest: true,
    asksForToken: code === 'UNAUTHENTICATED',
    hasTag: false,
    fields: expect.arrayContaining(field === undefined ? [] : [field]) as unknown,
  };
}

describe('the tables', () => {
  it.each(Object.entries(refusals))('%s returns only error codes that it declares', (operationId, cases) => {
    const route = routes.find((known) => known.operationId === operationId);
    expect(cases.filter(([code]) => !route?.errors.includes(code))).toEqual([]);
  });

  it('have an entry for every route, and no other', () => {
    expect(Object.keys(specimens).toSorted()).toEqual(routes.map(operationOf).toSorted());
    expect(Object.keys(refusals).filter((operationId) => !Object.hasOwn(specimens, operationId))).toEqual([]);
  });
});

describe.each(forms)('every status of every route ($form)', ({ form, start }) => {
  const ownRoutes = rowsOf(form, routes);
  const routeRows = ownRoutes.map((route) => [route.operationId, route] as const);
  const conditional = routeRows.filter(([, route]) => isConditional(route));
  const writes = ownRoutes.flatMap((route) => {
    const reader = findRecordRoute(route);
    return reader?.method === 'GET' ? [[route.operationId, route, reader] as const] : [];
  });
  const updates = writes.filter(([, { method, success }]) => method === 'PATCH' && success === 200);
  let observed: ObservedServer;
  let world: World;
  let log: AnswerLog;
  let settled: StoredBytes;
  let fresh: Session;
  const requests = new Map<Route, RouteRequest>();
  const cases = new Map<Route, ReadyCase[]>();
  const repeats = new Map<Route, () => Promise<Answer>>();

  async function prepareRoute(route: Route): Promise<void> {
    const prepare: Prepare | undefined = specimens[operationOf(route)];
    if (!prepare) return;
    const request = await prepare(world);
    requests.set(route, request);
    const ready = makeCommonCases({ world, log, route, request });
    if (route.method === 'POST') {
      const { reuse, repeat } = await sendKeyed({ world, log, route }, prepare);
      ready.push(reuse);
      repeats.set(route, repeat);
    }
    for (const [code, because, prepareRefusal, field] of refusals[operationOf(route)] ?? []) {
      const refused = await prepareRefusal(world);
      ready.push({ code, because, field, send: () => log.send(route, refused) });
    }
    cases.set(route, ready);
  }

  beforeAll(async () => {
    observed = await startObserved(start, {
      REQUEST_TIMEOUT_MS: '30000',
      ...WEBHOOK_SETTINGS,
      ...VERSION_CONTROL_SETTINGS,
    });
    log = new AnswerLog(() => observed.baseUrl);
    world = await makeStatusWorld(observed.api, observed.adminId);
    fresh = await observed.api.openSession({ orgUserId: observed.adminId });
    await mapSideBySide(ownRoutes, prepareRoute);
    settled = await observed.readSettled();
  });
  afterAll(() => observed[Symbol.asyncDispose]());

  /** The writes since the last reading. */
  async function takeChanges(): Promise<string[]> {
    const changes = await observed.findChanges(settled);
    if (changes.length > 0) settled = await observed.readSettled();
    return changes;
  }

  describe('rejects, and writes nothing:', () => {
    it.each(routeRows)('%s', async (_, route) => {
      const ready = cases.get(route) ?? [];
      const outcomes = ready.map(async ({ because, send }) => ({
        because,
        ...outcomeOf(route, await send()),
      }));
      const expected = ready.map(({ because, code, field }) => ({
        because,
        ...refusalOf(route, code, field),
      }));
      expect.soft(await Promise.all(outcomes)).toEqual(expected);
      expect(await takeChanges()).toEqual([]);
    });

    it('a POST with the idempotency key of one that still runs', async () => {
      await forgetAnswers(observed.databases);
      const waiting = [...repeats].map(async ([route, repeat]) => {
        const answer = await repeat();
        return { ...outcomeOf(route, answer), retryAfter: answer.headers.get('retry-after') };
      });
      const expected = [...repeats.keys()].map((route) => ({
        ...refusalOf(route, 'CONFLICT'),
        retryAfter: '1',
      }));
      expect(await Promise.all(waiting)).toEqual(expected);
      expect(await takeChanges()).toEqual([]);
    });
  });

  describe('an internal fault reveals nothing, and writes nothing:', () => {
    let repair: () => Promise<void>;

    beforeAll(async () => {
      const { projectId } = observed.api.project;
      repair = await damageDirectory(observed.databases, { adminId: observed.adminId, projectId });
      settled = await observed.readSettled();
    });
    afterAll(() => repair());

    it.each(routeRows)('%s', async (_, route) => {
      const { session, ...request } = requests.get(route) ?? {};
      const answer = await log.send(route, session ? { ...request, session: fresh } : request);
      expect(outcomeOf(route, answer)).toEqual(refusalOf(route, 'INTERNAL_ERROR'));
      const { message, details, fields } = readErrorBody(route.area, answer.body);
      expect({ message, details, fields }).toEqual({
        message: ERROR_MESSAGE.INTERNAL_ERROR,
        details: '',
        fields: [],
      });
    });

    it('none at all', async () => {
      expect(await takeChanges()).toEqual([]);
    });
  });

  describe('returns', () => {
    it.each(conditional)('304 from %s if the caller has the current record', async (_, route) => {
      const request = requests.get(route) ?? {};
      const { headers } = await log.send(route, request);
      const condition = { 'if-none-match': headers.get('etag') ?? '' };
      const answer = await log.send(route, { ...request, headers: condition });
      expect([answer.status, answer.body]).toEqual([304, '']);
    });

    it.each(routeRows)('success from %s', async (_, route) => {
      const { status, body, headers } = await log.send(route, requests.get(route) ?? {});
      expect({ status, body }).toMatchObject({ status: route.success });
      const { output } = findProcedure(route.procedure);
      expect(body).toEqual((route.pages ? pagedAnswerOf(route) : output).parse(body));
      expect(headers.has('etag')).toBe(hasEntityTag(route));
      expect(headers.has('location')).toBe(status === 201);
      expect(headers.get('x-request-id')).toBeTruthy();
    });
  });

  it.each(writes)('the entity tag after %s is that of the next GET', async (_, route, reader) => {
    // A request of its own: another test may have changed the record that the first one is about.
    const request = await specimens[operationOf(route)](world);
    const written = await log.send(route, request);
    expect({ status: written.status, body: written.body }).toMatchObject({ status: route.success });
    const { path: input = {}, session } = request;
    const path = recordPathOf(reader, { route, input, output: written.body });
    expect(written.headers.get('location')).toBe(route.success === 201 ? path : null);
    const read = await (session ?? world.admin).get(String(path));
    expect({ status: read.status, body: read.body }).toMatchObject({ status: 200 });
    expect(written.headers.get('etag')).toBe(read.headers.get('etag'));
    expect(read.headers.get('cache-control')).toBe('private, no-cache');
  });

  it.each(updates)(
    'an update without a field is rejected and changes nothing: %s',
    async (_, route, reader) => {
      const request = await specimens[operationOf(route)](world);
      const { path: input = {}, session = world.admin } = request;
      const path = String(recordPathOf(reader, { route, input, output: undefined }));
      const before = await session.get(path);
      const { status, body } = await log.send(route, { ...request, body: {} });
      const { code, fields } = readErrorBody(route.area, body);
      expect({ status, code, body, count: fields.length }).toMatchObject({
        status: 400,
        code: 'INVALID_REQUEST',
        count: 1,
      });
      expect((await session.get(path)).headers.get('etag')).toBe(before.headers.get('etag'));
    },
  );

  it('every write that returns a record has a route that reads it', () => {
    const tagged = ownRoutes.filter((route) => route.method !== 'GET' && hasEntityTag(route));
    expect(writes.map(([name]) => name)).toEqual(tagged.map(operationOf));
  });

  describe('reports a partial completion:', () => {
    const failing = ownRoutes.flatMap((route) =>
      (failures[operationOf(route)] ?? []).map((failure) => [route.operationId, route, failure] as const),
    );
    it.each(failing)('%s', async (_, route, [code, , prepareFailure]) => {
      const answer = await log.send(route, await prepareFailure(world));
      expect(outcomeOf(route, answer)).toEqual(refusalOf(route, code));
    });
  });

  const anyRequest = (route: Route): RouteRequest => {
    const { session, ...request } = requests.get(route) ?? {};
    return session ? { ...request, session: observed.api.admin } : request;
  };

  describe('above a request limit, writes nothing:', () => {
    beforeAll(async () => {
      await observed.restart({ RATE_LIMIT: '1', RATE_LIMIT_TOKEN: '1' });
      // The first request of the minute, and the only one.
      await observed.api.admin.get('/projects');
      await observed.api.admin.get('/.well-known/jwks.json');
      settled = await observed.readSettled();
    });

    it.each(routeRows)('%s', async (_, route) => {
      const answer = await log.send(route, anyRequest(route));
      expect(outcomeOf(route, answer)).toEqual(refusalOf(route, 'RATE_LIMITED'));
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.headers.get('ratelimit')).toMatch(/^"\w+";r=0;t=\d+$/);
    });

    it('none at all', async () => {
      expect(await takeChanges()).toEqual([]);
    });
  });

  describe('above the limit of concurrent requests, writes nothing:', () => {
    let held: HeldPlaces;

    beforeAll(async () => {
      await observed.restart({ MAX_IN_FLIGHT: '1', ...HELD_PLACE_SETTINGS });
      held = await holdPlaces(observed.api.admin, 1);
      settled = await observed.readSettled();
    });
    afterAll(() => held[Symbol.asyncDispose]());

    it.each(routeRows)('%s', async (_, route) => {
      const answer = await log.send(route, anyRequest(route));
      expect(outcomeOf(route, answer)).toEqual(refusalOf(route, 'UNAVAILABLE'));
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    });

    it('none at all', async () => {
      expect(await takeChanges()).toEqual([]);
    });
  });

  // Last: the responses in the tests above.
  it('has occurred, and no undeclared one', () => {
    expect(log.answered()).toEqual(ownRoutes.flatMap(declaredBy).toSorted());
  });
});

import { request as httpRequest, type IncomingMessage } from 'node:http';
import {
  AppError,
  pagedAnswerOf,
  pagedLineOf,
  routes,
  type Route,
  type RoutePages,
} from '@gatehouse/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ADMIN, startTestGateway, type TestGateway } from './testing/testGateway.js';

const PATH = '/api/v1/dashboard/validate-all';
const LINES = { Accept: 'application/x-ndjson' };

/** The route, with its pages. */
function findRoute(): Route & { pages: RoutePages } {
  const route = routes.find(({ path }) => path === PATH);
  if (!route?.pages) throw new Error('There is no such route');
  return { ...route, pages: route.pages };
}
const route = findRoute();

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(async () => gateway[Symbol.asyncDispose]());

const ask = (headers: Record<string, string> = {}, json: object = {}) =>
  gateway.send(PATH, { method: 'POST', json, headers });
const resultsOf = (pages: string[][]) =>
  pages.flatMap((errors, index) =>
    errors.map((error, position) => ({ dashboardId: `d_${index}_${position}`, error })),
  );
const readLines = async (response: Response) => {
  const text = await response.text();
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
};

/** Sends the request and gives the answer as it begins, unread. */
function askUnread(headers: Record<string, string> = {}): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const all = {
      authorization: `Bearer ${gateway.token()}`,
      'content-type': 'application/json',
      ...headers,
    };
    const sent = httpRequest(gateway.url + PATH, { method: 'POST', headers: all }, resolve);
    sent.on('error', reject).end('{}');
  });
}

const PAGES = [['a', 'b'], [], ['c'], []];
const summary = {
  projectId: 'p_1',
  totalDashboards: 3,
  validDashboards: 0,
  invalidDashboards: 0,
  failedDashboards: 3,
};

describe('a route that comes in pages', () => {
  it.each([[[[]]], [[['a']]], [[[], ['a']]], [PAGES]])('answers %j as one object', async (pages) => {
    gateway.services.pages = pages;
    const response = await ask();
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/json');
    const body: unknown = await response.json();
    const count = pages.flat().length;
    expect(body).toEqual({
      ...summary,
      totalDashboards: count,
      failedDashboards: count,
      results: resultsOf(pages),
    });
    expect(pagedAnswerOf(route).strict().parse(body)).toEqual(body);
    expect(gateway.services.counts.pages).toBe(pages.length);
  });

  it('answers who accepts lines with a line for each result, the progress, and the summary', async () => {
    gateway.services.pages = PAGES;
    const response = await ask(LINES);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe('application/x-ndjson');
    const lines = await readLines(response);
    const [a, b, c] = resultsOf(PAGES).map((result) => ({ type: 'result', result }));
    const progress = (done: number) => ({ type: 'progress', done, total: 3 });
    expect(lines).toEqual([
      a,
      b,
      progress(2),
      progress(2),
      c,
      progress(3),
      progress(3),
      { type: 'summary', ...summary },
    ]);
    expect(pagedLineOf(route, route.pages).array().parse(lines)).toEqual(lines);
  });

  it('sends a page before the next one is there', async () => {
    gateway.services.pages = [['first'], ['second']];
    let letGo: () => void = () => {};
    gateway.services.beforePage = (index) =>
      index === 0 ? Promise.resolve() : new Promise((go) => (letGo = go));
    const response = await askUnread(LINES);
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => (text += part));
    await expect.poll(() => text).toContain('"first"');
    expect(text).not.toContain('second');
    letGo();
    await expect.poll(() => text).toContain('"summary"');
  });

  it('takes no cursor from its caller', async () => {
    const response = await ask({}, { cursor: '1' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      fieldErrors: [{ field: 'cursor', message: 'is not a known field' }],
    });
    expect(gateway.services.counts.pages).toBe(0);
  });

  it.each([{}, LINES])('whose first page fails has the status of that (%j)', async (headers) => {
    gateway.services.beforePage = async () => {
      throw new AppError('FORBIDDEN');
    };
    const response = await ask(headers);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'FORBIDDEN', details: '' });
  });

  it('whose later page fails is cut as an object, so that nobody takes it for the whole', async () => {
    gateway.services.pages = [['a'], ['b']];
    gateway.services.beforePage = async (index) => {
      if (index > 0) throw new Error('mongodb://secret-host');
    };
    const response = await ask();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
    expect((await ask({}, {})).status).toBe(200);
  });

  it('whose later page fails ends its lines with the error, in the form of the area', async () => {
    gateway.services.pages = [['a'], ['b']];
    gateway.services.beforePage = async (index) => {
      if (index > 0) throw new Error('mongodb://secret-host');
    };
    const lines = await readLines(await ask({ Accept: 'application/x-ndjson, application/problem+json' }));
    expect(lines.map(({ type }) => type)).toEqual(['result', 'progress', 'error']);
    expect(lines.at(-1)).toEqual({
      type: 'error',
      error: 'Internal error',
      code: 'INTERNAL_ERROR',
      details: '',
      requestId: expect.any(String) as string,
    });
  });

  it('asks for no further page for who has been shut out', async () => {
    gateway.services.pages = [['a'], ['b'], ['c']];
    gateway.services.beforePage = async (index) => {
      if (index !== 1) return;
      gateway.services.principals.set('u:admin', null);
      await gateway.publish('management.org_user.updated.v1');
    };
    const lines = await readLines(await ask(LINES));
    expect(lines.at(-1)).toMatchObject({ type: 'error', code: 'UNAUTHENTICATED' });
    expect(gateway.services.counts.pages).toBe(2);
  });

  it('is asked for no further page when its caller has gone', async () => {
    gateway.services.pages = Array.from({ length: 50 }, (_, index) => [String(index)]);
    gateway.services.beforePage = () => new Promise((go) => setTimeout(go, 5));
    const response = await askUnread();
    response.destroy();
    let last = -1;
    await expect
      .poll(
        () => {
          const before = last;
          last = gateway.services.counts.pages;
          return last === before;
        },
        { interval: 50 },
      )
      .toBe(true);
    expect(gateway.services.counts.pages).toBeLessThan(50);
    await expect.poll(() => gateway.countInFlight()).toBe(0);
  });

  it('is asked for one page alone when its caller has gone before that is there', async () => {
    gateway.services.pages = [['a'], ['b'], ['c']];
    let letGo: () => void = () => {};
    gateway.services.beforePage = () => new Promise((go) => (letGo = go));
    const leaving = new AbortController();
    const asked = gateway.send(PATH, { method: 'POST', json: {}, signal: leaving.signal });
    await expect.poll(() => gateway.services.counts.pages).toBe(1);
    leaving.abort();
    await expect(asked).rejects.toThrow('aborted');
    // The gateway hears of it before its next answer.
    await fetch(`${gateway.url}/healthz`);
    letGo();
    await expect.poll(() => gateway.countInFlight()).toBe(0);
    expect(gateway.services.counts.pages).toBe(1);
  });

  it('waits for a caller that reads slowly, and keeps no more than it has to', async () => {
    const text = 'x'.repeat(256 * 1024);
    gateway.services.pages = Array.from({ length: 100 }, () => [text]);
    const response = await askUnread();
    let last = -1;
    await expect
      .poll(
        () => {
          const before = last;
          last = gateway.services.counts.pages;
          return last === before;
        },
        { interval: 100 },
      )
      .toBe(true);
    // What the sockets of both sides hold is some megabytes at most.
    expect(gateway.services.counts.pages).toBeLessThan(60);
    let size = 0;
    for await (const chunk of response) size += (chunk as Buffer).length;
    expect(gateway.services.counts.pages).toBe(100);
    expect(size).toBeGreaterThan(100 * text.length);
  });
});

describe('a route that comes in pages, with an idempotency key', () => {
  const keyed = { 'Idempotency-Key': 'k' };

  it('answers the first answer again', async () => {
    gateway.services.pages = PAGES;
    const first = await ask(keyed);
    gateway.services.pages = [['other']];
    const again = await ask(keyed);
    expect(again.headers.get('Idempotency-Replayed')).toBe('true');
    expect(await again.text()).toBe(await first.text());
    expect(gateway.services.counts.pages).toBe(PAGES.length);
  });

  it('has a status of its own also when a later page fails, and may be tried again', async () => {
    gateway.services.pages = PAGES;
    gateway.services.beforePage = async (index) => {
      if (index === 2) throw new AppError('UNAVAILABLE');
    };
    expect((await ask({ ...keyed, ...LINES })).status).toBe(503);
    gateway.services.beforePage = async () => {};
    expect(await (await ask({ ...keyed, ...LINES })).text()).toContain('"summary"');
  });

  it('is answered whole, and not kept, when the answer is too large', async () => {
    gateway.services.pages = Array.from({ length: 20 }, () => ['x'.repeat(512 * 1024)]);
    for (const asked of [1, 2]) {
      const response = await ask(keyed);
      expect(response.headers.has('Idempotency-Replayed')).toBe(false);
      expect(await response.json()).toMatchObject({ failedDashboards: 20, results: { length: 20 } });
      expect(gateway.services.counts.pages).toBe(20 * asked);
    }
    expect(gateway.services.claims.size).toBe(0);
  });

  it("is no other caller's", async () => {
    gateway.services.principals.set('u:other', { ...ADMIN, userKey: 'u:other', projectId: 'p_2' });
    gateway.services.pages = [['a']];
    await ask(keyed);
    const headers = { ...keyed, Authorization: `Bearer ${gateway.token({ sub: 'u:other' })}` };
    expect(await (await ask(headers)).json()).toMatchObject({ projectId: 'p_2' });
  });
});

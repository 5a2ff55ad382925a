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
import { startTestGateway, type TestGateway } from './testing/testGateway.js';

const PATH = '/api/v1/dashboard/validate-all';
const LINES = { Accept: 'application/x-ndjson' };

/** Finds the paged route in the route table. */
function findRoute(): Route & { pages: RoutePages } {
  const route = routes.find(({ path }) => path === PATH);
  if (!route?.pages) throw new Error('unknown route');
  return { ...route, pages: route.pages };
}
const route = findRoute();

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway();
});
afterEach(async () => gateway[Symbol.asyncDispose]());

const send = (headers: Record<string, string> = {}, json: object = {}) =>
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

/** Sends the request. Resolves to the response when it begins, without reading its body. */
function sendUnread(headers: Record<string, string> = {}): Promise<IncomingMessage> {
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

describe('a paged route', () => {
  it.each([[[[]]], [[['a']]], [[[], ['a']]], [PAGES]])('responds to %j with one object', async (pages) => {
    gateway.services.pages = pages;
    const response = await send();
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

  it('responds with lines if the caller accepts them: results, progress and a summary', async () => {
    gateway.services.pages = PAGES;
    const response = await send(LINES);
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

  it('sends a page before the next one is loaded', async () => {
    gateway.services.pages = [['first'], ['second']];
    let release: () => void = () => {};
    gateway.services.beforePage = (index) =>
      index === 0 ? Promise.resolve() : new Promise((go) => (release = go));
    const response = await sendUnread(LINES);
    let text = '';
    response.setEncoding('utf8').on('data', (part: string) => (text += part));
    await expect.poll(() => text).toContain('"first"');
    expect(text).not.toContain('second');
    release();
    await expect.poll(() => text).toContain('"summary"');
  });

  it('rejects a cursor from its caller', async () => {
    const response = await send({}, { cursor: '1' });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      fieldErrors: [{ field: 'cursor', message: 'is not a known field' }],
    });
    expect(gateway.services.counts.pages).toBe(0);
  });

  it.each([{}, LINES])('whose first page fails has the status of that failure (%j)', async (headers) => {
    gateway.services.beforePage = async () => {
      throw new AppError('FORBIDDEN');
    };
    const response = await send(headers);
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: 'FORBIDDEN', details: '' });
  });

  it('whose later page fails cuts off the object, so that it cannot pass for complete', async () => {
    gateway.services.pages = [['a'], ['b']];
    gateway.services.beforePage = async (index) => {
      if (index > 0) throw new Error('mongodb://secret-host');
    };
    const response = await send();
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow('terminated');
    expect((await send({}, {})).status).toBe(200);
  });

  it('whose later page fails ends its lines with the error, in the form of the area', async () => {
    gateway.services.pages = [['a'], ['b']];
    gateway.services.beforePage = async (index) => {
      if (index > 0) throw new Error('mongodb://secret-host');
    };
    const lines = await readLines(await send({ Accept: 'application/x-ndjson, application/problem+json' }));
    expect(lines.map(({ type }) => type)).toEqual(['result', 'progress', 'error']);
    expect(lines.at(-1)).toEqual({
      type: 'error',
      error: 'Internal error',
      code: 'INTERNAL_ERROR',
      details: '',
      requestId: expect.any(String) as string,
    });
  });

  it('loads no further page for a caller whose access has ended', async () => {
    gateway.services.pages = [['a'], ['b'], ['c']];
    gateway.services.beforePage = async (index) => {
      if (index !== 1) return;
      gateway.services.principals.set('u:admin', null);
      await gateway.publish('management.org_user.updated.v1');
    };
    const lines = await readLines(await send(LINES));
    expect(lines.at(-1)).toMatchObject({ type: 'error', code: 'UNAUTHENTICATED' });
    expect(gateway.services.counts.pages).toBe(2);
  });

  /** Waits until no page was loaded for this time. */
  async function noPageIsLoadedFor(intervalMs: number): Promise<void> {
    let last = -1;
    const hasStopped = () => {
      const before = last;
      last = gateway.services.counts.pages;
      return last === before;
    };
    await expect.poll(hasStopped, { interval: intervalMs }).toBe(true);
  }

  it('loads no further page after its caller has disconnected', async () => {
    gateway.services.pages = Array.from({ length: 50 }, (_, index) => [String(index)]);
    gateway.services.beforePage = () => new Promise((go) => setTimeout(go, 5));
    const response = await sendUnread();
    response.destroy();
    await noPageIsLoadedFor(50);
    expect(gateway.services.counts.pages).toBeLessThan(50);
    await expect.poll(() => gateway.countInFlight()).toBe(0);
  });

  it('loads only one page if its caller disconnects before that page is loaded', async () => {
    gateway.services.pages = [['a'], ['b'], ['c']];
    let release: () => void = () => {};
    gateway.services.beforePage = () => new Promise((go) => (release = go));
    const controller = new AbortController();
    const sent = gateway.send(PATH, { method: 'POST', json: {}, signal: controller.signal });
    await expect.poll(() => gateway.services.counts.pages).toBe(1);
    controller.abort();
    await expect(sent).rejects.toThrow('aborted');
    // The gateway processes the disconnect before it responds to this request.
    await fetch(`${gateway.url}/healthz`);
    release();
    await expect.poll(() => gateway.countInFlight()).toBe(0);
    expect(gateway.services.counts.pages).toBe(1);
  });

  it('waits for a caller that reads slowly, and buffers little meanwhile', async () => {
    const text = 'x'.repeat(256 * 1024);
    gateway.services.pages = Array.from({ length: 100 }, () => [text]);
    const response = await sendUnread();
    await noPageIsLoadedFor(100);
    // The sockets of both sides buffer at most a few megabytes.
    expect(gateway.services.counts.pages).toBeLessThan(60);
    let size = 0;
    for await (const chunk of response) size += (chunk as Buffer).length;
    expect(gateway.services.counts.pages).toBe(100);
    expect(size).toBeGreaterThan(100 * text.length);
  });
});

describe('a paged route with an idempotency key', () => {
  it('runs each time, and no response is stored', async () => {
    const keyed = { 'Idempotency-Key': 'k' };
    for (const pages of [PAGES, [['other']]]) {
      gateway.services.pages = pages;
      const response = await send({ ...keyed, ...LINES });
      expect(response.headers.has('Idempotency-Replayed')).toBe(false);
      expect(await response.text()).toContain(String(pages[0]?.[0]));
    }
    const stored = [...gateway.services.claims.values()].map(({ response }) => response?.body);
    expect(stored).toEqual(['null']);
    expect((await send({ 'Idempotency-Key': 'ä' })).status).toBe(400);
  });
});

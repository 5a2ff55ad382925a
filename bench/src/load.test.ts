import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { load } from './load.js';

interface Seen {
  request: IncomingMessage;
  body: string;
}

let seen: Seen[] = [];
let status = 200;
const server = createServer((request, response) => {
  void text(request).then(async (body) => {
    seen.push({ request, body });
    // As slow as a server that does some work: a load never exceeds its own request rate.
    await sleep(2);
    response.writeHead(status).end('{}');
  });
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => server.close());
beforeEach(() => {
  seen = [];
  status = 200;
});

const aim = () => ({
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  headers: { authorization: 'Bearer token' },
});
const UNDER = { connections: 2, seconds: 1 };

it('sends each request of the work once', async () => {
  let made = 0;
  const next = () => ({ path: `/at/${(made += 1)}?a=b`, body: { number: made, text: 'a\n"b' } });
  const { requestsPerSecond, failures, ...times } = await load(aim(), { method: 'POST', next }, UNDER);
  expect(failures).toBe(0);
  expect(requestsPerSecond).toBeGreaterThan(0);
  const numbers = seen.map(({ request }) => Number(request.url?.slice('/at/'.length, -'?a=b'.length)));
  expect(new Set(numbers).size).toBe(seen.length);
  for (const [index, { request, body }] of seen.entries()) {
    const { method, url, headers } = request;
    expect([method, url]).toEqual(['POST', `/at/${numbers[index]}?a=b`]);
    expect(JSON.parse(body)).toEqual({ number: numbers[index], text: 'a\n"b' });
    expect(headers).toMatchObject({ authorization: 'Bearer token', 'content-type': 'application/json' });
  }
  const { p50Ms, p95Ms, p99Ms } = times;
  expect([p50Ms, p95Ms, p99Ms].every((time) => time > 0)).toBe(true);
  expect([p50Ms, p95Ms, p99Ms].toSorted((one, other) => one - other)).toEqual([p50Ms, p95Ms, p99Ms]);
});

it('sends no body if the work has none', async () => {
  await load(aim(), { method: 'GET', next: () => ({ path: '/any' }) }, UNDER);
  expect(seen.length).toBeGreaterThan(0);
  expect(seen.every(({ request, body }) => request.method === 'GET' && body === '')).toBe(true);
});

it('sends no more requests than a rate allows', async () => {
  const work = { method: 'GET', next: () => ({ path: '/any' }) } as const;
  const { failures } = await load(aim(), work, { ...UNDER, requestsPerSecond: 20 });
  expect(failures).toBe(0);
  expect(seen.length).toBeGreaterThan(0);
  // Each connection sends its first request at once. Without a rate there are hundreds.
  expect(seen.length).toBeLessThanOrEqual(20 * UNDER.seconds + 2 * UNDER.connections);
});

it('sends each request by its own method', async () => {
  const methods = ['PATCH', 'POST'] as const;
  let made = 0;
  const next = () => ({ path: '/any', method: methods[(made += 1) % 2] ?? 'POST' });
  await load(aim(), { method: 'GET', next }, UNDER);
  expect(new Set(seen.map(({ request }) => request.method))).toEqual(new Set(methods));
});

it('counts every error response', async () => {
  status = 500;
  const { failures } = await load(aim(), { method: 'GET', next: () => ({ path: '/any' }) }, UNDER);
  // Requests in flight at the end are not counted.
  expect(seen.length - failures).toBeGreaterThanOrEqual(0);
  expect(seen.length - failures).toBeLessThanOrEqual(UNDER.connections);
});

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { CommitResult, DashboardWithSecret, ShareRecord } from '@gatehouse/contract';
import { routes } from '@gatehouse/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, expectTypeOf, it } from 'vitest';
import {
  createClient,
  GatehouseError,
  type Client,
  type OperationId,
  type OperationInput,
  type OperationLine,
  type OperationOutput,
} from './index.js';

interface Received {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

let received: Received;
let answer: { status: number; headers?: Record<string, string>; body: string };
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { method, url, headers } = request;
    received = { method, url, headers, body: Buffer.concat(chunks).toString() };
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
});
let client: Client;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  client = createClient({
    baseUrl: `http://127.0.0.1:${port}/`,
    accessToken: 'a.b.c',
    retry: { retries: 0 },
  });
});
afterAll(() => void server.close());
beforeEach(() => {
  answer = { status: 200, body: '{"dashboard":{"id":"d_1"}}' };
});

describe('a request', () => {
  it('puts each field where its route expects it', async () => {
    await client.updateDashboard({ id: 'd_1', title: 'Sales', tags: ['a'] }, { ifMatch: '"1-00000000"' });
    expect(received).toMatchObject({ method: 'PATCH', url: '/api/management/v1/dashboards/d_1' });
    expect(JSON.parse(received.body)).toEqual({ title: 'Sales', tags: ['a'] });
    expect(received.headers).toMatchObject({
      authorization: 'Bearer a.b.c',
      'content-type': 'application/json',
      'if-match': '"1-00000000"',
    });
  });

  it('encodes the parameters of the path and the query', async () => {
    await client.listDashboards({ search: 'a&b=c d', limit: 5, isPrivate: false, tag: undefined });
    expect(received.url).toBe('/api/management/v1/dashboards?search=a%26b%3Dc+d&isPrivate=false&limit=5');
    await client.getDashboard({ id: 'a/../b' });
    expect(received.url).toBe('/api/management/v1/dashboards/a%2F..%2Fb');
  });

  it.each(['', '.', '..'])('does not change its route for the identifier %j', async (id) => {
    await expect(client.deleteDashboard({ id })).rejects.toThrow(TypeError);
  });

  it('sends an unknown field of a GET in the query, where it is rejected by name', async () => {
    const input = { limit: 5, wrong: 1 } as OperationInput<'listDashboards'>;
    await client.listDashboards(input);
    expect(received.url).toBe('/api/management/v1/dashboards?limit=5&wrong=1');
  });

  it('sends validateOnly in the query of every change, beside its body', async () => {
    await client.updateDashboard({ id: 'd_1', title: 'Checked', validateOnly: true });
    expect(received.url).toBe('/api/management/v1/dashboards/d_1?validateOnly=true');
    expect(received.body).toBe('{"title":"Checked"}');
    await client.deleteDashboard({ id: 'd_1', validateOnly: true });
    expect(received).toMatchObject({ url: '/api/management/v1/dashboards/d_1?validateOnly=true', body: '' });
  });

  it('has no body if the operation takes none', async () => {
    await client.deleteDashboard({ id: 'd_1' });
    expect(received).toMatchObject({ method: 'DELETE', body: '' });
    expect(received.headers['content-type']).toBeUndefined();
  });

  it('sends the body of a DELETE that takes one', async () => {
    await client.revokeDashboardShares({ id: 'd_1', shares: [{ scope: 'all_org_users' }] });
    expect(received).toMatchObject({ method: 'DELETE', body: '{"shares":[{"scope":"all_org_users"}]}' });
  });

  it('for a token has no token', async () => {
    await client.issueToken({ projectId: 'p_1', projectSecret: 's' }, { idempotencyKey: 'k' });
    expect(received.headers.authorization).toBeUndefined();
    expect(received.headers['idempotency-key']).toBe('k');
  });

  it('ends when its signal aborts', async () => {
    await expect(client.listDashboards({}, { signal: AbortSignal.abort() })).rejects.toThrow(/abort/i);
  });

  it('can be made for every route of the table', () => {
    const names = routes.map(({ operationId }) => operationId as OperationId);
    expect(names.filter((name) => typeof client[name] !== 'function')).toEqual([]);
    expect(names.filter((name) => typeof client.withResponse[name] !== 'function')).toEqual([]);
  });
});

describe('a response', () => {
  it('includes its entity tag on request', async () => {
    const headers = { ETag: '"2-0a0b0c0d"', 'X-Request-Id': 'r1', 'Idempotency-Replayed': 'true' };
    answer = { status: 200, headers, body: '{"dashboard":{"id":"d_1"}}' };
    expect(await client.withResponse.getDashboard({ id: 'd_1' })).toEqual({
      data: { dashboard: { id: 'd_1' } },
      etag: '"2-0a0b0c0d"',
      requestId: 'r1',
      isReplayed: true,
    });
  });

  it('that is an error is thrown with all its fields', async () => {
    const fieldErrors = [{ field: 'title', message: 'must not be blank' }];
    answer = {
      status: 400,
      headers: { 'X-Request-Id': 'r2' },
      body: JSON.stringify({ detail: 'The request is not valid', code: 'INVALID_REQUEST', fieldErrors }),
    };
    const error = await client.createDashboard({ title: ' ' }).catch((thrown: unknown) => thrown);
    expect(received.headers.accept).toContain('application/problem+json');
    expect(error).toBeInstanceOf(GatehouseError);
    expect(error).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
      message: 'The request is not valid: title must not be blank',
      fieldErrors,
      blockedBy: [],
      requestId: 'r2',
      retryAfterSeconds: null,
    });
    expect(String(error)).toBe('GatehouseError: The request is not valid: title must not be blank');
  });

  it('of a proxy with other fields does not hide the status', async () => {
    answer = { status: 400, body: '{"detail":"Bad","fieldErrors":[null,"x",{"field":1}]}' };
    const error = await client.createDashboard({ title: ' ' }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ status: 400, message: 'Bad', fieldErrors: [] });
  });

  it('has the common name of a code that security policies rename', async () => {
    answer = { status: 403, body: '{"detail":"Insufficient permissions","code":"PROJECT_ACCESS_DENIED"}' };
    const refused = client.listPolicyDefinitions({ projectId: 'p_1' });
    await expect(refused).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('contains its area, and the part that was completed', async () => {
    const done = { dashboardSaved: true, versionControl: { status: 'failed' } };
    answer = { status: 502, body: JSON.stringify({ detail: 'Saved', code: 'COMMIT_FAILED', ...done }) };
    const refused = client.migrateDashboard({ id: 'd_1', targetProjectId: 'p_2', connectionMapping: {} });
    await expect(refused).rejects.toMatchObject({ area: 'migration', code: 'COMMIT_FAILED', details: done });
  });

  it('has the common name of a code that migrations rename', async () => {
    answer = { status: 404, body: '{"detail":"Not found","code":"DASHBOARD_NOT_FOUND"}' };
    const refused = client.analyzeMigration({ id: 'd_1', targetProjectId: 'p_2' });
    await expect(refused).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  it('of a proxy that is a page is an error, although its status is a success', async () => {
    answer = { status: 200, body: '<html>Sign in</html>' };
    await expect(client.listGroups()).rejects.toMatchObject({
      name: 'GatehouseError',
      status: 200,
      code: null,
    });
  });

  it('of a proxy in between is an error without a code', async () => {
    answer = { status: 503, headers: { 'Retry-After': '7' }, body: '<html>down</html>' };
    await expect(client.listGroups()).rejects.toMatchObject({
      status: 503,
      code: null,
      retryAfterSeconds: 7,
    });
  });
});

describe('a stream', () => {
  const summary = {
    projectId: 'p_1',
    totalDashboards: 1,
    validDashboards: 0,
    invalidDashboards: 0,
    failedDashboards: 1,
  };
  const text = [
    { type: 'result', result: { dashboardId: 'd_1', error: 'größer' } },
    { type: 'progress', done: 1, total: 1 },
    { type: 'summary', ...summary },
  ].map((line) => `${JSON.stringify(line)}\n`);
  const readAll = async () => {
    const lines: OperationLine<'validateAllDashboards'>[] = [];
    for await (const line of client.stream.validateAllDashboards({ filter: { type: 'all' } }))
      lines.push(line);
    return lines;
  };

  it('requests lines and yields them unchanged', async () => {
    answer = { status: 200, body: text.join('') };
    const lines = await readAll();
    expect(lines.map((line) => `${JSON.stringify(line)}\n`)).toEqual(text);
    expect(received.headers.accept).toContain('application/x-ndjson');
    expect(JSON.parse(received.body)).toEqual({ filter: { type: 'all' } });
  });

  it.each(['', text[0], text.slice(0, 2).join('')])(
    'that ends before its summary is no whole (%j)',
    async (body = '') => {
      answer = { status: 200, body };
      await expect(readAll()).rejects.toMatchObject({ name: 'NoAnswerError', reason: 'incomplete' });
    },
  );

  it('that fails midway throws the error', async () => {
    const error = { type: 'error', error: 'Not now', code: 'UNAVAILABLE', details: '', requestId: 'r3' };
    answer = { status: 200, body: `${text[0]}${JSON.stringify(error)}\n` };
    await expect(readAll()).rejects.toMatchObject({
      name: 'GatehouseError',
      status: 503,
      code: 'UNAVAILABLE',
      message: 'Not now',
      requestId: 'r3',
    });
  });

  it('that is rejected throws before its first line', async () => {
    answer = { status: 403, body: '{"detail":"Insufficient permissions","code":"FORBIDDEN"}' };
    await expect(readAll()).rejects.toMatchObject({ status: 403, code: 'FORBIDDEN' });
  });

  it('has the types of the contract, without the cursors of its pages', async () => {
    expectTypeOf<'cursor'>().not.toExtend<keyof OperationInput<'validateAllDashboards'>>();
    expectTypeOf<OperationOutput<'validateAllDashboards'>>().toExtend<typeof summary>();
    expectTypeOf<'nextCursor'>().not.toExtend<keyof OperationOutput<'validateAllDashboards'>>();
    type Lines = OperationLine<'validateAllDashboards'>;
    expectTypeOf<Extract<Lines, { type: 'summary' }>>().toExtend<typeof summary>();
    expectTypeOf<Extract<Lines, { type: 'result' }>['result']>().toEqualTypeOf<
      OperationOutput<'validateAllDashboards'>['results'][number]
    >();
    expectTypeOf<'results'>().not.toExtend<keyof Extract<Lines, { type: 'summary' }>>();
  });
});

describe('the types', () => {
  it('are those of the contract', () => {
    expectTypeOf(client.createDashboard).returns.resolves.toEqualTypeOf<{
      dashboard: DashboardWithSecret;
      versionControl?: CommitResult | undefined;
    }>();
    expectTypeOf(client.shareDashboard).returns.resolves.toEqualTypeOf<{
      message: string;
      shares: ShareRecord[];
    }>();
    expectTypeOf<OperationInput<'getDashboard'>>().toEqualTypeOf<{
      id: string;
      fields?: string | undefined;
    }>();
    expectTypeOf<'updateTenantByPut'>().toExtend<OperationId>();
    expectTypeOf<'noSuchOperation'>().not.toExtend<OperationId>();
  });

  it('make the input optional only if none of its fields is required', () => {
    expectTypeOf(client.listDashboards).toBeCallableWith();
    expectTypeOf(client.invalidateToken).toBeCallableWith();
    expectTypeOf<Parameters<typeof client.getDashboard>>().not.toExtend<[]>();
    expectTypeOf<[]>().not.toExtend<Parameters<typeof client.getDashboard>>();
    expectTypeOf<[{ id: 'd_1'; unknown: true }]>().not.toEqualTypeOf<
      Parameters<typeof client.getDashboard>
    >();
  });

  it('reject values that the schema would reject', () => {
    expectTypeOf<{ id: string; shares: [{ scope: 'everyone'; role: 'VIEWER' }] }>().not.toExtend<
      OperationInput<'shareDashboard'>
    >();
    expectTypeOf<{ limit: string }>().not.toExtend<OperationInput<'listDashboards'>>();
  });
});

import { describe, expect, it, vi } from 'vitest';
import { Admission } from './admission/admission.js';
import { startTestGateway, type TestGateway } from './testing/testGateway.js';

const TOKEN = '/api/v1/token';
const FORWARDED = 'X-Forwarded-For';

interface Attempt {
  body: string;
  headers?: Record<string, string>;
}

function send(gateway: TestGateway, { body, headers = {} }: Attempt): Promise<Response> {
  const all = { 'Content-Type': 'application/json', ...headers };
  return fetch(gateway.url + TOKEN, { method: 'POST', body, headers: all });
}

const ofProject = (projectId: string, projectSecret: string) => ({
  body: JSON.stringify({ projectId, projectSecret }),
});
const RIGHT = ofProject('p_1', 'right');
const WRONG = ofProject('p_1', 'wrong');

async function statusesOf(gateway: TestGateway, attempt: Attempt, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let count = 0; count < times; count += 1) statuses.push((await send(gateway, attempt)).status);
  return statuses;
}

/** Starts a gateway with one project and one dashboard. */
async function start(environment: Parameters<typeof startTestGateway>[0]): Promise<TestGateway> {
  const gateway = await startTestGateway(environment);
  gateway.services.secrets.set('p_1', 'right').set('d_1', 'right');
  return gateway;
}

describe('wrong secrets', () => {
  it('do not lock out the owner of the project', async () => {
    await using gateway = await start({ RATE_LIMIT_TOKEN: '4' });
    expect(await statusesOf(gateway, WRONG, 6)).toEqual([401, 401, 401, 401, 429, 429]);
    expect(await statusesOf(gateway, RIGHT, 2)).toEqual([200, 200]);
    expect(await statusesOf(gateway, WRONG, 1)).toEqual([429]);
    expect(await statusesOf(gateway, RIGHT, 1)).toEqual([200]);
  });

  it('do not lock out the owner of the address, for any claimed projects', async () => {
    await using gateway = await start({ RATE_LIMIT: '3', RATE_LIMIT_TOKEN: '100' });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1)
      statuses.push(...(await statusesOf(gateway, ofProject(`p_invented_${count}`, 'wrong'), 1)));
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect(await statusesOf(gateway, RIGHT, 1)).toEqual([200]);
    expect((await fetch(`${gateway.url}/.well-known/jwks.json`)).status).toBe(200);
  });

  it('do not lock out the owner of a dashboard', async () => {
    await using gateway = await start({ RATE_LIMIT_TOKEN: '2' });
    const guess = { body: JSON.stringify({ dashboardId: 'd_1', dashboardSecret: 'wrong' }) };
    expect(await statusesOf(gateway, guess, 3)).toEqual([401, 401, 429]);
    const right = { body: JSON.stringify({ dashboardId: 'd_1', dashboardSecret: 'right' }) };
    expect(await statusesOf(gateway, right, 1)).toEqual([200]);
  });

  it('get equal responses whether or not the project exists, before the limit and past it', async () => {
    const seen: string[] = [];
    for (const projectId of ['p_1', 'p_unknown']) {
      await using gateway = await start({ RATE_LIMIT: '50', RATE_LIMIT_TOKEN: '2' });
      // The owner first reaches its own limit: no other caller may notice this.
      if (projectId === 'p_1') await statusesOf(gateway, RIGHT, 3);
      for (let count = 0; count < 4; count += 1) {
        const response = await send(gateway, ofProject(projectId, 'wrong'));
        const { requestId: _, ...body } = (await response.json()) as Record<string, unknown>;
        const limits = ['RateLimit', 'RateLimit-Policy'].map((name) =>
          (response.headers.get(name) ?? '').replace(/t=\d+/, 't'),
        );
        seen.push(JSON.stringify([response.status, body, limits, response.headers.has('Retry-After')]));
      }
    }
    expect(seen.slice(0, 4)).toEqual(seen.slice(4));
    expect(seen.map((text) => text.slice(1, 4))).toEqual([
      '401',
      '401',
      '429',
      '429',
      '401',
      '401',
      '429',
      '429',
    ]);
  });

  it('are limited although each one claims another address or sends an idempotency key', async () => {
    await using gateway = await start({ RATE_LIMIT_TOKEN: '3' });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const headers = { [FORWARDED]: `10.0.0.${count}`, 'Idempotency-Key': `key-${count}` };
      statuses.push(...(await statusesOf(gateway, { ...WRONG, headers }, 1)));
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const headers = { 'Idempotency-Key': 'key-4' };
    expect(await statusesOf(gateway, { ...RIGHT, headers }, 2)).toEqual([200, 200]);
  });

  it('count against the address from a trusted proxy, not one that the caller claims', async () => {
    await using gateway = await start({ RATE_LIMIT_TOKEN: '2', TRUSTED_PROXIES: '127.0.0.0/8' });
    const from = (forwarded: string) => ({ ...WRONG, headers: { [FORWARDED]: forwarded } });
    expect(await statusesOf(gateway, from('10.0.0.1'), 3)).toEqual([401, 401, 429]);
    expect(await statusesOf(gateway, from('10.0.0.9, 10.0.0.1'), 1)).toEqual([429]);
    expect(await statusesOf(gateway, from('10.0.0.2'), 1)).toEqual([401]);
  });
});

describe('a request for a token', () => {
  it('counts against its project when issued, and returns 429 past the limit', async () => {
    await using gateway = await start({ RATE_LIMIT_TOKEN: '2' });
    expect(await statusesOf(gateway, RIGHT, 2)).toEqual([200, 200]);
    const rejected = await send(gateway, RIGHT);
    expect([rejected.status, rejected.headers.get('RateLimit-Policy')]).toEqual([429, '"token";q=2;w=60']);
    expect(Number(rejected.headers.get('Retry-After'))).toBeGreaterThan(50);
    expect(gateway.services.counts.issue).toBe(2);
    expect(await statusesOf(gateway, WRONG, 1)).toEqual([401]);
  });

  it('with invalid JSON counts as a failure', async () => {
    await using gateway = await start({ RATE_LIMIT: '2' });
    expect(await statusesOf(gateway, { body: '{"cut' }, 3)).toEqual([400, 400, 429]);
    expect(await statusesOf(gateway, RIGHT, 1)).toEqual([200]);
  });

  it('with more keys than a token can have is rejected before it is parsed, as a failure', async () => {
    await using gateway = await start({ RATE_LIMIT: '2' });
    const keys = Array.from({ length: 3000 }, (_, index) => `"k${index}":1`);
    const body = `{"projectId":"p_1",${keys.join(',')}}`;
    const response = await send(gateway, { body });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('exceeds the limit of 2000 different keys');
    expect(await statusesOf(gateway, { body }, 2)).toEqual([400, 429]);
  });

  it('with a key as long as the body gets a short error', async () => {
    await using gateway = await start({});
    const response = await send(gateway, { body: `{"projectId":"p_1","${'\\n'.repeat(200_000)}":1}` });
    expect(response.status).toBe(400);
    expect((await response.text()).length).toBeLessThan(2000);
  });

  it('with a large body waits for the others of its address, and is served', async () => {
    await using gateway = await start({});
    const body = RIGHT.body.replace('{', `{${' '.repeat(100_000)}`);
    using waits = vi.spyOn(Admission.prototype, 'waitToParse');
    expect(await statusesOf(gateway, { body }, 1)).toEqual([200]);
    expect(waits.mock.calls.map(([, bytes]) => bytes)).toEqual([body.length, 0]);
    const sent = Array.from({ length: 3 }, () => statusesOf(gateway, { body }, 1));
    expect(await Promise.all(sent)).toEqual([[200], [200], [200]]);
  });

  it('returns 400 for a project id that is not a string', async () => {
    await using gateway = await start({ RATE_LIMIT_TOKEN: '9' });
    expect(
      await statusesOf(gateway, { body: '{"projectId":{"toString":1},"projectSecret":"x"}' }, 1),
    ).toEqual([400]);
  });
});

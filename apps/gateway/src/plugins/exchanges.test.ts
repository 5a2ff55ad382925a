import { describe, expect, it } from 'vitest';
import { sendRaw } from '../testing/rawRequest.js';
import { startTestGateway, type TestGateway } from '../testing/testGateway.js';

const BODY = '{"title":"Sales"}';

/** Sends a request to create a dashboard, with additional header lines. */
async function create(gateway: TestGateway, ...lines: string[]): Promise<{ status: number; text: string }> {
  const head = [
    'POST /api/management/v1/dashboards HTTP/1.1',
    'Host: gatehouse',
    `Authorization: Bearer ${gateway.token()}`,
    'Content-Type: application/json',
    `Content-Length: ${BODY.length}`,
    'Connection: close',
    ...lines,
  ];
  const text = await sendRaw(gateway.port, `${head.join('\r\n')}\r\n\r\n${BODY}`);
  return { status: Number(text.slice(9, 12)), text };
}

describe('duplicate headers', () => {
  it.each([
    ['Authorization', ['Authorization: Bearer other']],
    ['Authorization', ['authorization: Basic eA==']],
    ['Host', ['Host: other']],
    ['Host', ['HOST: gatehouse']],
    ['Content-Type', ['Content-Type: application/json']],
    ['Content-Encoding', ['Content-Encoding: identity', 'Content-Encoding: identity']],
    ['Idempotency-Key', ['Idempotency-Key: one', 'Idempotency-Key: two']],
    ['Origin', ['Origin: https://a.example', 'Origin: https://b.example']],
  ])('%s are rejected with 400', async (name, lines) => {
    await using gateway = await startTestGateway();
    const { status, text } = await create(gateway, ...lines);
    expect(status).toBe(400);
    expect(text).toContain(`${name}: must be given once`);
    expect(gateway.services.counts.create).toBe(0);
  });

  it.each([
    ['the same', 'Content-Length: 17'],
    ['a different', 'Content-Length: 3'],
  ])('Content-Length (%s value) are rejected with 400', async (_, line) => {
    await using gateway = await startTestGateway();
    expect((await create(gateway, line)).status).toBe(400);
    expect(gateway.services.counts.create).toBe(0);
  });

  it.each([
    ['Accept', ['Accept: application/json', 'Accept: text/plain']],
    ['X-Request-Id', ['X-Request-Id: one', 'X-Request-Id: two']],
    ['X-Forwarded-For', ['X-Forwarded-For: 10.0.0.1', 'X-Forwarded-For: 10.0.0.2']],
  ])('%s are accepted', async (_, lines) => {
    await using gateway = await startTestGateway();
    expect((await create(gateway, ...lines)).status).toBe(201);
  });

  it('If-Match are combined into one list', async () => {
    await using gateway = await startTestGateway();
    expect((await create(gateway)).status).toBe(201);
    const [id = ''] = gateway.services.dashboards.keys();
    const patch = async (...lines: string[]) => {
      const head = [`PATCH /api/management/v1/dashboards/${id} HTTP/1.1`, 'Host: x', 'Connection: close'];
      const sent = [`Authorization: Bearer ${gateway.token()}`, 'Content-Type: application/json', ...lines];
      const text = `${[...head, ...sent, `Content-Length: ${BODY.length}`].join('\r\n')}\r\n\r\n${BODY}`;
      return Number((await sendRaw(gateway.port, text)).slice(9, 12));
    };
    expect(await patch('If-Match: "7-00000000"', 'If-Match: "8-00000000"')).toBe(412);
    expect(await patch('If-Match: "7-00000000"', 'If-Match: "1-00000000"')).toBe(200);
  });
});

describe('more headers than a request may have', () => {
  /** The headers beside the five that `create` sends. */
  const notes = (count: number) => Array.from({ length: count - 5 }, (_, index) => `X-Note-${index}: a`);

  it('do not hide a second Authorization: the request is rejected with 431', async () => {
    await using gateway = await startTestGateway();
    for (const count of [1000, 150, 101]) {
      const { status, text } = await create(gateway, ...notes(count - 1), 'Authorization: Bearer other');
      expect([count, status]).toEqual([count, 431]);
      expect(text).toContain('HEADERS_TOO_LARGE');
    }
    expect(gateway.services.counts.create).toBe(0);
  });

  it('do not begin below 101', async () => {
    await using gateway = await startTestGateway();
    expect((await create(gateway, ...notes(100))).status).toBe(201);
  });
});

import { gunzipSync } from 'node:zlib';
import { findProcedure, routes } from '@gatehouse/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rawResponse } from './testing/rawRequest.js';
import { startTestGateway, type TestGateway } from './testing/testGateway.js';

const DASHBOARDS = '/api/management/v1/dashboards';
const SECRET = /^(?:\w*[sS]ecret|accessToken|password|privateKey)$/;

/** Returns the names of all fields in the JSON Schema of a schema. */
function fieldsOf(schema: z.core.$ZodType): string[] {
  const json = JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any' }));
  return [...json.matchAll(/"(\w+)":\{/g)].map(([, name = '']) => name);
}

describe('compression', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway();
    const description = 'Revenue by region. '.repeat(100);
    for (const title of ['small', 'large']) {
      const json = { title, template: { description: title === 'large' ? description : '' } };
      await gateway.send(DASHBOARDS, { method: 'POST', json });
    }
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  const idOf = (wanted: string) =>
    [...gateway.services.dashboards.values()].find(({ title }) => title === wanted)?.id ?? '';
  const request = (line: string, encoding: string, body = '') =>
    rawResponse(gateway.port, [
      `${line} HTTP/1.1`,
      'Host: x',
      `Authorization: Bearer ${gateway.token()}`,
      `Accept-Encoding: ${encoding}`,
      ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
      'Connection: close',
      '',
      body,
    ]);

  it('applies to a large response to a read and keeps the entity tag', async () => {
    const line = `GET ${DASHBOARDS}/${idOf('large')}`;
    const plain = await request(line, 'identity');
    const compressed = await request(line, 'gzip');
    expect(plain.headers.get('content-encoding')).toBeNull();
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    expect(compressed.headers.get('vary')).toBe('accept-encoding');
    expect(compressed.headers.get('etag')).toBe(plain.headers.get('etag'));
    expect(gunzipSync(compressed.body)).toEqual(plain.body);
    expect(compressed.body.length).toBeLessThan(plain.body.length / 2);
  });

  it('does not apply to a small response', async () => {
    const { headers } = await request(`GET ${DASHBOARDS}/${idOf('small')}`, 'gzip');
    expect(headers.get('content-encoding')).toBeNull();
  });

  it('does not apply to the response to a write, which may contain a secret', async () => {
    const body = JSON.stringify({ title: 'written', template: { text: 'a'.repeat(4000) } });
    const { headers, body: response } = await request(`POST ${DASHBOARDS}`, 'gzip', body);
    expect(headers.get('content-encoding')).toBeNull();
    expect(JSON.parse(response.toString())).toMatchObject({ dashboard: { secret: 's3cret' } });
  });

  it('does not apply to any response with a secret or a token', () => {
    const isSecret = (name: string) => SECRET.test(name);
    const withSecret = routes.filter(({ procedure }) =>
      fieldsOf(findProcedure(procedure).output).some(isSecret),
    );
    const methods = withSecret.map(({ method }) => method);
    expect(withSecret.map(({ operationId }) => operationId)).toContain('rotateProjectSecret');
    expect(methods).toEqual(methods.map(() => 'POST'));
  });
});

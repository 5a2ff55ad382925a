import { findProcedure, routes, type Route } from '@gatehouse/contract';
import { createOpenApiDocument } from '@gatehouse/contract/openapi';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { findDeprecatedFields, writeDeprecation } from './deprecation.js';
import { startTestGateway } from './testing/testGateway.js';

const DASHBOARDS = '/api/management/v1/dashboards';
const deprecated = { since: '2026-03-01', sunset: '2027-03-01' };
const DEPRECATION_HEADERS = {
  deprecation: `@${Date.UTC(2026, 2, 1) / 1000}`,
  sunset: 'Mon, 01 Mar 2027 00:00:00 GMT',
  link: '</docs>; rel="deprecation"; type="text/html"',
};

function deprecate(operationId: string): readonly Route[] {
  return routes.map((route) => (route.operationId === operationId ? { ...route, deprecated } : route));
}

describe('a deprecated route', () => {
  it('has the headers in every response, including errors and replays', async () => {
    await using gateway = await startTestGateway({}, deprecate('createDashboard'));
    const post = (json: object, headers: Record<string, string> = {}) =>
      gateway.send(DASHBOARDS, { method: 'POST', json, headers });
    const responses = [
      await post({ title: 'Sales' }, { 'Idempotency-Key': 'k' }),
      await post({ title: 'Sales' }, { 'Idempotency-Key': 'k' }),
      await post({ title: 7 }),
      await post({ title: 'Sales' }, { Authorization: 'Bearer nonsense' }),
      await post({ title: 'fails' }),
    ];
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 400, 401, 500]);
    for (const { headers } of responses)
      expect(Object.fromEntries(headers)).toMatchObject(DEPRECATION_HEADERS);
  });

  it('adds no headers to other routes', async () => {
    await using gateway = await startTestGateway({}, deprecate('createDashboard'));
    const { headers } = await gateway.send(DASHBOARDS);
    expect(headers.has('Deprecation')).toBe(false);
    expect(headers.has('Sunset')).toBe(false);
  });

  it('is marked in the OpenAPI document', () => {
    const { paths } = createOpenApiDocument(deprecate('createDashboard'));
    expect(paths[DASHBOARDS]?.['post']?.deprecated).toBe(true);
    expect(paths[DASHBOARDS]?.['get']?.deprecated).toBeUndefined();
  });
});

describe('a deprecated field', () => {
  it('has the headers of its schema, with the earliest sunset first', () => {
    const field = (sunset: string) => z.string().meta({ deprecated: true, since: '2026-03-01', sunset });
    const fields = findDeprecatedFields({
      late: field('2027-06-01'),
      early: field('2027-03-01'),
      kept: z.string(),
    });
    expect([...fields.keys()]).toEqual(['early', 'late']);
    expect(fields.get('early')).toEqual(writeDeprecation(deprecated));
  });

  it('adds its headers when a request uses it', async () => {
    const { search } = findProcedure('access.dashboards.list').input.shape;
    if (!search) throw new Error('unknown field');
    z.globalRegistry.add(search, { deprecated: true, ...deprecated });
    try {
      await using gateway = await startTestGateway();
      const used = await gateway.send(`${DASHBOARDS}?search=Sales`);
      expect(Object.fromEntries(used.headers)).toMatchObject(DEPRECATION_HEADERS);
      expect((await gateway.send(DASHBOARDS)).headers.has('Deprecation')).toBe(false);
      const parameters = createOpenApiDocument().paths[DASHBOARDS]?.['get']?.parameters ?? [];
      expect(parameters.filter((parameter) => parameter.deprecated).map(({ name }) => name)).toEqual([
        'search',
      ]);
    } finally {
      z.globalRegistry.remove(search);
    }
  });

  it('is found in a nullable schema with a default', () => {
    const inner = z.string().meta({ deprecated: true, ...deprecated });
    expect(findDeprecatedFields({ old: inner.nullable().default(null) }).size).toBe(1);
  });

  it('without dates throws an error', () => {
    expect(() => findDeprecatedFields({ old: z.string().meta({ deprecated: true }) })).toThrow('sunset');
  });
});

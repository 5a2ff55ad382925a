import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ValidationResult } from '@gatehouse/contract';
import { createApi } from './src/api.js';
import { forms, type TestServer } from './src/servers.js';
import {
  cardOf,
  createStaticConnection,
  FIX,
  makeValidationWorld,
  templateOf,
  VALIDATE,
  type ValidationWorld,
} from './src/validationWorld.js';

const MIB = 1024 * 1024;
/** Keys that have a meaning in some place of a template, and one that has none. */
const KEYS = [
  'sheets',
  'frames',
  'cards',
  'visualId',
  'dataSource',
  'selectedEntities',
  'joins',
  'fields',
  'columns',
  'filters',
  'aiContext',
  'sql',
  'colour',
];

interface Refusal {
  code: string;
  details: unknown;
}
type Json = Record<string, unknown> | unknown[];

/** Every object and list of a value. */
function partsOf(value: unknown): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value as Json, ...Object.values(value).flatMap(partsOf)];
}

/** Puts a value into a template, instead of an existing one or beside it. */
function damage(template: object, { place, key, value }: { place: number; key: string; value: unknown }) {
  const damaged = structuredClone(template);
  const parts = partsOf(damaged);
  const part = parts[place % parts.length] ?? damaged;
  if (Array.isArray(part)) part[0] = value;
  else Object.assign(part, { [key]: value });
  return damaged;
}

describe.each(forms)('the content of dashboards ($form)', ({ start }) => {
  let server: TestServer;
  let world: ValidationWorld;
  beforeAll(async () => {
    server = await start();
    const api = await createApi(server.credentials);
    world = await makeValidationWorld(api, server.credentials.adminOrgUserId);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const validate = (template: unknown) =>
    world.admin.post<ValidationResult & Refusal>(VALIDATE, { template });
  const filled = (bytes: number) => {
    const template = { ...templateOf(cardOf(world.connectionId, 'orders', 'id')), note: '' };
    return { ...template, note: 'x'.repeat(bytes - JSON.stringify(template).length) };
  };

  it('is validated up to a MiB, and rejected by name above that', async () => {
    expect(await validate(filled(MIB))).toMatchObject({ status: 200, body: { isValid: true } });
    const { status, body } = await validate(filled(MIB + 1));
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(body.details).toBe(`template: must be at most ${MIB} bytes of JSON`);
  });

  it('may be 10,000 cards, all of which are validated', async () => {
    const dataSource = { connectionId: await createStaticConnection(world.admin, { t: ['a'] }) };
    // With as few characters as ten thousand of them need to fit into a MiB.
    const fieldOf = (n: number) => ({ entity: 't', column: n === 9999 ? 'b' : 'a' });
    const cards = Array.from({ length: 10_000 }, (_, n) => ({ dataSource, fields: { sort: [fieldOf(n)] } }));
    const { status, body } = await validate(templateOf(...cards));
    expect([status, body.summary.validCards, body.summary.invalidCards]).toEqual([200, 9999, 1]);
    expect(body.issues).toMatchObject([{ path: '/sheets/0/frames/0/cards/9999/fields/sort/0/column' }]);
  });

  it('is kept and ignored if it is unknown', async () => {
    const template = {
      ...templateOf({ ...cardOf(world.connectionId, 'orders', 'id'), colour: [{}] }),
      a: null,
    };
    expect(await validate(template)).toMatchObject({ status: 200, body: { isValid: true, issues: [] } });
  });

  it.each(['text', 7, true, [], null])('is not a template if it is %j', async (template) => {
    const { status, body } = await validate(template);
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(JSON.stringify(body.details)).toContain('template');
  });

  it('leads to a report or an error with the location, for any value in any place', async () => {
    const { connectionId, domainId, assistantProfileId: profileId } = world;
    const joins = [
      { source: 'orders', target: 'customers', on: [{ sourceColumn: 'id', targetColumn: 'id' }] },
    ];
    const selectedEntities = [{ table: 'orders' }, { table: 'customers' }];
    const card = {
      ...cardOf(connectionId, 'orders', 'region'),
      filters: [{ entity: 'orders', column: 'id' }],
    };
    const whole = {
      ...templateOf(
        { ...card, dataSource: { connectionId, selectedEntities, joins } },
        { dataSource: { domainId, selectedEntities: [{ table: 'Orders' }] }, sql: 'SELECT 1' },
      ),
      filters: [{ field: 'amount' }],
      aiContext: { selectedEntities: [{ table: 'orders' }], assistantProfileId: profileId },
    };
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.constant(whole.sheets),
      fc.constant(connectionId),
    );
    const wrong = fc.record({ place: fc.nat(60), key: fc.constantFrom(...KEYS), value });
    await fc.assert(
      fc.asyncProperty(fc.array(wrong, { minLength: 1, maxLength: 3 }), async (damages) => {
        const template = damages.reduce(damage, whole);
        for (const path of [VALIDATE, FIX]) {
          const { status, body } = await world.admin.post<Refusal>(path, { template });
          const place = Array.isArray(body.details) ? body.details : [body.details];
          expect(status === 200 || (status === 400 && place.length > 0)).toBe(true);
        }
      }),
      { numRuns: 60 },
    );
  });
});

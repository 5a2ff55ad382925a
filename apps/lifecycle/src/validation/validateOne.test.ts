import type { JsonObject } from '@gatehouse/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { startValidation, StubServices } from '../testing/stubServices.js';

let stubs: StubServices;
let platform: Awaited<ReturnType<typeof startValidation>>;
beforeEach(async () => {
  stubs = new StubServices();
  platform = await startValidation(stubs);
});

const ORDERS = { orders: ['id', 'region'] };
const templateOf = (...columns: [connectionId: string, column: string][]): JsonObject => ({
  sheets: [
    {
      frames: [
        {
          cards: columns.map(([connectionId, column]) => ({
            dataSource: { connectionId, selectedEntities: [{ table: 'orders' }] },
            fields: { columns: [{ column }] },
          })),
        },
      ],
    },
  ],
});
const validate = async (template: JsonObject) =>
  platform.validation.validate.mutate({ template }, { context: await platform.as() });
const fix = async (template: JsonObject) =>
  platform.validation.fix.mutate({ template }, { context: await platform.as() });
const codesOf = async (template: JsonObject) => (await validate(template)).issues.map(({ code }) => code);

describe('the catalogs of a validation', () => {
  it('are loaded once while they are unchanged, with their renames', async () => {
    const renames = [
      {
        kind: 'columnRenamed',
        schema: 'public',
        table: 'orders',
        column: 'region',
        from: 'area',
        to: 'region',
      } as const,
    ];
    stubs.connections.set('c_1', { tables: ORDERS, version: 2, renames });
    for (let n = 0; n < 2; n += 1) {
      const { fixes } = await fix(templateOf(['c_1', 'area']));
      expect(fixes).toMatchObject([{ from: 'area', to: 'region', reason: 'catalogRename' }]);
    }
    expect(stubs.sentCatalogs).toEqual(['c_1 2']);
  });

  it('are loaded by several calls when they exceed one response', async () => {
    stubs.catalogsAtOnce = 1;
    const ids = ['c_1', 'c_2', 'c_3'];
    for (const id of ids) stubs.connections.set(id, { tables: ORDERS, version: 1 });
    expect(await codesOf(templateOf(['c_1', 'id'], ['c_2', 'nothing'], ['c_3', 'id']))).toEqual([
      'FIELD_NOT_FOUND',
    ]);
    expect(stubs.sentCatalogs).toEqual(['c_1 1', 'c_2 1', 'c_3 1']);
  });

  it('are limited in number', async () => {
    stubs.catalogsAtOnce = 0;
    stubs.connections.set('c_1', { tables: ORDERS, version: 1 });
    await expect(validate({})).rejects.toMatchObject({
      cause: { code: 'UNAVAILABLE', retryAfterSeconds: 60 },
    });
  });

  it('are indexed again when the dialect of the connection changes', async () => {
    const template = templateOf(['c_1', 'REGION']);
    stubs.connections.set('c_1', { tables: { orders: ['Region'] }, version: 1 });
    expect(await codesOf(template)).toEqual(['FIELD_NOT_FOUND']);
    stubs.connections.set('c_1', { tables: { orders: ['Region'] }, version: 1, dialect: 'mysql' });
    expect(await codesOf(template)).toEqual([]);
  });

  it('are no longer used when the connection is deleted', async () => {
    stubs.connections.set('c_1', { tables: ORDERS, version: 1 });
    expect(await codesOf(templateOf(['c_1', 'id']))).toEqual([]);
    stubs.connections.clear();
    expect(await codesOf(templateOf(['c_1', 'id']))).toEqual(['CONNECTION_NOT_FOUND']);
  });
});

describe('a template that links a text that is not an id', () => {
  it.each(['a.b', '$where', 'x'.repeat(65), '\u202E'])('is validated and fixed: %j', async (visualId) => {
    const template = { sheets: [{ frames: [{ visualId }] }] };
    expect(await codesOf(template)).toEqual(['VISUAL_NOT_FOUND']);
    expect((await fix(template)).result.issues).toMatchObject([{ path: '/sheets/0/frames/0/visualId' }]);
  });
});

import type { JsonObject } from '@gatehouse/contract';
import { beforeEach, describe, expect, it } from 'vitest';
import { startValidation, Surroundings } from '../testing/platform.js';

let around: Surroundings;
let platform: Awaited<ReturnType<typeof startValidation>>;
beforeEach(async () => {
  around = new Surroundings();
  platform = await startValidation(around);
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
  platform.validation.validate(await platform.as(), { template });
const fix = async (template: JsonObject) => platform.validation.fix(await platform.as(), { template });
const codesOf = async (template: JsonObject) => (await validate(template)).issues.map(({ code }) => code);

describe('the catalogs that one template is validated against', () => {
  it('are asked for once while they stay the same, and renames are remembered with them', async () => {
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
    around.connections.set('c_1', { tables: ORDERS, version: 2, renames });
    for (let n = 0; n < 2; n += 1) {
      const { fixes } = await fix(templateOf(['c_1', 'area']));
      expect(fixes).toMatchObject([{ from: 'area', to: 'region', reason: 'catalogRename' }]);
    }
    expect(around.sentCatalogs).toEqual(['c_1 2']);
  });

  it('all come, though one answer has no room for them', async () => {
    around.catalogsAtOnce = 1;
    const ids = ['c_1', 'c_2', 'c_3'];
    for (const id of ids) around.connections.set(id, { tables: ORDERS, version: 1 });
    expect(await codesOf(templateOf(['c_1', 'id'], ['c_2', 'nothing'], ['c_3', 'id']))).toEqual([
      'FIELD_NOT_FOUND',
    ]);
    expect(around.sentCatalogs).toEqual(['c_1 1', 'c_2 1', 'c_3 1']);
  });

  it('are not waited for without end where they are too many', async () => {
    around.catalogsAtOnce = 0;
    around.connections.set('c_1', { tables: ORDERS, version: 1 });
    await expect(validate({})).rejects.toMatchObject({ code: 'UNAVAILABLE', retryAfterSeconds: 60 });
  });

  it('are folded as the dialect that the connection has now, not the one it had', async () => {
    const template = templateOf(['c_1', 'REGION']);
    around.connections.set('c_1', { tables: { orders: ['Region'] }, version: 1 });
    expect(await codesOf(template)).toEqual(['FIELD_NOT_FOUND']);
    around.connections.set('c_1', { tables: { orders: ['Region'] }, version: 1, dialect: 'mysql' });
    expect(await codesOf(template)).toEqual([]);
  });

  it('are forgotten when the connection has none any more', async () => {
    around.connections.set('c_1', { tables: ORDERS, version: 1 });
    expect(await codesOf(templateOf(['c_1', 'id']))).toEqual([]);
    around.connections.clear();
    expect(await codesOf(templateOf(['c_1', 'id']))).toEqual(['CONNECTION_NOT_FOUND']);
  });
});

import { describe, expect, it } from 'vitest';
import { describeChange, rowsOf, searchRows } from './catalogRows.js';
import { changesConfig, configOf, hasField, valuesOf } from './connectionConfig.js';

describe('the configuration of a connection', () => {
  const stored = { host: 'db', port: 5432, database: 'd', user: 'u', tls: 'verify', hasPassword: true };

  it('keeps a stored password, and contains the fields of its type only', () => {
    const values = { ...valuesOf(stored), file: 'x.db', dialect: 'mysql' };
    expect(configOf('postgres', values)).toEqual({
      host: 'db',
      port: 5432,
      database: 'd',
      user: 'u',
      tls: 'verify',
    });
    expect(configOf('postgres', { ...values, password: 'new' })).toMatchObject({ password: 'new' });
    expect(configOf('sqlite', values)).toEqual({ file: 'x.db' });
  });

  it('is changed by its own fields only', () => {
    expect(changesConfig('static', { name: 'n', rowBarrier: true })).toBe(false);
    expect(changesConfig('static', { dialect: 'mysql' })).toBe(true);
    expect([hasField('static', 'host'), hasField('unknown', 'host')]).toEqual([false, false]);
  });
});

describe('a catalog', () => {
  const table = (name: string, ...columns: string[]) => ({
    name,
    kind: 'table' as const,
    columns: columns.map((column) => ({ name: column, type: 'text' })),
  });

  it('of one database and of several has a row for each table', () => {
    const schemas = [{ name: 'sales', tables: [table('orders', 'id'), table('items', 'price')] }];
    expect(rowsOf({ schemas }).map(({ place, name }) => `${place}.${name}`)).toEqual([
      'sales.items',
      'sales.orders',
    ]);
    expect(rowsOf({ databases: [{ name: 'db', schemas }] })[0]?.place).toBe('db.sales');
    expect(rowsOf(null)).toEqual([]);
  });

  it('is searched by the names of tables, schemas and columns', () => {
    const rows = rowsOf({
      schemas: [{ name: 'sales', tables: [table('orders', 'id'), table('items', 'Price')] }],
    });
    const find = (text: string) => searchRows(rows, text).map(({ name }) => name);
    expect([find('price'), find('ORD'), find('sales'), find('none')]).toEqual([
      ['items'],
      ['orders'],
      ['items', 'orders'],
      [],
    ]);
  });

  it('changes in words', () => {
    expect(
      describeChange({ kind: 'columnRenamed', schema: 's', table: 't', column: 'a', from: 'a', to: 'b' }),
    ).toEqual({ title: 'Column renamed', place: 's.t.a', detail: 'a → b' });
  });
});

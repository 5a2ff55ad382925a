import { describe, expect, it } from 'vitest';
import { MAX_COLUMNS, MAX_SCHEMAS, MAX_TABLES, TableList } from './tableList.js';

describe('TableList', () => {
  it('gives schemas and tables by name and columns as they came', () => {
    const list = new TableList();
    const table = list.addTable('b', 'z', 'table');
    list.addColumn(table, { name: 'y', type: 'int' });
    list.addColumn(list.addTable('b', 'z', 'view'), { name: 'x', type: 'text' });
    list.addTable('b', 'A', 'view');
    list.addSchema('a');
    expect(list.toSchemas()).toEqual([
      { name: 'a', tables: [] },
      {
        name: 'b',
        tables: [
          { name: 'A', kind: 'view', columns: [] },
          {
            name: 'z',
            kind: 'table',
            columns: [
              { name: 'y', type: 'int' },
              { name: 'x', type: 'text' },
            ],
          },
        ],
      },
    ]);
  });

  it('cuts a type that is too long, between two characters', () => {
    const list = new TableList();
    const table = list.addTable('s', 't', 'table');
    for (const type of ['x'.repeat(200), 'x'.repeat(201), `${'x'.repeat(198)}😀x`])
      list.addColumn(table, { name: 'c', type });
    expect(table.columns.map(({ type }) => type)).toEqual([
      'x'.repeat(200),
      `${'x'.repeat(199)}…`,
      `${'x'.repeat(198)}\ufffd…`,
    ]);
  });

  it('takes no more schemas, tables and columns than a catalog holds', () => {
    const list = new TableList();
    for (let i = 1; i < MAX_SCHEMAS; i += 1) list.addSchema(`s${i}`);
    for (let i = 0; i < MAX_TABLES; i += 1) list.addTable('s', `t${i}`, 'table');
    expect(() => list.addSchema('one more')).toThrow(`more than ${MAX_SCHEMAS} schemas`);
    expect(() => list.addTable('s', 'one more', 'table')).toThrow(`more than ${MAX_TABLES} tables`);
    const table = list.addTable('s', 't0', 'table');
    for (let i = 0; i < MAX_COLUMNS; i += 1) list.addColumn(table, { name: 'c', type: '' });
    expect(() => list.addColumn(table, { name: 'c', type: '' })).toThrow(`more than ${MAX_COLUMNS} columns`);
  });
});

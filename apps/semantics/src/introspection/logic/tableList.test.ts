import { describe, expect, it } from 'vitest';
import { MAX_COLUMNS, MAX_SCHEMAS, MAX_TABLES, TableList } from './tableList.js';

describe('TableList', () => {
  it('sorts schemas and tables by name, and keeps the order of columns', () => {
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

  it('truncates a long type between two characters', () => {
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

  it('rejects more schemas, tables and columns than the limits', () => {
    const list = new TableList();
    for (let i = 1; i < MAX_SCHEMAS; i += 1) list.addSchema(`s${i}`);
    for (let i = 0; i < MAX_TABLES; i += 1) list.addTable('s', `t${i}`, 'table');
    expect(() => list.addSchema('one more')).toThrow(`more than ${MAX_SCHEMAS} schemas`);
    expect(() => list.addTable('s', 'one more', 'table')).toThrow(`more than ${MAX_TABLES} tables`);
    const table = list.addTable('s', 't0', 'table');
    for (let i = 0; i < MAX_COLUMNS; i += 1) list.addColumn(table, { name: 'c', type: '' });
    expect(() => list.addColumn(table, { name: 'c', type: '' })).toThrow(`more than ${MAX_COLUMNS} columns`);
  });

  // A copy of the list for each of 50,000 parents took a minute.
  it('adds the parents of a table to one list', () => {
    const list = new TableList();
    const table = list.addTable('s', 't', 'table');
    const addParent = (name: string) =>
      list.addParent({ schema: 's', name: 't' }, { schema: 's', table: name });
    addParent('one');
    const parents = table.partOf;
    addParent('two');
    expect(table.partOf).toBe(parents);
    expect(parents?.map((parent) => parent.table)).toEqual(['one', 'two']);
  });
});

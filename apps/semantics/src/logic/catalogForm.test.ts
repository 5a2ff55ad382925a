import type { Catalog } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { canonicalText, catalogFrom, findCatalogFaults } from './catalogForm.js';

const columns = (...names: string[]) => names.map((name) => ({ name, type: 'text' }));
const table = (name: string, ...names: string[]) => ({
  name,
  kind: 'table' as const,
  columns: columns(...names),
});

describe('a catalog', () => {
  it('is made of either form', () => {
    expect(catalogFrom({ schemas: [], defaultSchema: null })).toEqual({ schemas: [], defaultSchema: null });
    expect(catalogFrom({ databases: [], defaultDatabase: 'a' })).toEqual({
      databases: [],
      defaultDatabase: 'a',
    });
    expect(Object.keys(catalogFrom({ databases: [] }))).toEqual(['databases']);
  });

  it('has each name once beside its like, and says where not', () => {
    const schemas = [
      { name: 'a', tables: [table('t', 'x', 'y', 'x'), table('t'), table('T')] },
      { name: 'a', tables: [table('t')] },
    ];
    const places = ['schemas[1].name', 'schemas[0].tables[1].name', 'schemas[0].tables[0].columns[2].name'];
    const message = 'is there twice';
    const faultsAt = (prefix: string) => places.map((field) => ({ field: prefix + field, message }));
    const sorted = (catalog: Catalog) =>
      findCatalogFaults(catalog).toSorted(
        (a, b) =>
          places.findIndex((each) => a.field.endsWith(each)) -
          places.findIndex((each) => b.field.endsWith(each)),
      );
    expect(sorted({ schemas })).toEqual(faultsAt(''));
    expect(sorted({ databases: [{ name: 'd', schemas }] })).toEqual(faultsAt('databases[0].'));
    const twins = {
      databases: [
        { name: 'd', schemas: [] },
        { name: 'd', schemas: [] },
      ],
    };
    expect(findCatalogFaults(twins)).toEqual([{ field: 'databases[1].name', message }]);
  });
});

describe('what tells a catalog from another', () => {
  const base: Catalog = { defaultSchema: 'a', schemas: [{ name: 'a', tables: [table('t', 'x', 'y')] }] };
  const others: [string, Catalog][] = [
    ['the default schema', { ...base, defaultSchema: 'b' }],
    ['the order of columns', { ...base, schemas: [{ name: 'a', tables: [table('t', 'y', 'x')] }] }],
    [
      'what a table is',
      { ...base, schemas: [{ name: 'a', tables: [{ ...table('t', 'x', 'y'), kind: 'view' }] }] },
    ],
    ['its form', { databases: [{ name: 'a', schemas: base.schemas }] }],
  ];
  it.each(others)('is %s', (_, other) => {
    expect(canonicalText(other)).not.toBe(canonicalText(base));
  });

  it('is not that a default is said to be none', () => {
    expect(canonicalText({ schemas: [], defaultSchema: null })).toBe(canonicalText({ schemas: [] }));
  });
});

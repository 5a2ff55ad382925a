import type { Catalog } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { canonicalText, catalogFrom, findCatalogFaults } from './form.js';

const columns = (...names: string[]) => names.map((name) => ({ name, type: 'text' }));
const table = (name: string, ...names: string[]) => ({
  name,
  kind: 'table' as const,
  columns: columns(...names),
});

describe('a catalog', () => {
  it('is built from either form', () => {
    expect(catalogFrom({ schemas: [], defaultSchema: null })).toEqual({ schemas: [], defaultSchema: null });
    expect(catalogFrom({ databases: [], defaultDatabase: 'a' })).toEqual({
      databases: [],
      defaultDatabase: 'a',
    });
    expect(Object.keys(catalogFrom({ databases: [] }))).toEqual(['databases']);
  });

  it('reports duplicate names among siblings, with their fields', () => {
    const schemas = [
      { name: 'a', tables: [table('t', 'x', 'y', 'x'), table('t'), table('T')] },
      { name: 'a', tables: [table('t')] },
    ];
    const places = ['schemas[1].name', 'schemas[0].tables[1].name', 'schemas[0].tables[0].columns[2].name'];
    const message = 'is duplicated';
    const faultsAt = (prefix: string) =>
      places.map((field) => ({ field: prefix + field, message, code: 'duplicate' }));
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
    expect(findCatalogFaults(twins)).toEqual([{ field: 'databases[1].name', message, code: 'duplicate' }]);
  });
});

describe('canonicalText', () => {
  const base: Catalog = { defaultSchema: 'a', schemas: [{ name: 'a', tables: [table('t', 'x', 'y')] }] };
  const others: [string, Catalog][] = [
    ['the default schema', { ...base, defaultSchema: 'b' }],
    ['the order of columns', { ...base, schemas: [{ name: 'a', tables: [table('t', 'y', 'x')] }] }],
    [
      'the kind of a table',
      { ...base, schemas: [{ name: 'a', tables: [{ ...table('t', 'x', 'y'), kind: 'view' }] }] },
    ],
    [
      'the parents of a table',
      {
        ...base,
        schemas: [
          { name: 'a', tables: [{ ...table('t', 'x', 'y'), partOf: [{ schema: 'a', table: 'u' }] }] },
        ],
      },
    ],
    ['the setting of the server', { ...base, lowerCaseTableNames: 1 }],
    ['its form', { databases: [{ name: 'a', schemas: base.schemas }] }],
  ];
  it.each(others)('depends on %s', (_, other) => {
    expect(canonicalText(other)).not.toBe(canonicalText(base));
  });

  it('does not depend on whether a null default is explicit', () => {
    expect(canonicalText({ schemas: [], defaultSchema: null })).toBe(canonicalText({ schemas: [] }));
  });
});

import type { CatalogChange } from '@gatehouse/contract';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CatalogIndex } from './catalogIndex.js';
import { followColumn, followTable, RenameIndex } from './renames.js';

const NAMES = ['a', 'b', 'c'];
const SCHEMAS = ['public', 's'];
const name = fc.constantFrom(...NAMES);
const schema = fc.constantFrom(...SCHEMAS);
const change: fc.Arbitrary<CatalogChange> = fc.oneof(
  fc.record({ kind: fc.constant('tableRenamed' as const), schema, from: name, to: name }),
  fc.record({ kind: fc.constant('columnRenamed' as const), schema, table: name, from: name, to: name }),
);
const renames = fc.array(change, { maxLength: 12 });

/** Follows a name through changes, one after the other. */
function follow(written: string, changes: readonly CatalogChange[]): string {
  return changes.reduce((current, { from, to }) => (from === current && to ? to : current), written);
}

/** The changes of a table's columns, found backwards from its present name. */
function columnChanges(changes: readonly CatalogChange[], table: string): CatalogChange[] {
  let current = table;
  return changes
    .toReversed()
    .filter(({ kind, table: changed, from, to }) => {
      if (kind === 'tableRenamed' && to === current) current = from ?? current;
      return kind === 'columnRenamed' && changed === current;
    })
    .toReversed();
}

const columns = NAMES.map((column) => ({ name: column, type: 'text' }));
const tables = NAMES.map((table) => ({ name: table, kind: 'table' as const, columns }));
const catalog = new CatalogIndex(
  { defaultSchema: 'public', schemas: SCHEMAS.map((each) => ({ name: each, tables })) },
  'postgres',
);

describe('renames', () => {
  it('of tables are followed in the schema of the reference, in order', () => {
    fc.assert(
      fc.property(renames, name, fc.option(schema, { nil: undefined }), (changes, table, written) => {
        const found = followTable(catalog, new RenameIndex(changes), { schema: written, table });
        const inSchema = changes.filter((each) => each.schema === (written ?? 'public'));
        const last = follow(
          table,
          inSchema.filter(({ kind }) => kind === 'tableRenamed'),
        );
        expect(found.map(({ qualified }) => qualified.table)).toEqual(last === table ? [] : [last]);
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it('of columns are followed across renames of their table', () => {
    fc.assert(
      fc.property(renames, name, name, (changes, tableName, column) => {
        const table = catalog.findTable({ table: tableName });
        if (table === null) throw new Error(`There is no table ${tableName}`);
        const inSchema = changes.filter((each) => each.schema === 'public');
        const last = follow(column, columnChanges(inSchema, tableName));
        expect(followColumn(table, new RenameIndex(changes), column)).toBe(last === column ? null : last);
      }),
      { numRuns: randomRuns(2000) },
    );
  });
});

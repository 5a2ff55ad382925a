import { SqlDialect, type Catalog, type RlsMatcher } from '@gatehouse/contract';
import { runToEnd } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { indexCatalog, type CatalogIndex } from './catalogIndex.js';
import { rulesInDoubt, rulesOf } from './matchRules.js';
import { createTableMatcher } from './matchTables.js';
import type { ResolvedRule } from './restriction.js';

const LONG = 'l'.repeat(63);
const COMMON = ['a', 'A', 'b', 'ä', 'Ä', 'İ', 'i', 'ß', 'ſ', 's', 'S', 'K', '\u212a'];
const SERVER_NAMES = [...COMMON, '"a"', '`a`', '[a]', 'a"b', 'a`b', 'a]b', '', LONG, `${LONG}x`, `${LONG}ä`];
const QUOTED_NAMES = ['"A"', '`A`', '[A]', '"a""b"', '`a``b`', '[a]]b]', `"${LONG}y"`, '""'];

/** Half of the names are one of two, so that lists, tables and their parts often meet. */
const someName = (names: string[]) =>
  fc.oneof(fc.constantFrom('a', 'a', 'a', 'A'), fc.constantFrom(...names));
const serverName = someName(SERVER_NAMES);
const policyName = someName([...SERVER_NAMES, ...QUOTED_NAMES]);
const place = fc.record({ schema: serverName, table: serverName });
const table = fc.record({
  name: serverName,
  kind: fc.constant('table' as const),
  columns: fc.array(fc.record({ name: serverName, type: fc.constant('integer') }), { maxLength: 2 }),
  unreadableColumns: fc.array(serverName, { maxLength: 1 }),
  partOf: fc.array(place, { maxLength: 3 }),
});
const schemas = fc.array(fc.record({ name: serverName, tables: fc.array(table, { maxLength: 6 }) }), {
  maxLength: 4,
});
const catalogs: fc.Arbitrary<Catalog> = fc.oneof(
  fc.record({ schemas }),
  fc.record({ databases: fc.array(fc.record({ name: serverName, schemas }), { maxLength: 3 }) }),
);
const entry = fc.record(
  { table: policyName, schema: policyName, database: policyName },
  {
    requiredKeys: ['table'],
  },
);
const matcherArbitrary: fc.Arbitrary<RlsMatcher> = fc.oneof(
  fc.record({ type: fc.constant('TABLE_LIST' as const), tables: fc.array(entry, { maxLength: 5 }) }),
  fc.record({ type: fc.constant('ALL_TABLES_WITH_COLUMN' as const), column: policyName }),
  fc.record(
    { type: fc.constant('SCHEMA' as const), schema: policyName, database: policyName, column: policyName },
    { requiredKeys: ['type', 'schema'] },
  ),
);

/** Compares every entry with every table, as a statement does with the tables that it names. */
function compareEach(matcher: RlsMatcher, { tables, dialect }: CatalogIndex) {
  const origin = { definitionId: null, assignmentId: null, source: 'persisted' as const };
  const rules: ResolvedRule[] = [{ name: '', ...origin, matcher, expression: '', values: {}, missing: [] }];
  return [rulesOf, rulesInDoubt].map((meets) =>
    tables.filter((each) => meets(each, rules, dialect).length > 0),
  );
}

describe('a matcher', () => {
  it.each(SqlDialect.options)('covers the same tables as one comparison at a time does on %s', (dialect) => {
    const met = { governed: 0, inDoubt: 0 };
    fc.assert(
      fc.property(
        catalogs,
        fc.array(matcherArbitrary, { minLength: 1, maxLength: 3 }),
        (catalog, matchers) => {
          const index = indexCatalog(catalog, dialect);
          const matchTables = createTableMatcher(index);
          for (const matcher of [...matchers, ...matchers]) {
            const { governed, inDoubt } = runToEnd(matchTables(matcher));
            const [isGoverned = [], isInDoubt = []] = compareEach(matcher, index);
            const placesOf = (tables: Iterable<CatalogIndex['tables'][number]>) =>
              Array.from(tables, (each) => index.tables.indexOf(each));
            expect(placesOf(governed)).toEqual(placesOf(isGoverned));
            expect(placesOf(inDoubt)).toEqual(placesOf(isInDoubt));
            met.governed += governed.size;
            met.inDoubt += inDoubt.size;
          }
        },
      ),
      { numRuns: 300, seed: 1 },
    );
    expect(Math.min(met.governed, met.inDoubt)).toBeGreaterThan(20);
  });

  it.each(['postgres', 'mysql'] as const)('reads a long name once for all tables on %s', (dialect) => {
    const tables = Array.from({ length: 1000 }, (_, each) => ({
      name: `t${each}`,
      kind: 'table' as const,
      columns: [{ name: 'id', type: 'text' }],
    }));
    const index = indexCatalog({ schemas: [{ name: 's', tables }] }, dialect);
    const long = 'ä'.repeat(200);
    const read = vi.spyOn(Buffer, 'byteLength');
    const folded = vi.spyOn(String.prototype, 'toUpperCase');
    try {
      for (const matcher of [
        { type: 'SCHEMA' as const, schema: long, database: long },
        { type: 'ALL_TABLES_WITH_COLUMN' as const, column: long },
        { type: 'SCHEMA' as const, schema: 's', column: long },
      ])
        expect(runToEnd(createTableMatcher(index)(matcher)).governed.size).toBe(0);
      // It has 200 letters, which were read for each of 1,000 tables.
      expect(read.mock.calls.length + folded.mock.calls.length).toBeLessThan(20_000);
    } finally {
      read.mockRestore();
      folded.mockRestore();
    }
  });

  it('is compared with a hundred tables in a step', () => {
    const tables = Array.from({ length: 10_000 }, (_, each) => {
      return { name: `t${each}`, kind: 'table' as const, columns: [{ name: 'id', type: 'text' }] };
    });
    const index = indexCatalog({ schemas: [{ name: 's', tables }] }, 'postgres');
    for (const matcher of [
      { type: 'SCHEMA' as const, schema: 's' },
      { type: 'ALL_TABLES_WITH_COLUMN' as const, column: 'id' },
    ])
      expect([...createTableMatcher(index)(matcher)]).toHaveLength(99);
  });
});

describe('a list of tables', () => {
  const named = (count: number, prefix: string) =>
    Array.from({ length: count }, (_, index) => ({ table: `${prefix}${index}` }));
  const catalogOf = (count: number): Catalog => ({
    schemas: [
      {
        name: 's',
        tables: named(count, 't').map((each) => ({ name: each.table, kind: 'table', columns: [] })),
      },
    ],
  });

  it('is not compared with every table', () => {
    const index = indexCatalog(catalogOf(500), 'mysql');
    const folded = vi.spyOn(String.prototype, 'toLowerCase');
    try {
      runToEnd(createTableMatcher(index)({ type: 'TABLE_LIST', tables: named(200, 'x') }));
      // There are 100,000 pairs.
      expect(folded.mock.calls.length).toBeLessThan(5000);
    } finally {
      folded.mockRestore();
    }
  });

  it('takes few steps, also for one name in very many schemas', () => {
    const schema = (_: unknown, index: number) => ({
      name: `s${index}`,
      tables: [{ name: 't', kind: 'table' as const, columns: [] }],
    });
    const index = indexCatalog({ schemas: Array.from({ length: 1000 }, schema) }, 'postgres');
    const tables = Array.from({ length: 1000 }, (_, each) => ({ table: 't', schema: `s${each * 2}` }));
    const { governed, steps } = runToEnd(createTableMatcher(index)({ type: 'TABLE_LIST', tables }));
    expect(governed.size).toBe(500);
    expect(steps).toBeGreaterThanOrEqual(2000);
    expect(steps).toBeLessThan(20_000);
  });
});

import type { Catalog, ParamValue } from '@gatehouse/contract';
import type { Restriction, RestrictionRequest } from '../../sql/logic/restriction.js';
import { Random } from '../polyglot/random.js';
import { rule } from '../polyglot/shop.js';
import { compareExactly, OPERATORS, type Operator } from './exactOracle.js';
import { rowCount, storedIn, type TypedColumn, type TypedDatabase } from './typedColumns.js';
import { VALUES } from './sampleValues.js';

export type Restrict = (request: RestrictionRequest) => Promise<Restriction>;

export interface Tally {
  /** The number of compared statements; of these, those with rows. */
  compared: number;
  withRows: number;
  /** The number of statements refused by this program or by the database. */
  refused: number;
  differences: string[];
  /** The columns, operators and types of values that returned rows. */
  fruitful: Set<string>;
}

interface Case {
  column: TypedColumn;
  operator: Operator;
  value: ParamValue;
}

function catalogOf({ schema, columns }: TypedDatabase): Catalog {
  const listed = columns.map(({ name, declared, catalogType }) => ({ name, type: catalogType ?? declared }));
  const table = {
    name: 'things',
    kind: 'table' as const,
    columns: [{ name: 'id', type: 'integer' }, ...listed],
  };
  return { defaultSchema: schema, schemas: [{ name: schema, tables: [table] }] };
}

function casesOf({ columns }: TypedDatabase): Case[] {
  return columns.flatMap((column) =>
    Object.values(OPERATORS).flatMap((operator) => {
      // Texts are ordered by their collation.
      if (operator.isOrder && ['text', 'bytes', 'uuid', 'any', 'numeric'].includes(column.kind)) return [];
      return VALUES.map((value): Case => ({ column, operator, value }));
    }),
  );
}

/** The ids of the rows for which an exact, typed comparison holds; null if it is impossible. */
function expectedIds({ column, operator, value }: Case, rows: number): number[] | null {
  const ids: number[] = [];
  for (let row = 0; row < rows; row += 1) {
    const stored = storedIn(column, row, rows);
    const sample = column.stored.find((each) => each !== null) ?? '';
    const holds = operator.holds(
      (scalar) => compareExactly(column.kind, stored ?? sample, scalar),
      value,
      stored,
    );
    if (holds === null) return null;
    if (holds) ids.push(row);
  }
  return ids;
}

/**
 * Restricts the table by every case, or by a random sample, and compares the rows with those of the exact
 * comparison.
 */
export async function compareValues(
  database: TypedDatabase,
  restrict: Restrict,
  { count, seed }: { count: number; seed: number },
): Promise<Tally> {
  const tally: Tally = { compared: 0, withRows: 0, refused: 0, differences: [], fruitful: new Set() };
  const all = casesOf(database);
  const random = new Random(seed);
  const cases = count >= all.length ? all : Array.from({ length: count }, () => random.pick(all));
  const catalog = catalogOf(database);
  const rows = rowCount(database.columns);
  for (const each of cases) {
    const expression = each.operator.write(each.column.name, 0);
    const restricted = await restrict({
      dialect: database.dialect,
      sql: 'SELECT id FROM things',
      entities: [],
      catalog,
      isGoverned: true,
      pinnedSchema: null,
      allowedSchemas: null,
      rules: [rule(expression, { x: each.value }, { type: 'TABLE_LIST', tables: [{ table: 'things' }] })],
      rowBarrier: false,
    });
    await compareForms({ each, expression, restricted, rows }, { database, tally });
  }
  return tally;
}

async function compareForms(
  {
    each,
    expression,
    restricted,
    rows,
  }: { each: Case; expression: string; restricted: Restriction; rows: number },
  { database, tally }: { database: TypedDatabase; tally: Tally },
): Promise<void> {
  const { sql, inlineSql, parameters, status, reasons } = restricted;
  if (sql === null || inlineSql === null) {
    tally.refused += 1;
    const isOfValue = reasons.every(({ code }) => code === 'UNFIT_VALUE');
    if (status !== 'denied' || !isOfValue)
      tally.differences.push(`${expression}: ${JSON.stringify(reasons)}`);
    return;
  }
  const expected = expectedIds(each, rows);
  const forms = [
    [sql, parameters],
    [inlineSql, []],
  ] as const;
  for (const [text, values] of forms) {
    const actual = await database.readIds(text, values).catch(() => null);
    if (actual === null) {
      tally.refused += 1;
      continue;
    }
    tally.compared += 1;
    if (actual.length > 0) {
      tally.withRows += 1;
      tally.fruitful.add(`${each.column.name} ${typeof each.value}`);
    }
    const sorted = actual.toSorted((one, other) => one - other);
    if (expected !== null && sorted.join() === expected.join()) continue;
    const held = sorted.map((id) => storedIn(each.column, id, rows));
    tally.differences.push(
      `${each.column.declared}: ${expression} with ${JSON.stringify(each.value)} gave ${JSON.stringify(held)}, ` +
        `expected ${expected === null ? 'a refusal' : JSON.stringify(expected.map((id) => storedIn(each.column, id, rows)))}\n  ${text}`,
    );
  }
}

import type { Catalog, ParamValue, RlsMatcher } from '@gatehouse/contract';
import type { Choices } from './choices.js';

export type ColumnType = 'int' | 'text' | 'bool';
export interface Column {
  name: string;
  type: ColumnType;
}
export type Cell = number | string | boolean | null;

export interface Table {
  schema: string;
  name: string;
  columns: Column[];
  rows: Cell[][];
  /** The table in the catalog, if it has changed since. Rules match that one. */
  listed?: Table;
  /** Whether a rule reads a missing column: then no row is visible. */
  isHidden?: boolean;
}

/** A rule for Gatehouse, and the same condition written by hand for the database. */
export interface WorldRule {
  matcher: RlsMatcher;
  expression: string;
  values: Record<string, ParamValue>;
  covers: (table: Table) => boolean;
  /** The columns in the condition: of the governed table, and of the lookup table. */
  reads: { own: readonly string[]; lookup: readonly string[] };
  /** @param table the quoted name of the governed table */
  native: (table: string) => string;
}

/** A database with its data and rules. */
export interface World {
  tables: Table[];
  rules: WorldRule[];
  catalog: Catalog;
}

const TABLE_NAMES = ['orders', 'customers', 'Orders', 'order items', 'select', 'o'];
const POOL: readonly Column[] = [
  { name: 'tenant_id', type: 'text' },
  { name: 'region', type: 'text' },
  { name: 'amount', type: 'int' },
  { name: 'active', type: 'bool' },
  { name: 'Owner Id', type: 'int' },
  { name: 'order', type: 'text' },
];
const TEXTS = ['a', 'b', 'c', "o'x", 'back\\slash', ''];

/** The ungoverned table that rules may query. */
export const LOOKUP = 'lookup';

export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function makeWorld(choices: Choices): World {
  const tables = TABLE_NAMES.slice(0, 3 + choices.below(TABLE_NAMES.length - 2)).map((name) =>
    makeTable(name, choices),
  );
  tables.push(makeTable('orders', choices, 'other'));
  tables.push({
    schema: 'public',
    name: LOOKUP,
    columns: [
      { name: 'code', type: 'text' },
      { name: 'rank', type: 'int' },
    ],
    rows: TEXTS.slice(0, 3).map((text, index) => [text, index]),
  });
  const rules = choices.several(4, () => makeRule(choices));
  return { tables, rules, catalog: catalogOf(tables) };
}

function makeTable(name: string, choices: Choices, schema = 'public'): Table {
  const chosen = POOL.filter((column) => column.name === 'tenant_id' || choices.chance(60));
  const columns: Column[] = [{ name: 'id', type: 'int' }, ...chosen];
  const rows = Array.from({ length: choices.below(9) }, (_, index) =>
    columns.map((column) => (column.name === 'id' ? index + 1 : makeCell(column.type, choices))),
  );
  return { schema, name, columns, rows };
}

export function makeCell(type: ColumnType, choices: Choices): Cell {
  if (choices.chance(15)) return null;
  if (type === 'int') return choices.below(6);
  return type === 'bool' ? choices.chance(50) : choices.pick(TEXTS);
}

function catalogOf(tables: readonly Table[]): Catalog {
  return {
    defaultSchema: 'public',
    schemas: ['public', 'other'].map((name) => ({
      name,
      tables: tables
        .filter((table) => table.schema === name)
        .map((table) => ({ name: table.name, kind: 'table' as const, columns: table.columns })),
    })),
  };
}

function has(table: Table, ...names: string[]): boolean {
  return table.name !== LOOKUP && names.every((name) => table.columns.some((column) => column.name === name));
}

function makeRule(choices: Choices): WorldRule {
  const expression = makeCondition(choices);
  const column = expression.column;
  const listed = choices.pick(TABLE_NAMES);
  const all: Pick<WorldRule, 'matcher' | 'covers'> = {
    matcher: { type: 'ALL_TABLES_WITH_COLUMN', column },
    covers: (table) => has(table, column),
  };
  const ofSchema: Pick<WorldRule, 'matcher' | 'covers'> = {
    matcher: { type: 'SCHEMA', schema: 'public', column },
    covers: (table) => table.schema === 'public' && has(table, column),
  };
  // `tenant_id` is a column of every table but the lookup.
  const list: Pick<WorldRule, 'matcher' | 'covers'> = {
    matcher: { type: 'TABLE_LIST', tables: [{ table: listed }] },
    covers: (table) => table.name === listed || table.name === listed.toLowerCase(),
  };
  const which = column === 'tenant_id' ? choices.pick([all, list, ofSchema]) : choices.pick([all, ofSchema]);
  const own = /\bid\b/.test(expression.expression) ? [column, 'id'] : [column];
  return { ...expression, ...which, reads: { own, lookup: expression.lookup ?? [] } };
}

type Condition = Pick<WorldRule, 'expression' | 'values' | 'native'> & { column: string; lookup?: string[] };

export function literal(value: Cell): string {
  if (typeof value !== 'string') return String(value);
  return value.includes('\\')
    ? `E'${value.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`
    : `'${value.replaceAll("'", "''")}'`;
}

/** The condition is written twice, independently for both sides. */
function makeCondition(choices: Choices): Condition {
  const text = choices.pick(TEXTS);
  const texts = TEXTS.slice(0, choices.below(4));
  const number = choices.below(5);
  const list = texts.map(literal).join(', ');
  const conditions: Condition[] = [
    {
      column: 'tenant_id',
      expression: 'tenant_id = {{ t }}',
      values: { t: text },
      native: () => `tenant_id = ${literal(text)}`,
    },
    {
      column: 'tenant_id',
      expression: 'tenant_id IN {{ts}}',
      values: { ts: texts },
      native: () => (texts.length > 0 ? `tenant_id IN (${list})` : 'false'),
    },
    {
      column: 'tenant_id',
      expression: 'tenant_id not in ({{ts}}) or tenant_id is null',
      values: { ts: texts },
      native: () => (texts.length > 0 ? `tenant_id NOT IN (${list}) OR tenant_id IS NULL` : 'true'),
    },
    {
      column: 'tenant_id',
      expression: 'id <= {{n}} AND tenant_id <> ALL({{ts}})',
      values: { n: number, ts: texts },
      native: () => `id <= ${number} AND ${texts.length > 0 ? `tenant_id NOT IN (${list})` : 'true'}`,
    },
    {
      column: 'region',
      expression: 'region = {{t}} or region like {{p}}',
      values: { t: text, p: 'b%' },
      native: () => `region = ${literal(text)} OR region LIKE 'b%'`,
    },
    {
      column: 'amount',
      expression: 'amount between {{n}} and 4 or {{flag}}',
      values: { n: number, flag: false },
      native: () => `amount BETWEEN ${number} AND 4`,
    },
    {
      column: 'active',
      expression: 'active is not {{flag}}'.replace('{{flag}}', 'false'),
      values: {},
      native: () => 'active IS NOT FALSE',
    },
    {
      column: 'tenant_id',
      expression: 'tenant_id in (select code from lookup where rank >= {{n}})',
      lookup: ['code', 'rank'],
      values: { n: number },
      native: () => `tenant_id IN (SELECT code FROM public.lookup WHERE rank >= ${number})`,
    },
    {
      column: 'tenant_id',
      expression: 'exists (select 1 from lookup o where o.code = tenant_id and rank <> {{n}})',
      lookup: ['code', 'rank'],
      values: { n: number },
      native: (table) =>
        `EXISTS (SELECT 1 FROM public.lookup l9 WHERE l9.code = ${table}.tenant_id AND l9.rank <> ${number})`,
    },
    {
      column: 'Owner Id',
      expression: '"Owner Id" = {{n}} or ("Owner Id" + 1) in (1, {{n}}, 3)',
      values: { n: number },
      native: () => `"Owner Id" = ${number} OR "Owner Id" + 1 IN (1, ${number}, 3)`,
    },
  ];
  return choices.pick(conditions);
}

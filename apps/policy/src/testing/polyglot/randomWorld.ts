import type { Catalog, ParamValue } from '@gatehouse/contract';
import type { ResolvedRule } from '../../sql/logic/restriction.js';
import type { Random } from './random.js';

/** The two dialects whose statements are rewritten by this engine. */
export type WorldDialect = 'sqlite' | 'mysql';

export interface WorldColumn {
  name: string;
  type: 'int' | 'text';
}

export interface WorldTable {
  name: string;
  columns: WorldColumn[];
  rows: (number | string | null)[][];
  /** The condition of the visible rows in plain SQL; null for an ungoverned table. */
  filter: string | null;
  /** Whether the database has a view in place of the table, with the same rows. */
  isView?: boolean;
  /** The columns that the filter reads: of this table, and of `lookup`. */
  reads: Reads;
}

export interface Reads {
  own: readonly string[];
  lookup: readonly string[];
}

/** Tables, their rows, and rules with independently written conditions. */
export interface World {
  dialect: WorldDialect;
  schema: string;
  tables: WorldTable[];
  catalog: Catalog;
  rules: ResolvedRule[];
}

/** The number of rows of a table. */
export const TABLE_ROWS = { min: 4, max: 9 };

export const TYPES: Readonly<Record<WorldColumn['type'], string>> = { int: 'INTEGER', text: 'VARCHAR(100)' };

const NAMES = ['orders', 'items', 'team members', 'group', 'O"Brien`s', 'Größe', 'lookup'];
const REGIONS = ['north', 'south', "O'Brien", 'back\\slash', "\\' OR 1=1 -- ", '"quoted"', 'naïve', '%'];

export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

export function quoteText(text: string, dialect: WorldDialect): string {
  const escaped = dialect === 'mysql' ? text.replaceAll('\\', '\\\\') : text;
  return `'${escaped.replaceAll("'", "''")}'`;
}

type MadeRule = { expression: string; values: Record<string, ParamValue>; means: string; reads: Reads };

/** Generates a world. The `lookup` table is ungoverned; one or two rules govern each other table. */
export function makeWorld(random: Random, dialect: WorldDialect): World {
  const schema = dialect === 'sqlite' ? 'main' : 'shop';
  const names = [...NAMES.slice(0, 2), random.pick(NAMES.slice(2, 6)), 'lookup'];
  const tables = names.map((name, index) => makeTable(name, index, random));
  const byColumn = makeRule(random, dialect);
  const byTable = makeRule(random, dialect);
  const listed = random.pick(['orders', 'items']);
  for (const table of tables) {
    if (table.name === 'lookup') continue;
    const rules = table.name === listed ? [byColumn, byTable] : [byColumn];
    table.filter = rules.map(({ means }) => `(${means})`).join(' AND ');
    table.reads = {
      own: rules.flatMap(({ reads }) => reads.own),
      lookup: rules.flatMap(({ reads }) => reads.lookup),
    };
  }
  return {
    dialect,
    schema,
    tables,
    catalog: {
      defaultSchema: schema,
      schemas: [
        {
          name: schema,
          tables: tables.map(({ name, columns }) => ({
            name,
            kind: 'table',
            columns: columns.map((column) => ({ ...column, type: TYPES[column.type] })),
          })),
        },
      ],
    },
    rules: [
      toRule('by column', byColumn, { type: 'ALL_TABLES_WITH_COLUMN', column: 'tenant_id' }),
      toRule('by table', byTable, { type: 'TABLE_LIST', tables: [{ table: listed }] }),
    ],
  };
}

function makeTable(name: string, index: number, random: Random): WorldTable {
  const governed: WorldColumn[] =
    name === 'lookup'
      ? []
      : [
          { name: 'tenant_id', type: 'int' },
          { name: 'secret', type: 'text' },
        ];
  const columns: WorldColumn[] = [
    { name: 'id', type: 'int' },
    { name: 'region', type: 'text' },
    { name: 'order', type: 'int' },
    ...governed,
  ];
  const rows = Array.from({ length: random.int(TABLE_ROWS.min, TABLE_ROWS.max) }, (_, row) => [
    row + 1,
    random.isLucky(0.1) ? null : random.pick(REGIONS),
    random.int(0, 5),
    ...(governed.length > 0 ? [random.isLucky(0.1) ? null : random.int(1, 4), `secret-${index}-${row}`] : []),
  ]);
  return { name, columns, rows, filter: null, reads: { own: [], lookup: [] } };
}

function makeRule(random: Random, dialect: WorldDialect): MadeRule {
  const tenant = random.int(1, 4);
  const tenants = Array.from({ length: random.int(0, 3) }, () => random.int(1, 4));
  const region = random.pick(REGIONS);
  const text = (value: string): string => quoteText(value, dialect);
  const list = tenants.length > 0 ? tenants.join(', ') : 'SELECT 1 WHERE 1 = 0';
  return random.pick<() => MadeRule>([
    () => ({
      expression: 'tenant_id = {{ t }}',
      values: { t: tenant },
      means: `tenant_id = ${tenant}`,
      reads: { own: ['tenant_id'], lookup: [] },
    }),
    () => ({
      expression: 'tenant_id IN {{ ts }}',
      values: { ts: tenants },
      means: `tenant_id IN (${list})`,
      reads: { own: ['tenant_id'], lookup: [] },
    }),
    () => ({
      expression: 'NOT (tenant_id NOT IN ({{ ts }}))',
      values: { ts: tenants },
      means: `NOT (tenant_id NOT IN (${list}))`,
      reads: { own: ['tenant_id'], lookup: [] },
    }),
    () => ({
      expression: 'region <> {{ r }} OR tenant_id = 1',
      values: { r: region },
      means: `region <> ${text(region)} OR tenant_id = 1`,
      reads: { own: ['region', 'tenant_id'], lookup: [] },
    }),
    () => ({
      expression: `region IN ({{ r }}, 'O''Brien') AND id > {{ n }}`,
      values: { r: region, n: -1 },
      means: `region IN (${text(region)}, ${text("O'Brien")}) AND id > -1`,
      reads: { own: ['region', 'id'], lookup: [] },
    }),
    () => ({
      expression: 'EXISTS (SELECT 1 FROM lookup l WHERE l.id = tenant_id AND l.region <> {{ r }})',
      values: { r: region },
      means: `EXISTS (SELECT 1 FROM base_lookup l WHERE l.id = tenant_id AND l.region <> ${text(region)})`,
      reads: { own: ['tenant_id'], lookup: ['id', 'region'] },
    }),
    () => ({
      expression: 'tenant_id IN (SELECT `order` FROM lookup WHERE region = {{ r }} OR {{ yes }})',
      values: { r: region, yes: true },
      means: `tenant_id IN (SELECT \`order\` FROM base_lookup WHERE region = ${text(region)} OR TRUE)`,
      reads: { own: ['tenant_id'], lookup: ['order', 'region'] },
    }),
    () => ({
      expression: 'tenant_id BETWEEN {{ low }} AND 3 AND region IS NOT NULL',
      values: { low: tenant },
      means: `tenant_id BETWEEN ${tenant} AND 3 AND region IS NOT NULL`,
      reads: { own: ['tenant_id', 'region'], lookup: [] },
    }),
  ])();
}

function toRule(name: string, rule: MadeRule, matcher: ResolvedRule['matcher']): ResolvedRule {
  const values = Object.fromEntries(
    Object.entries(rule.values).map(([key, value]) => [key, { value, source: 'token' as const }]),
  );
  return {
    name,
    definitionId: null,
    assignmentId: null,
    source: 'persisted',
    matcher,
    expression: rule.expression,
    values,
    missing: [],
  };
}

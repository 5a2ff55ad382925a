import type { Catalog, ParamValue } from '@gatehouse/contract';
import type { ResolvedRule } from '../../logic/model.js';
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
  /** The condition of the rows that may be seen, in plain SQL; null of a table that no rule governs. */
  filter: string | null;
}

/** Tables, their rows, and rules with what those mean, written a second time without the engine. */
export interface World {
  dialect: WorldDialect;
  schema: string;
  tables: WorldTable[];
  catalog: Catalog;
  rules: ResolvedRule[];
}

/** How many rows a table has. */
export const TABLE_ROWS = { min: 4, max: 9 };

const NAMES = ['orders', 'items', 'team members', 'group', 'O"Brien`s', 'Größe', 'lookup'];
const REGIONS = ['north', 'south', "O'Brien", 'back\\slash', "\\' OR 1=1 -- ", '"quoted"', 'naïve', '%'];

export function quoteName(name: string): string {
  return `\`${name.replaceAll('`', '``')}\``;
}

export function quoteText(text: string, dialect: WorldDialect): string {
  const escaped = dialect === 'mysql' ? text.replaceAll('\\', '\\\\') : text;
  return `'${escaped.replaceAll("'", "''")}'`;
}

type MadeRule = { expression: string; values: Record<string, ParamValue>; means: string };

/** Makes a world. The `lookup` table is governed by nothing; every other one by one or two rules. */
export function makeWorld(random: Random, dialect: WorldDialect): World {
  const schema = dialect === 'sqlite' ? 'main' : 'shop';
  const names = [...NAMES.slice(0, 2), random.pick(NAMES.slice(2, 6)), 'lookup'];
  const tables = names.map((name, index) => makeTable(name, index, random));
  const byColumn = makeRule(random, dialect);
  const byTable = makeRule(random, dialect);
  const listed = random.pick(['orders', 'items']);
  for (const table of tables) {
    if (table.name === 'lookup') continue;
    table.filter = table.name === listed ? `(${byColumn.means}) AND (${byTable.means})` : byColumn.means;
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
          tables: tables.map(({ name, columns }) => ({ name, kind: 'table', columns })),
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
  return { name, columns, rows, filter: null };
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
    }),
    () => ({
      expression: 'tenant_id IN {{ ts }}',
      values: { ts: tenants },
      means: `tenant_id IN (${list})`,
    }),
    () => ({
      expression: 'NOT (tenant_id NOT IN ({{ ts }}))',
      values: { ts: tenants },
      means: `NOT (tenant_id NOT IN (${list}))`,
    }),
    () => ({
      expression: 'region <> {{ r }} OR tenant_id = 1',
      values: { r: region },
      means: `region <> ${text(region)} OR tenant_id = 1`,
    }),
    () => ({
      expression: `region IN ({{ r }}, 'O''Brien') AND id > {{ n }}`,
      values: { r: region, n: -1 },
      means: `region IN (${text(region)}, ${text("O'Brien")}) AND id > -1`,
    }),
    () => ({
      expression: 'EXISTS (SELECT 1 FROM lookup l WHERE l.id = tenant_id AND l.region <> {{ r }})',
      values: { r: region },
      means: `EXISTS (SELECT 1 FROM base_lookup l WHERE l.id = tenant_id AND l.region <> ${text(region)})`,
    }),
    () => ({
      expression: 'tenant_id IN (SELECT `order` FROM lookup WHERE region = {{ r }} OR {{ yes }})',
      values: { r: region, yes: true },
      means: `tenant_id IN (SELECT \`order\` FROM base_lookup WHERE region = ${text(region)} OR TRUE)`,
    }),
    () => ({
      expression: 'tenant_id BETWEEN {{ low }} AND 3 AND region IS NOT NULL',
      values: { low: tenant },
      means: `tenant_id BETWEEN ${tenant} AND 3 AND region IS NOT NULL`,
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

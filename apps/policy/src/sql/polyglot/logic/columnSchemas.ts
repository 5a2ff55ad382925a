import type { Policies } from './judgeTable.js';
import { refuse } from './refuse.js';
import type { CommonTableScope } from './scope.js';
import { tablePathOf } from './tables.js';
import type { FromItem, Name, Select } from './tree.js';
import { isSameName } from '../../logic/names.js';

/** A SELECT, with the common tables that its FROM may name. */
export interface Level {
  select: Select;
  scope: CommonTableScope;
}

/**
 * Verifies the schema of a column such as `main.orders.id`, or of a star. The restricted statement omits the
 * schema, because its tables have aliases: the column would then be one of any table with that name.
 * @param qualifiers the names before the column: the schema and the table
 * @param levels the queries around the column, innermost last
 * @throws Refusal unless the innermost table of that name is in that schema
 */
export function checkSchema(qualifiers: readonly Name[], levels: readonly Level[], policies: Policies): void {
  const [table, schema, database = null] = qualifiers.toReversed();
  if (table === undefined || schema === undefined) return;
  const { dialect, index, pinnedSchema } = policies;
  for (const { select, scope } of levels.toReversed()) {
    const items = flatten([...select.from, ...select.joins.map(({ item }) => item)]);
    policies.budget.spendSteps(items.length);
    const source = items.find((item) => isSameName(table.text, nameOf(item), dialect));
    if (source === undefined) continue;
    if (source.kind !== 'table') break;
    const [name, ...more] = source.path.toReversed();
    if (name === undefined || (more.length === 0 && scope.find(name) !== null)) break;
    const { table: actual } = index.resolve(tablePathOf(source, dialect).name, pinnedSchema);
    if (actual === undefined) break;
    const wanted = { database: database?.text ?? null, schema: schema.text, table: actual.name };
    if (index.resolve(wanted, pinnedSchema).table === actual) return;
    break;
  }
  refuse('UNKNOWN_TABLE', `no table of the query is ${schema.text}.${table.text}`);
}

type Source = Exclude<FromItem, { kind: 'group' }>;

/** The tables and queries of a FROM, also of joins in parentheses. */
function flatten(items: readonly FromItem[]): Source[] {
  return items.flatMap((item) => {
    if (item.kind !== 'group') return [item];
    return flatten([item.from, ...item.joins.map(({ item: joined }) => joined)]);
  });
}

function nameOf(source: Source): string {
  const own = source.kind === 'table' ? source.path.at(-1) : undefined;
  return (source.alias ?? own)?.text ?? '';
}

import type { Catalog, LintWarning, RlsConfig, RlsMatcher } from '@gatehouse/contract';
import type { FieldFault } from './formChanges.js';

export type Rule = RlsConfig['rules'][number];
export type TableReference = Extract<RlsMatcher, { type: 'TABLE_LIST' }>['tables'][number];

/** A table of a catalog, for completion. */
export interface KnownTable {
  label: string;
  reference: TableReference;
  columns: readonly string[];
}

/** The name of a table in a list, as `schema.table`. */
export function labelOf({ database, schema, table }: TableReference): string {
  return [database, schema, table].filter((part) => part !== undefined).join('.');
}

/** The tables of a catalog with their columns. */
export function tablesOf(catalog: Catalog | null): KnownTable[] {
  if (catalog === null) return [];
  const databases =
    'databases' in catalog ? catalog.databases : [{ name: undefined, schemas: catalog.schemas }];
  return databases.flatMap(({ name: database, schemas }) =>
    schemas.flatMap(({ name: schema, tables }) =>
      tables.map(({ name: table, columns }) => {
        const reference = { ...(database === undefined ? {} : { database }), schema, table };
        return { label: labelOf(reference), reference, columns: columns.map((column) => column.name) };
      }),
    ),
  );
}

/** The names of the schemas of tables. */
export function schemasOf(known: readonly KnownTable[]): string[] {
  const names = known.flatMap(({ reference }) => reference.schema ?? []);
  return [...new Set(names)].toSorted();
}

/**
 * The references of labels: those that had the label before, those of the catalog, and for another text the
 * table with this name, after the schema if there is a dot.
 */
export function referencesOf(
  labels: readonly string[],
  former: readonly TableReference[],
  known: readonly KnownTable[],
): TableReference[] {
  const byLabel = new Map([
    ...known.map(({ label, reference }) => [label, reference] as const),
    ...former.map((reference) => [labelOf(reference), reference] as const),
  ]);
  return labels.map((label) => byLabel.get(label) ?? parse(label));
}

function parse(label: string): TableReference {
  const dot = label.indexOf('.');
  if (dot <= 0 || dot === label.length - 1) return { table: label };
  return { schema: label.slice(0, dot), table: label.slice(dot + 1) };
}

const COMPLETED_TABLES_MAX = 5000;
type Names = Record<string, readonly string[]>;

/** A name with a dot would be two names. */
const escape = (name: string) => name.replaceAll('.', '\\.');

/** The names that a statement may contain: tables, with and without their schema, and their columns. */
export function statementNames(known: readonly KnownTable[]): Names {
  const names: Names = {};
  for (const { reference, columns } of known.slice(0, COMPLETED_TABLES_MAX)) {
    names[escape(reference.table)] = columns;
    if (reference.schema !== undefined)
      names[`${escape(reference.schema)}.${escape(reference.table)}`] = columns;
  }
  return names;
}

/** The names that the expression of a rule may contain: the columns of the tables that it matches. */
export function expressionNames(known: readonly KnownTable[], matcher: RlsMatcher): Names {
  const matched = known.filter((table) => matches(table, matcher)).slice(0, COMPLETED_TABLES_MAX);
  const columns = new Set(matched.flatMap((table) => table.columns));
  return Object.fromEntries([...columns].map((column) => [escape(column), []]));
}

function matches({ reference, columns }: KnownTable, matcher: RlsMatcher): boolean {
  switch (matcher.type) {
    case 'ALL_TABLES_WITH_COLUMN':
      return matcher.column === '' || columns.includes(matcher.column);
    case 'SCHEMA':
      return matcher.schema === reference.schema;
    case 'TABLE_LIST':
      return (
        matcher.tables.length === 0 ||
        matcher.tables.some(
          ({ schema, table }) =>
            table === reference.table && (schema === undefined || schema === reference.schema),
        )
      );
  }
}

/** The warnings about the rule at a place: those about its expression, and the others. */
export function warningsOfRule(warnings: readonly LintWarning[], index: number) {
  const start = `rlsConfig.rules[${index}]`;
  const own = warnings.filter(({ path }) => path === start || path.startsWith(`${start}.`));
  const isOfExpression = ({ path }: LintWarning) => path.startsWith(`${start}.expression`);
  return {
    expression: own.filter(isOfExpression),
    others: own.filter((warning) => !isOfExpression(warning)),
  };
}

/** The field errors of the rule at a place, by the control that shows them. */
export interface RuleFaults {
  matcher?: string;
  expression?: string;
  /** By the names of the values. */
  values?: Record<string, string>;
  others?: string;
}

/** The field errors of the rule at a place: of its tables, its condition, its values, and the others. */
export function faultsOfRule(faults: readonly FieldFault[], index: number): RuleFaults {
  const start = `rlsConfig.rules[${index}].`;
  const found: RuleFaults = {};
  const add = (part: 'matcher' | 'expression' | 'others', message: string) => {
    found[part] = found[part] === undefined ? message : `${found[part]}; ${message}`;
  };
  for (const { field, message } of faults) {
    if (!field.startsWith(start)) continue;
    const part = field.slice(start.length);
    if (part.startsWith('matcher')) add('matcher', message);
    else if (part.startsWith('expression')) add('expression', message);
    else if (part.startsWith('params.')) {
      const name = part.slice('params.'.length).replace(/\[\d+\]$/, '');
      found.values = { [name]: message, ...found.values };
    } else add('others', `${part} ${message}`);
  }
  return found;
}

/** A list with the item at an index moved by one place; the same if there is no such place. */
export function moved<T>(items: readonly T[], index: number, by: 1 | -1): T[] {
  const next = [...items];
  const [item] = next.splice(index, 1);
  if (item === undefined || index + by < 0 || index + by >= items.length) return [...items];
  next.splice(index + by, 0, item);
  return next;
}

/** Whether every rule has a condition and matches something, so that it can be resolved. */
export function isComplete(config: RlsConfig | null): boolean {
  return (config?.rules ?? []).every(
    ({ expression, matcher }) => expression.trim() !== '' && matchesSomething(matcher),
  );
}

function matchesSomething(matcher: RlsMatcher): boolean {
  switch (matcher.type) {
    case 'ALL_TABLES_WITH_COLUMN':
      return matcher.column !== '';
    case 'SCHEMA':
      return matcher.schema !== '';
    case 'TABLE_LIST':
      return matcher.tables.length > 0;
  }
}

const PLAIN_NAME = /^[a-z_][a-z0-9_]*$/;

const partsOf = ({ reference }: KnownTable) => [reference.schema ?? [], reference.table].flat();

/**
 * A statement to begin with, on the first table that a matcher covers, else on the first one. It reads no
 * table whose name needs quotes; null if there is no other.
 */
export function exampleStatement(
  known: readonly KnownTable[],
  matchers: readonly RlsMatcher[],
): string | null {
  const plain = known.filter((table) => partsOf(table).every((part) => PLAIN_NAME.test(part)));
  const table = plain.find((each) => matchers.some((matcher) => matches(each, matcher))) ?? plain[0];
  return table === undefined ? null : `SELECT * FROM ${partsOf(table).join('.')}`;
}

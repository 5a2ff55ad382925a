import type { Alias } from '@pgsql/types';
import { Refusal } from '../sql/denials.js';
import { textsOf } from './nodes.js';

/** The names of a relation's columns in their order; null where they cannot be known. */
export type Columns = readonly string[] | null;

/** An entry of FROM, as the expressions of its query see it. */
export interface Item {
  /** Null for a subquery without an alias, which only `*` reaches. */
  name: string | null;
  columns: Columns;
  /** The table that may be written with its schema, since it has no alias. */
  relation: { schema: string | null; table: string } | null;
}

/** What is visible at one place of a query, innermost first. */
export interface Scope {
  items: readonly Item[];
  /** The WITH queries that are visible from here on inwards. */
  ctes: ReadonlyMap<string, { columns: Columns }> | null;
  parent: Scope | null;
}

export const EMPTY_SCOPE: Scope = { items: [], ctes: null, parent: null };

export function nest(parent: Scope, items: readonly Item[]): Scope {
  return { items, ctes: null, parent };
}

/** The WITH query that an unqualified name stands for at a place. */
export function findCte(scope: Scope, name: string): { columns: Columns } | null {
  for (let at: Scope | null = scope; at; at = at.parent) {
    const cte = at.ctes?.get(name);
    if (cte) return cte;
  }
  return null;
}

/** The entry that a qualifier stands for: of the innermost query that has one. */
export function findItem(scope: Scope, name: string): Item | null {
  return findInnermost(scope, (item) => item.name === name);
}

/** The entry that a table's name with its schema stands for; null too where the bare name would be another's. */
export function findRelation(scope: Scope, schema: string, table: string): Item | null {
  const found = findInnermost(
    scope,
    ({ relation }) => relation !== null && relation.schema === schema && relation.table === table,
  );
  return found !== null && findItem(scope, table) === found ? found : null;
}

function findInnermost(scope: Scope, isWanted: (item: Item) => boolean): Item | null {
  for (let at: Scope | null = scope; at; at = at.parent) {
    const found = at.items.find(isWanted);
    if (found) return found;
  }
  return null;
}

/** The columns under the names that an alias gives to the first of them. */
export function renameColumns(columns: Columns, names: readonly string[]): Columns {
  if (names.length === 0) return columns;
  return columns === null ? null : [...names, ...columns.slice(names.length)];
}

export function aliasColumns(columns: Columns, alias: Alias | undefined): Columns {
  return renameColumns(columns, textsOf(alias?.colnames));
}

/** The columns of a join: those that both sides share come first and once. */
export function joinColumns(
  left: Columns,
  right: Columns,
  shared: readonly string[] | 'common' | null,
): Columns {
  if (left === null || right === null) return null;
  const merged = shared === 'common' ? left.filter((name) => right.includes(name)) : (shared ?? []);
  const isOwn = (name: string): boolean => !merged.includes(name);
  return [...merged, ...left.filter(isOwn), ...right.filter(isOwn)];
}

/** Refuses a query in which two entries of one FROM have the same name: wrapped in subqueries they could not be told apart. */
export function checkDistinctNames(items: readonly Item[]): void {
  const names = items.flatMap((item) => item.name ?? []);
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  if (repeated === undefined) return;
  throw new Refusal('FORBIDDEN_CONSTRUCT', `two tables are called ${repeated}: give them aliases`);
}

import type { Params } from '@gatehouse/contract';
import {
  isBuiltInName,
  isSecretName,
  placeholdersOf,
  type BuiltInName,
} from '@gatehouse/contract/placeholders';
import { isTypeable, parseTyped, toTyped, type TypedValue } from './placeholderValues.js';

/** A value and its name, as they are typed. */
export interface ValueRow {
  name: string;
  typed: TypedValue;
}

/** The values that the actor has, which a template can use. */
export const BUILT_IN_VALUES: Readonly<Record<BuiltInName, string>> = {
  'actor.tenantId': 'Id of the tenant',
  'actor.id': 'Id of the tenant or user',
  'actor.email': 'E-mail address of the user',
  'actor.role': 'Role of the user',
  'actor.kind': 'Kind of the actor',
};

const EMPTY: TypedValue = { type: 'text', items: [] };
const isEmpty = ({ name, typed }: ValueRow) => name === '' && typed.items.every((item) => item === '');

/** The rows of stored values; null if one of them has a form that a row does not show. */
export function readRows(params: unknown): ValueRow[] | null {
  if (params === null || params === undefined) return [];
  if (typeof params !== 'object' || Array.isArray(params)) return null;
  const entries = Object.entries(params as Params);
  if (!entries.every(([name, value]) => name !== '' && isTypeable(value))) return null;
  return entries.map(([name, value]) => ({
    name,
    typed: toTyped(value, { name, isList: false, hasDefault: false }),
  }));
}

/** What is wrong with the names of rows, by row: an empty one, or one that another row has. */
export function faultsOfNames(names: readonly string[]): (string | undefined)[] {
  return names.map((name, index) => {
    if (name === '') return 'is required';
    return names.indexOf(name) < index ? 'must be unique' : undefined;
  });
}

/** What is wrong with a row, by its part. An empty row is left out, so nothing is wrong with it. */
export function faultsOfRows(rows: readonly ValueRow[]): { name?: string; value?: string }[] {
  const names = faultsOfNames(rows.map(({ name }) => name));
  return rows.map((row, index) => {
    if (isEmpty(row)) return {};
    const { value, fault } = parseTyped(row.typed);
    const ofValue = fault ?? (value === undefined ? 'is required' : undefined);
    const ofName = names[index];
    return {
      ...(ofName === undefined ? {} : { name: ofName }),
      ...(ofValue === undefined ? {} : { value: ofValue }),
    };
  });
}

/** The values of rows, null if there are none; undefined if a row is wrong. */
export function writeRows(rows: readonly ValueRow[]): Params | null | undefined {
  if (faultsOfRows(rows).some(({ name, value }) => (name ?? value) !== undefined)) return undefined;
  return completeValues(rows);
}

/** The values of the rows that are complete, null if there are none. */
export function completeValues(rows: readonly ValueRow[]): Params | null {
  const faults = faultsOfRows(rows);
  const given = rows.flatMap((row, index) => {
    const { name: ofName, value: ofValue } = faults[index] ?? {};
    const { value } = parseTyped(row.typed);
    return (ofName ?? ofValue) !== undefined || value === undefined ? [] : [[row.name, value] as const];
  });
  return given.length === 0 ? null : Object.fromEntries(given);
}

/**
 * A row with another name. A secret is one text, and its value is not kept under a name that would show it.
 */
export function renamed({ name: former, typed }: ValueRow, name: string): ValueRow {
  if (isSecretName(name) === isSecretName(former)) return { name, typed };
  if (isSecretName(former)) return { name, typed: EMPTY };
  return { name, typed: { type: 'text', items: typed.items.slice(0, 1) } };
}

/** A new row, with the first name that has none. */
export function newRow(names: readonly string[]): ValueRow {
  return { name: names[0] ?? '', typed: EMPTY };
}

/** The placeholders of templates that need a value, without those that rows have. */
export function missingNames(
  templates: readonly (string | null | undefined)[],
  rows: readonly ValueRow[],
): string[] {
  const given = new Set(rows.map(({ name }) => name));
  const names = templates.flatMap((template) => placeholdersOf(template ?? ''));
  return [...new Set(names)].filter((name) => !isBuiltInName(name) && !given.has(name));
}

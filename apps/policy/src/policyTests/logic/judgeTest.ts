import type { Compiled, CompiledCondition, JsonObject, TestExpectation } from '@gatehouse/contract';
import { canonicalJson } from '../../preview/logic/diffPreviews.js';

/** The result of a policy test. */
export interface TestResult {
  compiled: Compiled;
  /** The rows of the restricted statement as JSON; null if it was not run. */
  rows: readonly JsonObject[] | null;
}

/** Normalized expressions by their text; null if an expression does not parse. */
export type PrintedExpressions = ReadonlyMap<string, string | null>;

/** The expressions that must be normalized before a test is judged. */
export function expressionsOf(expectation: TestExpectation, { compiled }: TestResult): string[] {
  if (expectation.conditions === undefined) return [];
  const actual = compiled.conditions.map(({ expression }) => expression);
  return [...new Set([...Object.values(expectation.conditions), ...actual])];
}

/**
 * Judges a test. Returns one sentence for each unmet expectation; none if the test passes. A table is named
 * as `table` or `schema.table`. Rows are compared as a multiset of their JSON.
 */
export function judgeTest(
  expectation: TestExpectation,
  result: TestResult,
  printed: PrintedExpressions,
): string[] {
  const { compiled } = result;
  return [
    ...judgeStatus(expectation, compiled),
    ...Object.entries(expectation.conditions ?? {}).flatMap(([table, expected]) =>
      judgeCondition({ table, expected }, compiled, printed),
    ),
    ...(expectation.tables === undefined ? [] : judgeTables(expectation.tables, compiled)),
    ...(expectation.rows === undefined ? [] : judgeRows(expectation.rows, result.rows)),
  ];
}

function judgeStatus({ status, reason }: TestExpectation, compiled: Compiled): string[] {
  const failures: string[] = [];
  if (status !== undefined && status !== compiled.status)
    failures.push(`The status is ${compiled.status}, not ${status}.`);
  const codes = compiled.reasons.map(({ code }) => code);
  if (reason !== undefined && !codes.includes(reason))
    failures.push(`The reason ${reason} is not given; given are: ${codes.join(', ') || 'none'}.`);
  return failures;
}

/** The names by which a test may name the table of a condition. */
function namesOf({ table, schema }: CompiledCondition): string[] {
  return schema === null ? [table] : [table, `${schema}.${table}`];
}

function judgeCondition(
  { table, expected }: { table: string; expected: string },
  { conditions }: Compiled,
  printed: PrintedExpressions,
): string[] {
  const wanted = printed.get(expected) ?? null;
  if (wanted === null) return [`The condition that is expected of ${table} does not parse.`];
  const actual = conditions.filter((condition) => namesOf(condition).includes(table));
  if (actual.length === 0) return [`${table} has no condition, where one is expected.`];
  const differing = actual.find((condition) => {
    const text = printed.get(condition.expression) ?? null;
    return text === null || withoutQualifier(text, condition) !== withoutQualifier(wanted, condition);
  });
  return differing ? [`The condition of ${table} is ${differing.expression}, not ${wanted}.`] : [];
}

const STRING = /('(?:[^'\\]|''|\\.)*')/;

/**
 * A condition without the table name before its columns, which a test may leave out. String literals stay
 * unchanged.
 */
function withoutQualifier(expression: string, { table, alias }: CompiledCondition): string {
  const name = alias ?? table;
  const parts = expression.split(STRING);
  return parts.map((part, index) => (index % 2 === 1 ? part : removeQualifier(part, name))).join('');
}

function removeQualifier(sql: string, name: string): string {
  const forms = [`"${name.replaceAll('"', '""')}".`, `\`${name.replaceAll('`', '``')}\`.`, `[${name}].`];
  const unquoted = forms.reduce((text, form) => text.replaceAll(form, ''), sql);
  return /^[a-z_]\w*$/.test(name) ? unquoted.replaceAll(new RegExp(`\\b${name}\\.`, 'g'), '') : unquoted;
}

function judgeTables(expected: readonly string[], { conditions }: Compiled): string[] {
  // Sets, because both may have thousands.
  const [governed, wanted] = [new Set(conditions.flatMap(namesOf)), new Set(expected)];
  const absent = expected.filter((name) => !governed.has(name));
  const extra = conditions.map(namesOf).filter((names) => !names.some((name) => wanted.has(name)));
  const extraNames = new Set(extra.map((names) => names.at(-1) ?? ''));
  return [
    ...absent.map((name) => `${name} is not governed, where it is expected to be.`),
    ...[...extraNames].map((name) => `${name} is governed, where it is not expected to be.`),
  ];
}

const ROWS_LISTED = 3;

function judgeRows(expected: readonly JsonObject[], actual: readonly JsonObject[] | null): string[] {
  if (actual === null) return ['No rows were read.'];
  const surplus = new Map<string, number>();
  const count = (row: JsonObject, by: number) => {
    const text = canonicalJson(row);
    surplus.set(text, (surplus.get(text) ?? 0) + by);
  };
  for (const row of actual) count(row, 1);
  for (const row of expected) count(row, -1);
  const absent = [...surplus].filter(([, times]) => times < 0);
  const extra = [...surplus].filter(([, times]) => times > 0);
  return [
    ...(absent.length > 0 ? [`Expected rows are absent: ${formatRows(absent)}.`] : []),
    ...(extra.length > 0 ? [`Rows were read that are not expected: ${formatRows(extra)}.`] : []),
  ];
}

function formatRows(rows: readonly [text: string, surplus: number][]): string {
  const told = rows
    .slice(0, ROWS_LISTED)
    .map(([text, surplus]) => (Math.abs(surplus) === 1 ? text : `${text} (${Math.abs(surplus)} times)`));
  const more = rows.length - told.length;
  return told.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

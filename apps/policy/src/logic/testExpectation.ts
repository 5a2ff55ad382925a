import type { Compiled, CompiledCondition, JsonObject, TestExpectation } from '@gatehouse/contract';
import { canonicalJson } from './previewDiff.js';

/** What came out of a policy test. */
export interface TestResult {
  compiled: Compiled;
  /** The rows that the restricted statement gave, as JSON; null where it was not run. */
  rows: readonly JsonObject[] | null;
}

/** Expressions parsed and printed anew, by their text; null for one that does not parse. */
export type PrintedExpressions = ReadonlyMap<string, string | null>;

/** The expressions that have to be printed anew before a test can be judged. */
export function expressionsOf(expectation: TestExpectation, { compiled }: TestResult): string[] {
  if (expectation.conditions === undefined) return [];
  const actual = compiled.conditions.map(({ expression }) => expression);
  return [...new Set([...Object.values(expectation.conditions), ...actual])];
}

/**
 * What is not as it was expected, a sentence each; none when the test passes. A table is named as `table` or `schema.table`. Rows
 * are compared as a multiset, by their JSON.
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

function isNamed({ table, schema }: CompiledCondition, name: string): boolean {
  return name === table || (schema !== null && name === `${schema}.${table}`);
}

function judgeCondition(
  { table, expected }: { table: string; expected: string },
  { conditions }: Compiled,
  printed: PrintedExpressions,
): string[] {
  const wanted = printed.get(expected) ?? null;
  if (wanted === null) return [`The condition that is expected of ${table} does not parse.`];
  const actual = conditions.filter((condition) => isNamed(condition, table));
  if (actual.length === 0) return [`${table} has no condition, where one is expected.`];
  const differing = actual.find(({ expression }) => (printed.get(expression) ?? null) !== wanted);
  return differing ? [`The condition of ${table} is ${differing.expression}, not ${wanted}.`] : [];
}

function judgeTables(expected: readonly string[], { conditions }: Compiled): string[] {
  const absent = expected.filter((name) => !conditions.some((condition) => isNamed(condition, name)));
  const extra = conditions.filter((condition) => !expected.some((name) => isNamed(condition, name)));
  const extraNames = new Set(
    extra.map(({ table, schema }) => (schema === null ? table : `${schema}.${table}`)),
  );
  return [
    ...absent.map((name) => `${name} is not governed, where it is expected to be.`),
    ...[...extraNames].map((name) => `${name} is governed, where it is not expected to be.`),
  ];
}

const ROWS_TOLD = 3;

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
    ...(absent.length > 0 ? [`Expected rows are absent: ${tellRows(absent)}.`] : []),
    ...(extra.length > 0 ? [`Rows were read that are not expected: ${tellRows(extra)}.`] : []),
  ];
}

function tellRows(rows: readonly [text: string, surplus: number][]): string {
  const told = rows
    .slice(0, ROWS_TOLD)
    .map(([text, surplus]) => (Math.abs(surplus) === 1 ? text : `${text} (${Math.abs(surplus)} times)`));
  const more = rows.length - told.length;
  return told.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

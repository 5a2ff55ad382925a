import { parseSync } from 'libpg-query';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadParser, parseSelect } from './parser.js';

vi.mock(import('libpg-query'), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, parseSync: vi.fn<typeof parseSync>(original.parseSync) };
});

beforeAll(() => loadParser());
beforeEach(() => {
  vi.mocked(parseSync).mockClear();
});

/** Operators within a CASE that a name opens and another name closes. */
const hidden = `x.case ${'+ 1 '.repeat(600)}+ x.end`;

describe('a deep statement is refused before it is parsed', () => {
  test.each<[string, string]>([
    ['keywords that separate operands as names', `SELECT 1 ${'+ x.or '.repeat(1000)} FROM x`],
    ['keywords of a CASE as names', `SELECT ${hidden} + ${hidden} FROM x`],
    ...['constructor', 'valueOf', '__proto__', 'hasOwnProperty'].map((name): [string, string] => [
      `operators on ${name}`,
      `SELECT ${name} ${'+ 1 '.repeat(1000)} FROM x`,
    ]),
    ['operators in parentheses', `SELECT 1 ${'OPERATOR(pg_catalog.+) 1 '.repeat(1000)}`],
    ['operators with names between dots', `SELECT 1 ${'+ x . and '.repeat(1000)} FROM x`],
  ])('%s', (_, sql) => {
    expect(() => parseSelect(sql, 'statement')).toThrow('nested too deeply');
    expect(parseSync).not.toHaveBeenCalled();
  });
});

test('a name that is a keyword adds no depth', () => {
  const sql = `SELECT ${Array.from({ length: 2000 }, () => 'x.case, x.not, x.select').join(', ')} FROM x`;
  expect(parseSelect(sql, 'statement').targetList).toHaveLength(6000);
});

import { parseSync, scanSync } from 'libpg-query';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadParser, parseSelect } from './parser.js';

vi.mock(import('libpg-query'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    parseSync: vi.fn<typeof parseSync>(original.parseSync),
    scanSync: vi.fn<typeof scanSync>(original.scanSync),
  };
});

beforeAll(() => loadParser());
beforeEach(() => {
  vi.mocked(parseSync).mockClear();
  vi.mocked(scanSync).mockClear();
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

describe('a row of signs that the lexer would read many times is refused before it is read', () => {
  test.each<[string, string]>([
    ['comments within comments', `SELECT 1 ${'/*'.repeat(1500)}${'*/'.repeat(1500)}`],
    ['comments after comments', `SELECT 1 ${'/**/'.repeat(1500)}`],
    ['plus signs', `SELECT ${'+'.repeat(2500)}1`],
    ['plus and minus signs', `SELECT ${'+-'.repeat(2500)}1`],
    ['many rows of comments', `SELECT 1 ${`${'/*'.repeat(200)}${'*/'.repeat(200)} `.repeat(40)}`],
  ])('%s', (_, sql) => {
    expect(() => parseSelect(sql, 'statement')).toThrow('nested too deeply');
    expect(scanSync).not.toHaveBeenCalled();
    expect(parseSync).not.toHaveBeenCalled();
  });

  test.each<[string, string]>([
    ['a comment of stars', `SELECT 1 /*${'*'.repeat(5000)}*/`],
    ['lines of signs', `SELECT 1\n${`-- ${'+'.repeat(100)}\n`.repeat(100)}`],
    ['comments with words', `SELECT 1 ${'/* x */ '.repeat(5000)}`],
    ['500 comments within each other', `SELECT 1 ${'/*'.repeat(500)}${'*/'.repeat(500)}`],
  ])('%s is read', (_, sql) => {
    expect(parseSelect(sql, 'statement').targetList).toHaveLength(1);
  });
});

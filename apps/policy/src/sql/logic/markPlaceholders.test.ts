import type { SqlDialect } from '@gatehouse/contract';
import { describe, expect, test } from 'vitest';
import { markPlaceholders } from './markPlaceholders.js';

function mark(expression: string, dialect: SqlDialect = 'postgres'): string {
  const marked = markPlaceholders(expression, dialect, (index) => `$${index + 1}`);
  return marked.fault
    ? `${marked.fault.position}: ${marked.fault.message}`
    : marked.text.replaceAll(/\s+/g, ' ');
}

describe('placeholders of an expression', () => {
  test('become markers, one for each use', () => {
    const marked = markPlaceholders(
      'a = {{ x }} or b = {{y.z}} or c = {{x}}',
      'postgres',
      (index) => `$${index + 1}`,
    );
    expect(marked).toMatchObject({ text: 'a =  $1  or b =  $2  or c =  $3 ', names: ['x', 'y.z', 'x'] });
  });

  test('get parentheses after IN, and only there', () => {
    expect(mark('a IN {{x}}')).toBe('a IN ($1) ');
    expect(mark('a not in\n{{x}}')).toBe('a not in ($1) ');
    expect(mark('a IN ({{x}})')).toBe('a IN ( $1 )');
    expect(mark('domain = {{x}}')).toBe('domain = $1 ');
    expect(mark('"in" = {{x}}')).toBe('"in" = $1 ');
  });

  test('keep positions', () => {
    const expression = 'a = {{ a_long_name }} and b = {{ x }} or c';
    const marked = markPlaceholders(expression, 'postgres', () => '$1');
    if (marked.fault) throw new Error(marked.fault.message);
    expect(marked.positionOf(marked.text.indexOf('b ='))).toBe(expression.indexOf('b ='));
    expect(marked.positionOf(marked.text.indexOf('c'))).toBe(expression.indexOf('or c') + 3);
  });

  test('are refused within quotes', () => {
    const quoted = [`'{{x}}'`, `"{{x}}"`, `'it''s {{x}}'`, `E'\\'{{x}}'`, '$${{x}}$$', `$a$ {{x}} $a$`];
    for (const text of quoted) expect(mark(`a = ${text}`)).toMatch(/within quotes/);
    expect(mark('a = `{{x}}`', 'mysql')).toMatch(/within quotes/);
    expect(mark("a = 'x\\'{{x}}'", 'mysql')).toMatch(/within quotes/);
    expect(mark("a = '\\' || {{x}} || 'b'")).toBe("a = '\\' || $1 || 'b'");
    expect(mark('a = [{{x}}]', 'sqlite')).toMatch(/within quotes/);
    expect(mark('a = [{{x}}]', 'mssql')).toMatch(/within quotes/);
  });

  test('are refused within the quotes of their dialect alone', () => {
    const inDollars = (dialect: SqlDialect) => mark('a = $$ {{x}} $$', dialect);
    for (const dialect of ['duckdb', 'snowflake', 'postgres'] as const)
      expect(inDollars(dialect)).toMatch(/within quotes/);
    for (const dialect of ['sqlite', 'mysql'] as const)
      expect(inDollars(dialect)).not.toMatch(/within quotes/);
    expect(mark("a = 'it''s' and b = {{x}}")).toBe("a = 'it''s' and b = $1 ");
    expect(mark("a = 'b'and '''{{x}}'", 'sqlite')).toMatch(/within quotes/);
    expect(mark("a = e'' and b = '{{x}}'")).toMatch(/within quotes/);
    expect(mark('a = "b" and c = {{x}}', 'mysql')).toBe('a = "b" and c = $1 ');
    expect(mark('a # {{x}}', 'bigquery')).toMatch(/comment/);
    expect(mark('a # {{x}}', 'sqlite')).toBe('a # $1 ');
  });

  test('are refused next to a word', () => {
    for (const text of [
      'a{{x}}',
      '{{x}}a',
      '{{f}}(1)',
      "{{x}}'a'",
      't.{{c}}',
      '{{t}}.c',
      'a{{x}}b',
      '1{{x}}',
      '@{{x}}',
    ]) {
      expect(mark(text)).toMatch(/may not touch a word/);
    }
  });
});

describe('an expression', () => {
  test.each<[string, SqlDialect]>([
    ['a -- b', 'postgres'],
    ['a /* b */', 'mysql'],
    ['a /*! or 1=1 */', 'mysql'],
    ['a # b', 'mysql'],
    ['a--b', 'sqlite'],
  ])('%s brings no comment to %s', (expression, dialect) => {
    expect(mark(expression, dialect)).toMatch(/a comment is not allowed/);
  });

  test.each<[string, SqlDialect]>([
    ['a = $1', 'postgres'],
    ['a = ?', 'mysql'],
    ['a = ?', 'sqlite'],
    ['a = ?1', 'sqlite'],
    ['a = :x', 'sqlite'],
    ['a = @x', 'sqlite'],
    ['a = $x', 'sqlite'],
    ['a = @x', 'mysql'],
    ['a = @@version', 'mssql'],
    ['a = :1', 'snowflake'],
    ['a = $1', 'duckdb'],
  ])('%s brings no parameter to %s', (expression, dialect) => {
    expect(mark(expression, dialect)).toMatch(/a parameter is not allowed/);
  });

  test('keeps text that only looks like a parameter or comment', () => {
    expect(mark("doc ? 'a' and b::int = 1 and c = a[1:2]")).toBe("doc ? 'a' and b::int = 1 and c = a[1:2]");
    expect(mark("a = '-- ; $1 /*' and a$1 = 1")).toBe("a = '-- ; $1 /*' and a$1 = 1");
    expect(mark('a = "x; y"', 'sqlite')).toBe('a = "x; y"');
  });

  test('must end its quotes and contain one statement', () => {
    expect(mark("a = 'b")).toBe('4: a quote does not end');
    expect(mark('a = $x$ b $y$')).toBe('4: a quote does not end');
    expect(mark('a; b')).toBe('1: a semicolon is not allowed');
    expect(mark('a\0')).toBe('1: a NUL is not allowed');
    expect(mark('a = {{ b')).toMatch(/^4: is not a placeholder/);
  });
});

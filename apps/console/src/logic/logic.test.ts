import { describe, expect, it } from 'vitest';
import { csvLine } from './csv.js';
import { changesOf, errorsByField, missingValues, textOf } from './formChanges.js';
import { shorten } from './shorten.js';
import { relativeTime } from './times.js';

describe('a line of CSV', () => {
  it('quotes what would end a cell or a line', () => {
    expect(csvLine(['a,b', 'a "x"', 'two\nlines', 'plain'])).toBe('"a,b","a ""x""","two\nlines",plain\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx'])('makes %j no formula', (text) => {
    expect(csvLine([text]).replace(/^"/, '').startsWith("'")).toBe(true);
  });

  it.each(['\n=1+1', ' =1+1', '\uFF1D1+1', 'a;=1+1;', 'a; =1+1', 'a\n=1+1;', 'a\t@SUM(A1)', '=1;=2', ';;-1'])(
    'makes no part of %j a formula for a reader that separates cells by semicolons',
    (text) => {
      const parts = csvLine(['id', text]).split(/[;\t\r\n]/);
      expect(parts.filter((part) => /^[\s"]*[=+\-@\uFF1D]/.test(part))).toEqual([]);
    },
  );

  it('keeps what is no formula', () => {
    const texts = ['a-b', '2026-03-01T10:00:00Z', 'x; y', 'ada@example.com', 'a = 1', 'a;b=1'];
    expect(csvLine(texts)).toBe(`${texts.join(',')}\r\n`);
  });
});

describe('the changes of a form', () => {
  it('are the fields whose JSON differs', () => {
    const saved = { title: 'a', tags: ['x'], template: { n: 1 } };
    expect(changesOf(saved, { title: 'a', tags: ['x'], template: { n: 1 } })).toEqual({});
    expect(changesOf(saved, { title: 'b', tags: ['x', 'y'], template: null })).toEqual({
      title: 'b',
      tags: ['x', 'y'],
      template: null,
    });
  });

  it('have required fields, which lack a value if it is empty', () => {
    const values = { text: '', list: [], none: null, no: false, zero: 0, given: 'a', optional: '' };
    const required = ['text', 'list', 'none', 'absent', 'no', 'zero', 'given'];
    expect(missingValues(values, required)).toEqual(['text', 'list', 'none', 'absent']);
  });

  it('get the errors of their fields, and of what is within them', () => {
    const faults = [
      { field: 'tags.3', message: 'is too long' },
      { field: 'title', message: 'is required' },
      { field: 'titles', message: 'is unknown' },
    ];
    expect(errorsByField(faults, ['title', 'tags'])).toEqual({ tags: '3 is too long', title: 'is required' });
  });

  it('are texts for a comparison', () => {
    expect([textOf(true), textOf(''), textOf(['a', 'b']), textOf({ a: 1 })]).toEqual([
      'yes',
      '–',
      'a, b',
      '{\n  "a": 1\n}',
    ]);
  });
});

describe('a relative time', () => {
  const now = Date.parse('2026-06-15T12:00:00Z');
  it.each([
    ['2026-06-15T11:59:58Z', 'just now'],
    ['2026-06-15T11:00:00Z', '1 hour ago'],
    ['2026-06-14T12:00:00Z', 'yesterday'],
    ['2025-06-01T12:00:00Z', 'last year'],
    ['2026-06-15T12:00:30Z', 'in less than a minute'],
    ['2026-06-18T12:00:00Z', 'in 3 days'],
  ])('of %s is %s', (at, text) => {
    expect(relativeTime(Date.parse(at), now)).toBe(text);
  });
});

describe('the title of a dialog', () => {
  it('is the first line of a text, shortened', () => {
    expect(shorten('Fix the join\n\nDetails')).toBe('Fix the join');
    expect(shorten(`\n${'x'.repeat(5000)}`)).toBe(`${'x'.repeat(60)}…`);
  });
});

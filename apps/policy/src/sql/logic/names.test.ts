import { describe, expect, test } from 'vitest';
import {
  caseKey,
  createColumnLookup,
  createNameComparison,
  foldName,
  isSameName,
  serverKey,
  widestKey,
  writtenKeys,
} from './names.js';

describe('a name in a policy', () => {
  test('is exact or lowered in PostgreSQL, and ignores case elsewhere', () => {
    expect(foldName('OrdersÄ', 'postgres')).toBe('ordersÄ');
    expect(foldName('OrdersÄ', 'mysql')).toBe('ordersä');
    expect(writtenKeys('Orders', 'postgres')).toEqual(['Orders', 'orders']);
    expect(writtenKeys('orders', 'postgres')).toEqual(['orders']);
    expect(writtenKeys('Orders', 'sqlite')).toEqual(['orders']);
    expect(isSameName('Orders', 'ORDERS', 'postgres')).toBe(false);
    expect(isSameName('Orders', 'ORDERS', 'mysql')).toBe(true);
  });

  test.each([
    ['"a""b"', 'a"b'],
    ['`a``b`', 'a`b'],
    ['[a]]b]', 'a]b'],
  ])('may be quoted: %s', (written, actual) => {
    expect(isSameName(written, actual, 'postgres')).toBe(true);
    expect(isSameName(written, actual.toUpperCase(), 'postgres')).toBe(false);
    expect(isSameName(written, actual.toUpperCase(), 'sqlite')).toBe(true);
  });

  test('is cut after 63 bytes in PostgreSQL, before a letter that does not fit', () => {
    const long = 'a'.repeat(70);
    expect(isSameName(long, 'a'.repeat(63), 'postgres')).toBe(true);
    expect(isSameName(long, 'a'.repeat(62), 'postgres')).toBe(false);
    expect(isSameName(long, 'a'.repeat(63), 'sqlite')).toBe(false);
    expect(isSameName('A'.repeat(70), 'a'.repeat(63), 'postgres')).toBe(true);
    expect(isSameName('é'.repeat(40), 'é'.repeat(31), 'postgres')).toBe(true);
    expect(isSameName(`a${'é'.repeat(31)}b`, `a${'é'.repeat(31)}`, 'postgres')).toBe(true);
    expect(writtenKeys('a'.repeat(63), 'postgres')).toEqual(['a'.repeat(63)]);
    expect(writtenKeys('é'.repeat(22), 'postgres')).toEqual(['é'.repeat(22)]);
  });

  test('is compared the same way each time', () => {
    const isSame = createNameComparison('postgres');
    for (const actual of ['orders', 'orders', 'ORDERS', 'ORDERS']) {
      expect(isSame('Orders', actual)).toBe(actual === 'orders');
    }
    expect(isSame('"ORDERS"', 'ORDERS')).toBe(true);
  });
});

describe('the name of a table', () => {
  test.each([
    ['postgres', undefined, ['Ä', 'A'], ['Ä', 'A']],
    ['sqlite', undefined, ['Ä', 'A'], ['Ä', 'a']],
    ['mysql', 0, ['Ä', 'A'], ['Ä', 'A']],
    ['mysql', 1, ['Ä', 'A', 'İ', 'K', 'Ⅷ'], ['ä', 'a', 'i', 'k', 'Ⅷ']],
    ['mysql', 2, ['Ä'], ['ä']],
    ['mysql', undefined, ['Ä', 'Ⅷ'], ['ä', 'ⅷ']],
    ['duckdb', undefined, ['Ä'], ['ä']],
    ['duckdb', 0, ['Ä'], ['ä']],
  ] as const)('is compared in %s (%s) as the server compares it', (dialect, setting, names, keys) => {
    expect(names.map((name) => serverKey(name, dialect, setting))).toEqual(keys);
  });
});

describe('the key of a name', () => {
  test('is the same for all spellings that some server may take for one', () => {
    expect(['K', 'k', 'K'].map(caseKey)).toEqual(['k', 'k', 'k']);
    expect(['İ', 'I', 'ı'].map(caseKey)).toEqual(['i', 'i', 'i']);
    expect(caseKey('ſ')).toBe('s');
    expect(caseKey('ß')).toBe('ß');
    expect(caseKey('ŉ')).toBe('ŉ');
  });

  test('is the widest without accents, widths, invisible characters and spaces around it', () => {
    expect(['Ténant', 'ｔenant', 'ten\u200bant', ' tenant ', 'te\u0301nant'].map(widestKey)).toEqual(
      Array.from({ length: 5 }, () => 'tenant'),
    );
    expect(widestKey('straße')).toBe('strase');
  });
});

describe('a column', () => {
  const columns = ['Id', 'id', 'ténant', ...Array.from({ length: 29 }, (_, index) => `c${index}`)];

  test('is found at each place that a name may refer to, in order', () => {
    expect(createColumnLookup(columns, 'postgres')('Id')).toEqual([0, 1]);
    expect(createColumnLookup(columns, 'postgres')('id')).toEqual([1]);
    expect(createColumnLookup(columns, 'sqlite')('ID')).toEqual([0, 1]);
    expect(createColumnLookup(columns, 'sqlite')('none')).toEqual([]);
  });

  test('ignores accents in a table of MySQL with 32 columns', () => {
    expect(createColumnLookup(columns, 'mysql')('tenant')).toEqual([2]);
    expect(createColumnLookup(columns.slice(0, 31), 'mysql')('tenant')).toEqual([]);
    expect(createColumnLookup(columns, 'sqlite')('tenant')).toEqual([]);
  });
});

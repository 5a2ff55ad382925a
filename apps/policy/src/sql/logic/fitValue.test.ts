import { describe, expect, it } from 'vitest';
import type { SqlDialect } from '@gatehouse/contract';
import type { TypeFamily } from './columnTypes.js';
import { fitValue, isConverting, needOf, type Scalar } from './fitValue.js';

describe('a text for a number', () => {
  const numeric = { family: 'numeric', declared: 'DECIMAL(10)' } as const;

  it.each([
    ['12', { value: 12 }],
    ['-1.5', { decimal: '-1.5' }],
    ['1.', null],
    [' 12', null],
    ['1e3', null],
    ['.5', null],
    ['1.2.3', { value: '1.2.3' }],
    ['1x', { value: '1x' }],
  ])(
    '%s in SQLite is a number, is refused if SQLite would convert it, and else stays text',
    (text, fitted) => {
      expect(fitValue(text, numeric, 'sqlite')).toEqual(fitted);
    },
  );

  it('is read in time that grows with its length, not with the square of it', () => {
    // A hundred times as long as a value may be: with the square, this would take an hour.
    const digits = `${'1'.repeat(1_000_000)}x`;
    expect(fitValue(digits, numeric, 'sqlite')).toEqual({ value: digits });
  });
});

describe('a number that a single does not hold', () => {
  it.each([
    ['float', 'mysql'],
    ['FLOAT', 'mysql'],
    ['float unsigned', 'mysql'],
    ['float(24)', 'mysql'],
    ['float(7,4)', 'mysql'],
    ['real', 'postgres'],
    ['float4', 'postgres'],
    ['float(24)', 'postgres'],
  ] as const)('is refused for %s of %s', (declared, dialect) => {
    const type = { family: 'float', declared } as const;
    for (const value of [0.1, '0.1']) expect(fitValue(value, type, dialect)).toBeNull();
    for (const value of [0.5, '0.5']) expect(fitValue(value, type, dialect)).toEqual({ value: 0.5 });
  });

  it.each([
    ['double', 'mysql'],
    ['float(25)', 'mysql'],
    ['float(53)', 'mysql'],
    ['float', 'postgres'],
    ['float(25)', 'postgres'],
  ] as const)('fits into %s of %s', (declared, dialect) => {
    expect(fitValue(0.1, { family: 'float', declared }, dialect)).toEqual({ value: 0.1 });
  });
});

describe('a value is bound unchanged or refused', () => {
  const fit = (value: Scalar, [family, dialect, declared = '']: Place) =>
    fitValue(value, { family, declared }, dialect);
  type Place = readonly [family: TypeFamily, dialect: SqlDialect, declared?: string];
  const MOMENT = '2024-01-31 23:59:59.123456';

  it.each<[Place, accepted: Scalar[], refused: Scalar[]]>([
    [
      ['text', 'mysql'],
      ['', 'a ', '1'],
      [1, true],
    ],
    [
      ['text', 'mysql', 'char(3)'],
      ['a', ' a'],
      ['a ', 0],
    ],
    [['text', 'postgres', 'character varying(3)'], ['a '], [1]],
    [['text', 'postgres', 'character(3)'], ['a'], ['a ']],
    [
      ['text', 'postgres', '"char"'],
      ['a', '\u007f'],
      ['', 'ab', 'é', '\u0080'],
    ],
    [
      ['text', 'postgres', 'name'],
      ['a'.repeat(63), 'é'.repeat(31)],
      ['a'.repeat(64), 'é'.repeat(32)],
    ],
    [
      ['integer', 'mysql'],
      [0, -1, 1.5],
      ['x', '01', '+1', '-0', '1.0', '', true, '1e3'],
    ],
    [
      ['boolean', 'postgres'],
      [true, false],
      ['true', 't', '1', 1, 0],
    ],
    [
      ['flag', 'mysql'],
      [true, false, 0, 1, 2],
      ['1', 'true', ''],
    ],
    [
      ['year', 'mysql'],
      [1901, 2155],
      [1900, 2156, 1, 70, '1900', '2156', '24', '02024', true],
    ],
    [
      ['date', 'mysql'],
      ['2024-02-29', '0001-01-01'],
      ['2023-02-29', '2024-13-01', '0000-01-01', '2024-1-1'],
    ],
    [['date', 'postgres'], ['9999-12-31'], ['2024-04-31', 'now', 'today', MOMENT, 20240131, true, '']],
    [
      ['time', 'mysql'],
      ['00:00', '23:59:59', '10:00:00.5'],
      ['24:00', '10:60', '10:00:60', '1:00', 'now', 1],
    ],
    [
      ['timestamp', 'postgres'],
      ['2024-01-31', MOMENT, MOMENT.replace(' ', 'T')],
      [`${MOMENT}Z`, `${MOMENT}7`],
    ],
    [
      ['timestamp', 'mysql'],
      ['2024-01-31 10:00'],
      ['2024-01-31x10:00', '2024-02-30 10:00', '2024-01-31 ', 1],
    ],
    [['timestampWithZone', 'postgres'], [MOMENT, `${MOMENT}Z`, `${MOMENT}+14:59`], [`${MOMENT}+15:00`]],
    [['timestampWithZone', 'postgres'], ['2024-01-31'], ['2024-01-31Z', '2024-02-30 10:00Z', 'now', 1]],
    [
      ['uuid', 'postgres'],
      ['6F0a1c3e-0000-4000-8000-00000000abcd'],
      ['6f0a1c3e00004000800000000000abcd', '', 1],
    ],
    [
      ['binary', 'mysql'],
      ['a\n~', ''],
      ['é', '\u0080', 1, true],
    ],
    [
      ['float', 'postgres'],
      [0.1, 1e300],
      ['0.1000000000000000000001', '1e3', 'NaN', 'Infinity', true],
    ],
    [['other', 'mysql'], [], ['x', 1, true]],
    [['other', 'postgres'], ['x', 1, true], []],
    [['other', 'bigquery'], ['x', 1, true], []],
    [['other', 'sqlite'], ['x'], [1, true]],
    [['unknown', 'sqlite'], ['x', 1], [true]],
    [
      ['unknown', 'mysql'],
      ['x', '1'],
      [1, true],
    ],
    [['unknown', 'mssql'], ['x'], [1, true]],
    [['unknown', 'duckdb'], ['x'], [1, true]],
    [['unknown', 'snowflake'], ['x'], [1, true]],
    [['unknown', 'postgres'], ['x', 1, true], []],
    [['unknown', 'bigquery'], ['x', 1, true], []],
  ])('as %s', (place, accepted, refused) => {
    for (const value of accepted) expect([value, fit(value, place)]).toEqual([value, { value }]);
    for (const value of refused) expect([value, fit(value, place)]).toEqual([value, null]);
  });

  it.each<[Scalar, Place, ReturnType<typeof fitValue>]>([
    ['15', ['integer', 'mysql'], { value: 15 }],
    ['-15', ['integer', 'sqlite'], { value: -15 }],
    ['9007199254740991', ['integer', 'sqlite'], { value: 9_007_199_254_740_991 }],
    ['9007199254740993', ['integer', 'sqlite'], { decimal: '9007199254740993' }],
    [9_007_199_254_740_991, ['integer', 'sqlite'], { value: 9_007_199_254_740_991 }],
    [9_007_199_254_740_992, ['integer', 'sqlite'], { decimal: '9007199254740992' }],
    [9_007_199_254_740_992, ['integer', 'postgres'], { value: 9_007_199_254_740_992 }],
    ['2024', ['year', 'mysql'], { value: 2024 }],
    [1.5, ['decimal', 'mysql'], { decimal: '1.5' }],
    [1.5, ['decimal', 'sqlite'], { value: 1.5 }],
    [-2, ['decimal', 'mysql'], { decimal: '-2' }],
    [1e-7, ['decimal', 'mysql'], { decimal: '0.0000001' }],
    [1e21, ['decimal', 'mysql'], { decimal: '1000000000000000000000' }],
    [1.25e21, ['decimal', 'mysql'], { decimal: '1250000000000000000000' }],
    [1e37, ['decimal', 'mysql'], { decimal: `1${'0'.repeat(37)}` }],
    [1e38, ['decimal', 'mysql'], null],
    [1e-38, ['decimal', 'mysql'], { decimal: `0.${'0'.repeat(37)}1` }],
    [1e-39, ['decimal', 'mysql'], null],
    ['1.50', ['decimal', 'mysql'], { decimal: '1.50' }],
    ['2', ['decimal', 'mysql'], { decimal: '2' }],
    ['2', ['decimal', 'sqlite'], { value: 2 }],
    ['1.50', ['decimal', 'sqlite'], { decimal: '1.50' }],
    ['-0.0', ['decimal', 'mysql'], null],
    ['0.25', ['float', 'mysql'], { value: 0.25 }],
  ])('%s as %s', (value, place, fitted) => {
    expect(fit(value, place)).toEqual(fitted);
  });

  it('and the message names the form that the type needs', () => {
    expect(needOf({ family: 'boolean', declared: '' })).toBe('true or false');
    expect(needOf({ family: 'flag', declared: '' })).toBe('true, false or a whole number');
    expect(
      ['mysql', 'mssql', 'snowflake', 'duckdb', 'sqlite', 'postgres', 'bigquery'].map((dialect) =>
        isConverting(dialect as SqlDialect),
      ),
    ).toEqual([true, true, true, true, false, false, false]);
  });
});

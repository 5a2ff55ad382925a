import { describe, expect, it } from 'vitest';
import { fitValue } from './fitValue.js';

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

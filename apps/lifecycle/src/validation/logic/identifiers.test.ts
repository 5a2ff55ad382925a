import { SQL_DIALECTS } from '@gatehouse/contract';
import { randomRuns } from '@gatehouse/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canonicalName, foldCase, NameIndex, nameRulesOf, splitName } from './identifiers.js';

describe('folding', () => {
  it('ignores case, including the capital ẞ', () => {
    for (const name of ['STRASSE', 'straße', 'STRAẞE', 'Strasse']) expect(foldCase(name)).toBe('strasse');
    expect(foldCase('ΟΔΟΣ')).toBe(foldCase('οδος'));
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(foldCase(foldCase(name))).toBe(foldCase(name));
        expect(foldCase(name.toUpperCase())).toBe(foldCase(name));
      }),
      { numRuns: randomRuns(2000) },
    );
  });
});

const names = fc.uniqueArray(
  fc.string({ unit: fc.constantFrom('a', 'A', 'b', 'é', 'É', '"', '`', ']'), minLength: 1 }),
  {
    maxLength: 8,
  },
);

describe.each(SQL_DIALECTS)('the names of %s', (dialect) => {
  const rules = nameRulesOf({ schemas: [] }, dialect);

  it('are found by their exact spelling, whatever they fold to', () => {
    fc.assert(
      fc.property(names, fc.constantFrom('tables', 'columns'), (stored, sort) => {
        const index = new NameIndex(
          stored.map((name) => [name, name] as const),
          rules,
          sort,
        );
        expect(stored.map((name) => index.find(name))).toEqual(stored);
      }),
    );
  });

  it('are found in the first of several indexes that has them', () => {
    fc.assert(
      fc.property(
        fc.array(names, { maxLength: 4 }),
        names,
        fc.constantFrom('tables', 'columns'),
        (lists, written, sort) => {
          const indexes = lists.map(
            (stored, order) =>
              new NameIndex(
                stored.map((name) => [name, `${order} ${name}`] as const),
                rules,
                sort,
              ),
          );
          const first = NameIndex.firstOf(indexes, rules, sort);
          const inEach = (name: string) =>
            indexes.map((index) => index.find(name)).find((found) => found !== null);
          expect(written.map((name) => first.find(name))).toEqual(
            written.map((name) => inEach(name) ?? null),
          );
        },
      ),
    );
  });

  it('are found in quotes, which are doubled inside', () => {
    const [open, close] = rules.quotes[0] ?? ['', ''];
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'B', close), minLength: 1, maxLength: 5 }),
        (stored) => {
          const index = new NameIndex([[stored, 'found']], rules, 'columns');
          expect(index.find(open + stored.replaceAll(close, close + close) + close)).toBe('found');
        },
      ),
    );
  });

  it('are the parts of a qualified name, with and without quotes', () => {
    const [open, close] = rules.quotes[0] ?? ['', ''];
    const part = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'B', ' ') }),
      fc
        .string({ unit: fc.constantFrom('a', 'B', '.', close), minLength: 1, maxLength: 20 })
        .map((name) => open + name.replaceAll(close, close + close) + close),
    );
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
        expect(splitName(parts.join('.'), rules)).toEqual(parts);
      }),
    );
    const long = 'a.'.repeat(1000);
    expect(splitName(long, rules)).toEqual([long]);
  });

  it('are not found by other names', () => {
    fc.assert(
      fc.property(names, fc.string({ unit: fc.constantFrom('a', 'A', 'c') }), (stored, written) => {
        const index = new NameIndex(
          stored.map((name) => [name, name] as const),
          rules,
          'columns',
        );
        const found = index.find(written);
        const folded = canonicalName(written, rules, 'columns');
        const { stored: fold } = rules.columns;
        expect(found === null || found === written || fold(found) === folded).toBe(true);
      }),
    );
  });
});

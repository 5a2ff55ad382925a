import type { TemplateFix } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { renamesOf, withRenames } from './templateRenames.js';

const fix = (change: Partial<TemplateFix>): TemplateFix => ({
  path: '/cards/0/column',
  code: 'FIELD_NOT_FOUND',
  from: 'amout',
  to: 'amount',
  reason: 'oneCandidate',
  ...change,
});

describe('the renames of some issues', () => {
  it('are those at the places of the issues, not those of the same column in another table', () => {
    const own = fix({});
    const fixes = [own, fix({ path: '/cards/1/column' }), fix({ code: 'FILTER_FIELD_NOT_FOUND' })];
    expect(renamesOf(fixes, [{ code: 'FIELD_NOT_FOUND', path: '/cards/0/column' }])).toEqual([own]);
    expect(renamesOf(fixes, [])).toEqual([]);
  });

  it('of a table include the references to it, and not the columns below it', () => {
    const table = fix({ code: 'ENTITY_NOT_FOUND', path: '/cards/0/table', from: 'order', to: 'orders' });
    const reference = { ...table, path: '/cards/0/entity' };
    const other = { ...table, path: '/cards/1/table', from: 'pay', to: 'payments' };
    const found = renamesOf([table, other, reference, fix({})], [table]);
    expect(found).toEqual([table, reference]);
  });
});

describe('a template with renames', () => {
  it('differs at their places only, and the original stays', () => {
    const template = { cards: [{ column: 'amout', 'a/b~c': 'amout' }, { column: 'amout' }] };
    const before = structuredClone(template);
    const path = '/cards/0/a~1b~0c';
    const renamed = withRenames(template, [fix({}), fix({ path })]);
    expect(renamed).toEqual({ cards: [{ column: 'amount', 'a/b~c': 'amount' }, { column: 'amout' }] });
    expect(template).toEqual(before);
  });

  it('is refused if a place is missing, inherited or no text', () => {
    const template = { cards: [{ column: 1 }] };
    const paths = ['/cards/0/column', '/cards/1/column', '/__proto__/column', '/cards/0/toString', '', '/'];
    for (const path of paths) expect(() => withRenames(template, [fix({ path })])).toThrow(RangeError);
  });
});

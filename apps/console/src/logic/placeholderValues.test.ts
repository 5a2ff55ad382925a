import { describe, expect, it } from 'vitest';
import { areTypeable, parseTyped, placeholdersOf, toTyped, type ValueType } from './placeholderValues.js';

const region = { name: 'region', isList: false, hasDefault: false };
const regions = { name: 'regions', isList: true, hasDefault: false };

describe('placeholders of a definition', () => {
  const rule = (expression: string, params?: Record<string, string>) => ({
    name: 'rule',
    matcher: { type: 'ALL_TABLES_WITH_COLUMN' as const, column: 'region' },
    expression,
    enabled: true,
    ...(params && { params }),
  });

  it('are those that an assignment gives values for, each once', () => {
    const rules = [
      rule('region IN ({{ regions }}) OR tenant_id = {{actor.tenantId}}'),
      rule('r = {{ regions }}'),
    ];
    const definition = {
      rlsConfig: { rules },
      slsConfig: { schemaTemplate: 'tenant_{{ schema-id }}' },
      clsConfig: { connectionTemplate: 'postgres://u:{{ password@secret }}@db/{{actor.tenantId2}}' },
    };
    expect(placeholdersOf(definition).map(({ name }) => name)).toEqual([
      'regions',
      'schema-id',
      'password@secret',
      'actor.tenantId2',
    ]);
    expect(placeholdersOf({ rlsConfig: null, slsConfig: null, clsConfig: null })).toEqual([]);
  });

  it('are those of templates, not of the name of a rule', () => {
    const rules = [{ ...rule('region = {{ region }}'), name: 'only {{ this }}' }];
    const definition = { rlsConfig: { rules }, slsConfig: null, clsConfig: null };
    expect(placeholdersOf(definition).map(({ name }) => name)).toEqual(['region']);
  });

  it('are lists where a condition uses them as one, and state whether the definition has a value', () => {
    const rules = [
      rule('a in ( {{a}} ) AND b = ANY({{ b }})'),
      rule('c = {{ c }} AND d IN ({{ d }}, {{ e }})', { c: 'x' }),
    ];
    expect(placeholdersOf({ rlsConfig: { rules }, slsConfig: null, clsConfig: null })).toEqual([
      { name: 'a', isList: true, hasDefault: false },
      { name: 'b', isList: true, hasDefault: false },
      { name: 'c', isList: false, hasDefault: true },
      { name: 'd', isList: false, hasDefault: false },
      { name: 'e', isList: false, hasDefault: false },
    ]);
  });
});

describe('a typed value', () => {
  it.each(['north', 0, -2.5, 1e300, true, false, ['a', 'b'], [1, 2]])(
    '%j is shown and read again',
    (value) => {
      expect(areTypeable({ region: value }, [region])).toBe(true);
      expect(parseTyped(toTyped(value, region))).toEqual({ value });
    },
  );

  it('begins with the type that the condition suggests, and is none while it is empty', () => {
    expect(toTyped(undefined, regions)).toEqual({ type: 'texts', items: [] });
    for (const type of ['text', 'number', 'boolean', 'texts', 'numbers'] as const)
      for (const items of [[], ['']]) expect(parseTyped({ type, items })).toEqual({});
  });

  it.each<[ValueType, string]>([
    ['number', 'abc'],
    ['number', '015'],
    ['number', '1e999'],
    ['number', '9007199254740993'],
    ['numbers', '1,5'],
    ['numbers', '0x10'],
  ])('as a %s of %s is a fault', (type, text) => {
    const { value, fault } = parseTyped({ type, items: type === 'numbers' ? ['1', text] : [text] });
    expect([value, fault]).toEqual([undefined, expect.stringContaining(text)]);
  });
});

describe('values that the fields cannot show', () => {
  it.each([
    [{ other: 'x' }],
    [{ region: '' }],
    [{ region: [] }],
    [{ region: ['a', ''] }],
    [{ region: ['a', 1] }],
    [{ region: null }],
    [{ region: { a: 1 } }],
    [[]],
    [Symbol('invalid value')],
  ])('%j', (params) => {
    expect(areTypeable(params, [region])).toBe(false);
  });
});

import type { ClsConfig, RlsConfig, SlsConfig } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { paramFaults, templateFaults } from './templateFaults.js';

const NONE = { clsConfig: null, slsConfig: null, rlsConfig: null };
const ofCls = (clsConfig: ClsConfig) => templateFaults({ ...NONE, clsConfig }).map(({ path }) => path);
const ofSls = (slsConfig: SlsConfig) => templateFaults({ ...NONE, slsConfig }).map(({ path }) => path);
type Rule = RlsConfig['rules'][number];
const RULE: Rule = { matcher: { type: 'SCHEMA', schema: 's' }, expression: 'a = {{ x }}', enabled: true };
const ofRules = (...rules: Partial<Rule>[]) =>
  templateFaults({ ...NONE, rlsConfig: { rules: rules.map((rule) => ({ ...RULE, ...rule })) } }).map(
    ({ path }) => path,
  );

describe('a definition', () => {
  it('without faults is accepted', () => {
    const faults = templateFaults({
      clsConfig: { connectionTemplate: 'db://{{ host }}/{{db}}', params: { host: 'h', 'pw@secret': 'x' } },
      slsConfig: {
        schemaTemplate: 'tenant_{{ actor.tenantId }}',
        allowedSchemas: ['a', 'Quoted name'],
        defaultSchema: 'a',
      },
      rlsConfig: {
        rules: [
          RULE,
          { ...RULE, matcher: { type: 'TABLE_LIST', tables: [{ table: 't', schema: 's', database: 'd' }] } },
          { ...RULE, matcher: { type: 'ALL_TABLES_WITH_COLUMN', column: 'c' }, params: { x: 1 } },
        ],
      },
    });
    expect(faults).toEqual([]);
  });

  it('has every template checked, disabled rules included', () => {
    expect(ofCls({ connectionTemplate: 'db://{{ a b }}' })).toEqual(['clsConfig.connectionTemplate']);
    expect(ofCls({ filePathTemplates: { good: 'x', orders: 'x/{{' } })).toEqual([
      'clsConfig.filePathTemplates.orders',
    ]);
    expect(ofSls({ schemaTemplate: '{{ }}' })).toEqual(['slsConfig.schemaTemplate']);
    expect(ofRules({}, { expression: 'a = {{ x', enabled: false })).toEqual([
      'rlsConfig.rules[1].expression',
    ]);
  });

  it('reports the position of the fault in the template', () => {
    const [fault] = templateFaults({ ...NONE, clsConfig: { connectionTemplate: 'db://{{ a b }}' } });
    expect(fault?.message).toMatch(/^is not a placeholder: .* \(at character 6\)$/);
  });

  it('cannot override a built-in value', () => {
    expect(ofCls({ params: { 'actor.id': 'x', fine: 'y' } })).toEqual(['clsConfig.params.actor.id']);
    expect(ofRules({ params: { 'actor.tenantId': 'x' } })).toEqual([
      'rlsConfig.rules[0].params.actor.tenantId',
    ]);
    expect(paramFaults({ 'actor.role': 'ADMIN', x: 1 }, ['params'])).toEqual([
      { path: 'params.actor.role', message: 'is a built-in value, which nothing can override' },
    ]);
  });

  it('refuses placeholders in literal names, and blank names', () => {
    expect(ofSls({ schema: '{{ x }}' })).toEqual(['slsConfig.schema']);
    expect(ofSls({ allowedSchemas: ['a', '{{ x }}', ' '] })).toEqual([
      'slsConfig.allowedSchemas[1]',
      'slsConfig.allowedSchemas[2]',
    ]);
    expect(ofSls({ defaultSchema: ' ' })).toEqual(['slsConfig.defaultSchema']);
    const matchers: Rule['matcher'][] = [
      { type: 'ALL_TABLES_WITH_COLUMN', column: '{{ x }}' },
      { type: 'SCHEMA', schema: '{{ x }}', database: ' ', column: '{{' },
      {
        type: 'TABLE_LIST',
        tables: [{ table: 'a' }, { table: '{{ x }}', schema: '\t', database: '{{ x }}' }],
      },
    ];
    expect(ofRules(...matchers.map((matcher) => ({ matcher })))).toEqual([
      'rlsConfig.rules[0].matcher.column',
      'rlsConfig.rules[1].matcher.schema',
      'rlsConfig.rules[1].matcher.database',
      'rlsConfig.rules[1].matcher.column',
      'rlsConfig.rules[2].matcher.tables[1].table',
      'rlsConfig.rules[2].matcher.tables[1].schema',
      'rlsConfig.rules[2].matcher.tables[1].database',
    ]);
  });

  it('refuses schema text that is not part of an identifier', () => {
    expect(ofSls({ schemaTemplate: 'a.b_{{ x }}' })).toEqual(['slsConfig.schemaTemplate']);
    expect(ofSls({ schemaTemplate: '"{{ x }}"' })).toEqual(['slsConfig.schemaTemplate']);
  });
});

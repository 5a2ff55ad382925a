import { describe, expect, it } from 'vitest';
import { faultAt, otherFaults } from './configForm.js';
import { fileFaults, missingInDatabase, readDatabase, writeDatabase } from './databasePolicy.js';
import { contains, faultsBeside } from './formChanges.js';
import { readSchemas, writeSchemas } from './schemaPolicy.js';
import {
  completeValues,
  faultsOfRows,
  missingNames,
  newRow,
  readRows,
  renamed,
  writeRows,
} from './valueRows.js';

const text = (name: string, value: string) => ({ name, typed: { type: 'text' as const, items: [value] } });

describe('the form of a schema policy', () => {
  it.each([
    null,
    { schema: 'sales' },
    { schemaTemplate: 'tenant_{{ actor.tenantId }}' },
    { allowedSchemas: [] },
    { defaultSchema: 'hr', allowedSchemas: ['hr', 'sales'], schema: 'sales' },
    { defaultSchema: 'hr' },
  ])('keeps %j', (config) => {
    const form = readSchemas(config);
    expect(form && writeSchemas(form)).toEqual(config);
  });

  it('drops nothing but nulls', () => {
    const form = readSchemas({ schema: 'sales', schemaTemplate: null });
    expect(form && writeSchemas(form)).toEqual({ schema: 'sales' });
  });

  it.each([
    { schema: null },
    { schema: '{{ a }}' },
    { schemaTemplate: 'sales' },
    { schema: 5 },
    { schema: 'a', later: true },
    { allowedSchemas: 'a' },
    'sales',
    ['sales'],
  ])('does not show %j', (config) => expect(readSchemas(config)).toBeNull());

  it('names a text with a placeholder a template', () => {
    expect(writeSchemas({ schema: 'a_{{ b }}', allowed: null, fallback: '' })).toEqual({
      schemaTemplate: 'a_{{ b }}',
    });
  });
});

describe('the form of a connection policy', () => {
  it.each([
    null,
    { connectionTemplate: 'postgres://{{ host }}/{{ db }}', params: { host: 'h', port: 5432, tls: true } },
    { filePathTemplates: { orders: '/data/{{ actor.tenantId }}.parquet' } },
    { filePathTemplates: {} },
    { params: { 'password@secret': '***' } },
    { connectionTemplate: '' },
  ])('keeps %j', (config) => {
    const form = readDatabase(config);
    expect(form && writeDatabase(form)).toEqual(config);
  });

  it.each([
    { connectionTemplate: 'a', filePathTemplates: { a: 'b' } },
    { connectionTemplate: 'a', params: {} },
    { connectionTemplate: 'a', params: { b: '' } },
    { connectionTemplate: 'a', params: { b: ['c'] } },
    { connectionTemplate: 5 },
    { filePathTemplates: { a: 5 } },
    'postgres://',
  ])('does not show %j', (config) => expect(readDatabase(config)).toBeNull());

  it('has no policy while a row is wrong', () => {
    const form = { destination: 'address' as const, address: 'a', files: [], values: [text('', 'b')] };
    expect(writeDatabase(form)).toBeUndefined();
    const files = [
      { name: 'a', path: 'b' },
      { name: 'a', path: 'c' },
    ];
    expect(fileFaults(files)).toEqual([undefined, 'must be unique']);
    expect(writeDatabase({ ...form, destination: 'files', files, values: [] })).toBeUndefined();
  });

  it('suggests the placeholders that have no value', () => {
    const form = { destination: 'address' as const, files: [], values: [text('host', 'h')] };
    const address = '{{ host }}/{{ db }}/{{ actor.id }}/{{ db }}';
    expect(missingInDatabase({ ...form, address })).toEqual(['db']);
    expect(missingInDatabase({ ...form, address, destination: 'connection' })).toEqual([]);
  });
});

describe('rows of values', () => {
  it('keep each value and its type', () => {
    const params = { a: 'b', least: 5, isOpen: false, ids: ['x', 'y'], years: [2024], 'key@secret': '***' };
    const rows = readRows(params);
    expect(rows && writeRows(rows)).toEqual(params);
    expect(readRows(null)).toEqual([]);
    expect(writeRows([])).toBeNull();
  });

  it.each([{ a: '' }, { a: [] }, { a: { b: 1 } }, { a: null }, { '': 'b' }, 'a', ['a']])(
    'do not show %j',
    (params) => expect(readRows(params)).toBeNull(),
  );

  it('state what is wrong, except with an empty row', () => {
    const rows = [text('a', 'b'), text('a', 'c'), text('', 'd'), text('e', ''), text('', '')];
    expect(faultsOfRows(rows)).toEqual([
      {},
      { name: 'must be unique' },
      { name: 'is required' },
      { value: 'is required' },
      {},
    ]);
    expect(writeRows(rows)).toBeUndefined();
    expect(completeValues(rows)).toEqual({ a: 'b' });
  });

  it('do not show a secret under a name that is none', () => {
    expect(renamed(text('key@secret', 'hidden'), 'key')).toEqual({
      name: 'key',
      typed: { type: 'text', items: [] },
    });
    expect(renamed(text('key@secret', 'hidden'), 'other@secret')).toEqual(text('other@secret', 'hidden'));
    const number = { name: 'key@secre', typed: { type: 'number' as const, items: ['5'] } };
    expect(renamed(number, 'key@secret')).toEqual(text('key@secret', '5'));
  });

  it('begin with a placeholder that has no value', () => {
    expect(missingNames(['{{ a }} {{ b }}', null, '{{ c }}'], [text('b', 'x')])).toEqual(['a', 'c']);
    expect(newRow(['a', 'c']).name).toBe('a');
    expect(newRow([]).name).toBe('');
  });
});

describe('the field errors of a policy', () => {
  const faults = [
    { field: 'slsConfig.allowedSchemas[1]', message: 'must not be blank' },
    { field: 'slsConfig', message: 'defaultSchema must be one of allowedSchemas' },
    { field: 'clsConfig.params.a.b', message: 'is too long' },
    { field: 'version', message: 'is required' },
  ];

  it('stand beside their field, and the others at the end', () => {
    expect(faultAt(faults, 'slsConfig.allowedSchemas')).toBe('must not be blank');
    expect(faultAt(faults, 'clsConfig.params.a')).toBeUndefined();
    expect(faultAt(faults, 'clsConfig.params.a.b')).toBe('is too long');
    expect(otherFaults(faults, 'slsConfig', ['slsConfig.allowedSchemas'])).toBe(
      'defaultSchema must be one of allowedSchemas',
    );
    expect(otherFaults(faults, 'clsConfig', ['clsConfig.params.a'])).toBe('params.a.b is too long');
    expect(otherFaults(faults, 'clsConfig', ['clsConfig.params.a.b'])).toBeUndefined();
  });

  it('are in the notice only if no field shows them', () => {
    expect(faultsBeside(faults, ['slsConfig', 'clsConfig'])).toEqual([
      { field: 'version', message: 'is required' },
    ]);
  });

  it('prevent a request also if a part of a value is wrong', () => {
    const mark = Symbol('wrong');
    expect(contains({ rules: [{ params: mark }] }, mark)).toBe(true);
    expect(contains({ rules: [{ params: null }], name: 'a' }, mark)).toBe(false);
  });
});

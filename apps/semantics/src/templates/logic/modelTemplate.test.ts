import { ModelTemplate } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { connectionIdsIn, findTemplateFaults, findUnknownConnections } from './modelTemplate.js';

const TEMPLATE = ModelTemplate.parse({
  datasets: [
    { name: 'orders', connectionId: 'c_1', table: 'orders' },
    { name: 'people', connectionId: 'c_2', table: 'people' },
    { name: 'days', table: 'days' },
    { name: 'more', connectionId: 'c_1', table: 'more' },
  ],
  relationships: [{ source: 'orders', target: 'people', on: [{ sourceColumn: 'a', targetColumn: 'b' }] }],
  calculatedFields: [{ dataset: 'days', name: 'year', expression: 'year(day)' }],
});
const [orders] = TEMPLATE.datasets;
const [relationship] = TEMPLATE.relationships;
const [calculated] = TEMPLATE.calculatedFields;

describe('a template', () => {
  it('has no faults when it is valid', () => {
    expect(findTemplateFaults(TEMPLATE, 'domain')).toEqual([]);
  });

  const faulty: [string, Partial<Record<keyof ModelTemplate, unknown>>, string][] = [
    ['a duplicate dataset', { datasets: [...TEMPLATE.datasets, orders] }, 'datasets[4].name'],
    [
      'an unknown source',
      { relationships: [{ ...relationship, source: 'Orders' }] },
      'relationships[0].source',
    ],
    [
      'an unknown target',
      { relationships: [relationship, { ...relationship, target: 'x' }] },
      'relationships[1].target',
    ],
    [
      'a field of an unknown dataset',
      { calculatedFields: [{ ...calculated, dataset: 'x' }] },
      'calculatedFields[0].dataset',
    ],
    ['a duplicate field', { calculatedFields: [calculated, calculated] }, 'calculatedFields[1].name'],
  ];
  it.each(faulty)('is rejected with the faulty field: %s', (_, parts, field) => {
    const template = { ...TEMPLATE, ...parts } as ModelTemplate;
    expect(findTemplateFaults(template, 'domain').map((fault) => fault.field)).toEqual([field]);
  });

  it('must not name connections in a data model', () => {
    const fields = findTemplateFaults(TEMPLATE, 'datamodel').map(({ field }) => field);
    expect(fields).toEqual([
      'datasets[0].connectionId',
      'datasets[1].connectionId',
      'datasets[3].connectionId',
    ]);
  });

  it('lists its connections without duplicates, and reports unknown ones with their fields', () => {
    expect(connectionIdsIn(TEMPLATE)).toEqual(['c_1', 'c_2']);
    const faults = findUnknownConnections(TEMPLATE, new Set(['c_2']));
    expect(faults.map(({ field }) => field)).toEqual([
      'datasets[0].connectionId',
      'datasets[3].connectionId',
    ]);
  });
});

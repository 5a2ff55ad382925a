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
  it('is without faults', () => {
    expect(findTemplateFaults(TEMPLATE, 'domain')).toEqual([]);
  });

  const faulty: [string, Partial<Record<keyof ModelTemplate, unknown>>, string][] = [
    ['a dataset twice', { datasets: [...TEMPLATE.datasets, orders] }, 'datasets[4].name'],
    [
      'a source that is none',
      { relationships: [{ ...relationship, source: 'Orders' }] },
      'relationships[0].source',
    ],
    [
      'a target that is none',
      { relationships: [relationship, { ...relationship, target: 'x' }] },
      'relationships[1].target',
    ],
    [
      'a field of no dataset',
      { calculatedFields: [{ ...calculated, dataset: 'x' }] },
      'calculatedFields[0].dataset',
    ],
    ['a field twice', { calculatedFields: [calculated, calculated] }, 'calculatedFields[1].name'],
  ];
  it.each(faulty)('is refused with its place: %s', (_, parts, field) => {
    const template = { ...TEMPLATE, ...parts } as ModelTemplate;
    expect(findTemplateFaults(template, 'domain').map((fault) => fault.field)).toEqual([field]);
  });

  it('of a data model names no connections', () => {
    const fields = findTemplateFaults(TEMPLATE, 'datamodel').map(({ field }) => field);
    expect(fields).toEqual([
      'datasets[0].connectionId',
      'datasets[1].connectionId',
      'datasets[3].connectionId',
    ]);
  });

  it('names connections, each once, and those that are not known with their places', () => {
    expect(connectionIdsIn(TEMPLATE)).toEqual(['c_1', 'c_2']);
    const faults = findUnknownConnections(TEMPLATE, new Set(['c_2']));
    expect(faults.map(({ field }) => field)).toEqual([
      'datasets[0].connectionId',
      'datasets[3].connectionId',
    ]);
  });
});

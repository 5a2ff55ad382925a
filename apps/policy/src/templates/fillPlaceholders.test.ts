import { VALUE_SOURCES, type Params } from '@gatehouse/contract';
import { runToEnd } from '@gatehouse/testing';
import { expect, it } from 'vitest';
import {
  fillPlaceholders as fillInSteps,
  layersOf,
  traceValues,
  type ValueLayer,
} from './logic/placeholders.js';

const fillPlaceholders = (names: readonly string[], layers: readonly ValueLayer[]) =>
  runToEnd(fillInSteps(names, layers));

const own = { source: 'rule' as const, params: { x: 'rule' } };
const context = { tokenParams: { x: 'token' }, runtimeParams: { x: 'runtime' }, builtIns: { x: 'actor' } };

it('takes a value from the highest layer that has it, for every set of layers', () => {
  const sources = VALUE_SOURCES.filter((source) => source !== 'definition');
  for (let set = 0; set < 2 ** sources.length; set += 1) {
    const isIn = (source: string) => (set & (2 ** sources.findIndex((each) => each === source))) !== 0;
    const only = (source: string): Params => (isIn(source) ? { x: source } : {});
    const layers = layersOf(
      { tokenParams: only('token'), runtimeParams: only('runtime'), builtIns: only('actor') },
      { source: 'rule', params: only('rule') },
      only('assignment'),
    );
    const highest = sources.findLast(isIn);
    const { values, missing } = fillPlaceholders(['x'], layers);
    expect(values).toEqual(highest === undefined ? {} : { x: { value: highest, source: highest } });
    expect(missing).toEqual(highest === undefined ? ['x'] : []);
  }
});

it('keeps the order of layers, with and without an assignment or own params', () => {
  const order = layersOf(context, own, {}).map(({ source }) => source);
  expect(order).toEqual(['rule', 'assignment', 'token', 'runtime', 'actor']);
  expect(layersOf(context, null, null).map(({ source }) => source)).toEqual(order.slice(1));
});

it('accepts false, 0 and empty text as values', () => {
  const { values, missing } = fillPlaceholders(
    ['a', 'b', 'c'],
    [{ source: 'rule', params: { a: false, b: 0, c: '' } }],
  );
  expect(Object.values(values).map(({ value }) => value)).toEqual([false, 0, '']);
  expect(missing).toEqual([]);
});

it('ignores inherited properties, and keeps values of any name', () => {
  const names = ['__proto__', 'constructor', 'toString'];
  expect(fillPlaceholders(names, layersOf(context, own, {})).missing).toEqual(names);
  const params = JSON.parse('{"__proto__": 1, "constructor": 2, "toString": 3}') as Record<string, number>;
  const { values } = fillPlaceholders(names, [{ source: 'assignment', params }]);
  expect(Object.entries(values).map(([name, { value }]) => [name, value])).toEqual([
    ['__proto__', 1],
    ['constructor', 2],
    ['toString', 3],
  ]);
});

it('never adds a value to the trace', () => {
  const params = { x: 'visible', 'pw@secret': 'hunter2' };
  const filled = fillPlaceholders(
    ['x', 'pw@secret', 'gone', 'actor.role'],
    [{ source: 'assignment', params }],
  );
  const trace = runToEnd(traceValues(filled, 'The rule'));
  expect(trace.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['x', 'filled'],
    ['pw@secret', 'filled'],
    ['gone', 'missing'],
    ['actor.role', 'missing'],
  ]);
  expect(JSON.stringify(trace)).not.toMatch(/visible|hunter2/);
});

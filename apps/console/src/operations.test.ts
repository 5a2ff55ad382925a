import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { routes } from '@gatehouse/contract';
import { describe, expect, it } from 'vitest';
import { operations } from './operations.js';

const SOURCES = import.meta.dirname;
const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.tsx?$/.test(name) && !name.includes('operations.') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(path.join(SOURCES, name), 'utf8'))
  .join('\n');
const calls = (operationId: string) => new RegExp(`\\.${operationId}\\(`).test(sources);
const isScreen = (address: string) =>
  ['screen', 'restricted'].some((name) => sources.includes(`${name}('${address}'`));
const places = Object.entries(operations);

describe('the map of operations', () => {
  it('has every operation of the route table and no other', () => {
    expect(Object.keys(operations).toSorted()).toEqual(
      routes.map(({ operationId }) => operationId).toSorted(),
    );
  });

  it('names an existing screen for each operation that the console calls', () => {
    for (const [operationId, place] of places) {
      const hasScreen = place.kind === 'screen' && isScreen(place.path);
      expect([operationId, hasScreen]).toEqual([operationId, calls(operationId)]);
    }
  });

  it('gives a reason for each operation without a screen', () => {
    const reasons = places.flatMap(([, place]) => (place.kind === 'none' ? [place.reason] : []));
    expect(reasons.filter((reason) => reason.length < 20)).toEqual([]);
  });
});

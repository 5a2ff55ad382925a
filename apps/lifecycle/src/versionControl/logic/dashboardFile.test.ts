import type { DashboardContent } from '@gatehouse/contract';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDashboardFile, writeDashboardFile } from './dashboardFile.js';

const contentWith = (template: DashboardContent['template']): DashboardContent => ({
  id: 'd_1',
  title: 'Sales',
  description: '',
  tags: [],
  isDataApp: false,
  template,
});

/** The same value with the keys of every object reversed. */
function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, child]) => [key, reverseKeys(child)]),
  );
}

describe('the file of a dashboard', () => {
  it('has sorted keys, an indent of two spaces and a final newline', () => {
    const template = { b: [1, { z: null, 'ä"': true }], a: {}, '10': [], '9': 'x' };
    expect(writeDashboardFile(contentWith(template))).toBe(`{
  "description": "",
  "id": "d_1",
  "isDataApp": false,
  "tags": [],
  "template": {
    "10": [],
    "9": "x",
    "a": {},
    "b": [
      1,
      {
        "z": null,
        "ä\\"": true
      }
    ]
  },
  "title": "Sales"
}
`);
  });

  it('is equal for equal content, and complete', () => {
    const templates = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(templates, (template) => {
        const plain = JSON.parse(JSON.stringify(template)) as Record<string, unknown>;
        const file = writeDashboardFile(contentWith(plain));
        expect(file).toBe(writeDashboardFile(contentWith(reverseKeys(plain) as Record<string, unknown>)));
        expect((JSON.parse(file ?? '') as DashboardContent).template).toEqual(plain);
      }),
    );
  });

  it('is null when indentation exceeds the size limit', () => {
    let nested: unknown = Array.from({ length: 150_000 }, () => 1);
    for (let level = 0; level < 60; level += 1) nested = [nested];
    expect(writeDashboardFile(contentWith({ nested }))).toBeNull();
  });
});

describe('a file that anyone has pushed', () => {
  const fileWith = (template: string) =>
    JSON.stringify(contentWith(null)).replace('"template":null', `"template":${template}`);
  /** Below the content itself, which is one level. */
  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

  it.each(['{"a":{"constructor":1}}', nested(63)])('is a version: %s', (template) => {
    const parsed = parseDashboardFile(fileWith(template), 'd_1');
    expect(parsed).toEqual(contentWith(JSON.parse(template) as DashboardContent['template']));
  });

  it.each([
    ['a key that no request may have', '{"a":[{"__proto__":{"isAdmin":true}}]}'],
    ['such a key on the first level', '{"__proto__":{}}'],
    ['JSON that is nested deeper than that of a request', nested(64)],
    ['JSON that is nested very deeply', nested(100_000)],
    ['a number that a 64-bit float does not hold', '{"a":12345678901234567891}'],
  ])('is no version with %s', (_what, template) => {
    expect(parseDashboardFile(fileWith(template), 'd_1')).toBeNull();
  });

  it('is no version of another dashboard', () => {
    expect(parseDashboardFile(fileWith('null'), 'd_2')).toBeNull();
  });
});

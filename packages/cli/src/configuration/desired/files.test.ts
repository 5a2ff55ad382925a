import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { naturalKey } from '../model/keys.js';
import { fileNameOf } from './fileNames.js';
import { formatFile } from './formatFile.js';
import { parseFile } from './parseFile.js';

const NAMES = [
  '../x',
  '..',
  '.',
  '',
  'CON',
  'con',
  'lpt1',
  'a/b',
  String.raw`a\b`,
  'x'.repeat(500),
  '報告',
  '\0',
];

describe('the name of a file', () => {
  it('stays inside of its folder and is safe on every system', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom(...NAMES)), fc.boolean(), (key, isTaken) => {
        const name = fileNameOf(key, () => isTaken);
        expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,75}\.yaml$/);
        expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)\./);
        expect(resolve(join('/folder', name))).toBe(`/folder/${name}`);
      }),
    );
  });

  it('differs for keys that look alike', () => {
    const taken = new Set<string>();
    for (const key of ['Sales', 'sales', 'SALES!', 'sales ', 'con', 'CON']) {
      const name = fileNameOf(key, (other) => taken.has(other));
      expect(taken).not.toContain(name);
      taken.add(name);
    }
  });
});

describe('the file of a record', () => {
  const texts = fc
    .string({ unit: 'binary', maxLength: 40 })
    .filter((text) => !/[\0\p{Surrogate}]/u.test(text));
  const titles = texts.map((text) => `t${text}`);

  it('holds exactly the fields that it was written with', () => {
    const dashboards = fc.record({
      title: titles,
      description: texts,
      isPrivate: fc.boolean(),
      tags: fc.array(titles),
      owner: titles,
      isDataApp: fc.boolean(),
      shares: fc.constant([]),
      // The API rejects that key, so no record has it.
      template: fc.option(
        fc
          .dictionary(texts, fc.jsonValue())
          .filter((value) => !JSON.stringify(value).includes('"__proto__"')),
        { nil: null },
      ),
    });
    fc.assert(
      fc.property(dashboards, fc.boolean(), (given, hasKey) => {
        const fields = JSON.parse(JSON.stringify(given)) as Record<string, unknown>;
        const key = naturalKey('dashboard', fields) + (hasKey ? ' #2' : '');
        const text = formatFile({ kind: 'dashboard', key, fields });
        const { record, faults } = parseFile('dashboard', 'dashboards/a.yaml', text);
        expect(faults).toEqual([]);
        expect({ key: record?.key, fields: record?.fields }).toEqual({ key, fields });
      }),
    );
  });

  it.each([
    ['name: a\ntype: ORG_GROUP\nunknown: 1\n', 3, 'unknown'],
    ['name: a\n\nmembers:\n  - 1\ntype: ORG_GROUP\n', 4, 'members[0]'],
    ['name: a\n__proto__:\n  x: 1\ntype: ORG_GROUP\n', 2, '__proto__'],
    ['name: a\ntype: [\n', 3, ''],
    ['name: a\nname: b\ntype: ORG_GROUP\n', 2, 'unique'],
    ['- 1\n', 1, ''],
    ['', 1, ''],
  ])('%j has its fault in line %i', (text, line, message) => {
    const { record, faults } = parseFile('group', 'groups/a.yaml', text);
    expect(record).toBeNull();
    expect(faults[0]).toMatchObject({ file: 'groups/a.yaml', line });
    expect(faults[0]?.message).toContain(message);
  });
});

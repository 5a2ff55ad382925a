import { describe, expect, it } from 'vitest';
import { entityTagOf, matchesNone, parseIfMatch } from './entityTags.js';

describe('an entity tag', () => {
  it('consists of the version and a checksum of the body', () => {
    expect(entityTagOf({ group: { version: 7 } }, 'group', '{}')).toMatch(/^"7-[0-9a-f]{8}"$/);
    const [first, second] = ['{"a":1}', '{"a":2}'].map((body) =>
      entityTagOf({ group: { version: 7 } }, 'group', body),
    );
    expect(first).not.toBe(second);
  });

  it('belongs to the record at the path', () => {
    const output = { ok: true, data: { definition: { version: 3 }, connection: { version: 9 } } };
    expect(entityTagOf(output, 'data.definition', '{}')).toMatch(/^"3-[0-9a-f]{8}"$/);
    expect(entityTagOf({ ok: true, data: null }, 'data.definition', '{}')).toBeNull();
    expect(entityTagOf({ ok: true, data: 'text' }, 'data.length', '{}')).toBeNull();
  });

  it('is null if no record has a version', () => {
    expect(entityTagOf({ deletedGroup: { id: 'g' } }, 'deletedGroup', '{}')).toBeNull();
    expect(entityTagOf({}, 'group', '{}')).toBeNull();
  });
});

describe('If-Match', () => {
  it.each([
    [undefined, undefined],
    ['*', '*'],
    [' * ', '*'],
    ['"3-0a1b2c3d"', [3]],
    ['"3-0a1b2c3d", "12-ffffffff"', [3, 12]],
    ['W/"3-0a1b2c3d"', []],
    ['"abc", "4-00000000"', [4]],
    ['3-0a1b2c3d', []],
    ['"3"', []],
    ['"-1-0a1b2c3d"', []],
    ['"99999999999999999999-0a1b2c3d"', []],
    ['', []],
    ['"3-0a1b2c3d" *', []],
  ])('%s allows the versions %s', (header, versions) => {
    expect(parseIfMatch(header)).toEqual(versions);
  });
});

describe('If-None-Match', () => {
  const tag = '"3-0a1b2c3d"';

  it.each(['*', tag, `W/${tag}`, `"x", ${tag}`])('%s matches', (header) => {
    expect(matchesNone(header, tag)).toBe(true);
  });

  it.each(['', '"3"', '"3-0a1b2c3e"', `W/ ${tag}`])('%s does not match', (header) => {
    expect(matchesNone(header, tag)).toBe(false);
  });
});

import { AppError, type FieldError, JSON_DEPTH_MAX } from '@gatehouse/contract';
import { countTurns, randomRuns } from '@gatehouse/testing';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { JSON_LIMITS, JsonReader, TOKEN_JSON_LIMITS } from './jsonReader.js';
import { parseStrictJson, parseStrictJsonInTurns } from './readBody.js';

const parse = (text: string) => parseStrictJson(Buffer.from(text, 'utf8'));

/** Returns the field, message and code of the error for a body; undefined for a valid body. */
function errorOf(body: string | Buffer): FieldError | undefined {
  try {
    parseStrictJson(typeof body === 'string' ? Buffer.from(body, 'utf8') : body);
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_REQUEST') return error.fieldErrors?.[0];
    throw error;
  }
  return undefined;
}

function faultOf(body: string | Buffer): { field: string; message: string } | undefined {
  const fault = errorOf(body);
  return fault && { field: fault.field, message: fault.message };
}

it.each([
  ['{"a":1,"a":1}', 'duplicate'],
  ['{"__proto__":1}', 'unknown'],
  ['{"a":1e400}', 'range'],
  ['{"a":', 'format'],
  ['[]', 'type'],
  [`${'{"a":'.repeat(70)}1${'}'.repeat(70)}`, 'length'],
])('the error for %s has the code %s', (text, code) => {
  expect(errorOf(text)?.code).toBe(code);
});

const nested = (levels: number) => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns true if a text is accepted exactly when JSON.parse accepts it. Repeated keys and rounded numbers
 * are always rejected.
 */
function agreesWithJsonParse(text: string): boolean {
  const fault = faultOf(text);
  if (fault?.message === 'is given more than once' || fault?.message.startsWith('must be a number'))
    return true;
  return (fault === undefined) === isJson(text);
}

describe('a body that is a JSON object', () => {
  it('has the same value as with JSON.parse', () => {
    const object = fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      fc.jsonValue({ maxDepth: 5, noUnicodeString: false }),
    );
    fc.assert(
      fc.property(object, fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        if (text.includes('"__proto__"')) return;
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
      { numRuns: randomRuns(500) },
    );
  });

  it.each([
    '{}',
    ' {"a" : [ ] , "b":{ } }\r\n\t',
    '{"a":-0.5e+10,"b":1E3,"c":0,"d":-0,"e":1.5}',
    String.raw`{"a":"\"\\\/\b\f\n\r\tA","\u0062":"\ud83d\ude00"}`,
    '{"a":"é😀\u007f","":null,"b":[true,false,null,[[]]]}',
  ])('may be %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
  });
});

describe('a number that parsing would round', () => {
  it.each([
    ['{"params":{"tenant":9007199254740993}}', 'params.tenant'],
    ['{"params":{"tenants":[1,-9007199254740993]}}', 'params.tenants[1]'],
    ['{"a":1e400}', 'a'],
    ['{"a":-1E+309}', 'a'],
    ['{"a":1e-400}', 'a'],
    ['{"a":0.12345678901234567890123}', 'a'],
    ['{"a":123456789012345678}', 'a'],
    ['{"a":0.1000000000000000055511151231257827021181583404541015625}', 'a'],
  ])('is rejected in %s', (text, field) => {
    const message = 'must be a number that a 64-bit float holds exactly: send other numbers as a string';
    expect(faultOf(text)).toEqual({ field, message });
  });

  it.each([
    '9007199254740992',
    '-9007199254740992',
    '9007199254740994',
    '0.1',
    '1.50',
    '1e3',
    '-0',
    '0e999999',
    '1.5E-7',
    '100000000000000000000000',
    '0.000000000000000000000000000001',
    '1.7976931348623157e308',
    '5e-324',
  ])('is not %s', (literal) => {
    expect(parse(`{"a":${literal}}`)).toEqual({ a: JSON.parse(literal) as number });
  });

  it('never occurs in the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(faultOf(JSON.stringify({ value }))).toBeUndefined();
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it('is rejected exactly if its value differs from the double', () => {
    const digits = fc.stringMatching(/^[1-9][0-9]{0,24}$/);
    fc.assert(
      fc.property(digits, fc.integer({ min: -30, max: 30 }), (written, power) => {
        const held = Number(`${written}e${power}`);
        const [mantissa = '', exponent = '0'] = held.toExponential().split('e');
        const shortest = BigInt(mantissa.replace('.', ''));
        const shift = Number(exponent) - (mantissa.replace('.', '').length - 1);
        const low = Math.min(power, shift);
        const isSame = BigInt(written) * 10n ** BigInt(power - low) === shortest * 10n ** BigInt(shift - low);
        expect(faultOf(`{"a":${written}e${power}}`) === undefined).toBe(isSame);
      }),
      { numRuns: randomRuns(2000) },
    );
  });

  it('is checked in time linear in its length', () => {
    expect(faultOf(`{"a":0.${'0'.repeat(400_000)}1${'0'.repeat(400_000)}}`)?.field).toBe('a');
    expect(faultOf(`{"a":${'9'.repeat(800_000)}}`)?.field).toBe('a');
  });
});

describe('a text that is not JSON', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\',
    'a',
    'u',
    '1',
    '0',
    '-',
    '.',
    'e',
    ' ',
    '\n',
    '\0',
  ];
  const piece = fc.constantFrom(...pieces, 'true', 'null', '"a"', '\\u0');

  it('is rejected, and valid JSON is not', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (parts) => {
        const text = `{"k":${parts.join('')}}`;
        expect(agreesWithJsonParse(text)).toBe(true);
      }),
      { numRuns: randomRuns(3000) },
    );
  });

  it('is rejected after the change or removal of any one character', () => {
    const valid = JSON.stringify({
      shares: [{ scope: 'group', role: 'VIEWER', n: [1.5e3, -2, true, null] }],
      t: 'aé"\\\n',
    });
    fc.assert(
      fc.property(
        fc.nat(valid.length - 1),
        fc.constantFrom('', '"', '\\', '{', ']', ',', '\n', 'x', '9'),
        (at, put) => {
          const text = valid.slice(0, at) + put + valid.slice(at + 1);
          expect(agreesWithJsonParse(text)).toBe(true);
        },
      ),
      { numRuns: randomRuns(1000) },
    );
  });

  it.each([
    ['', 'body', 'is cut off: the JSON text ends too early'],
    ['{"title":"Sal', 'title', 'is cut off: the JSON text ends too early'],
    ['{"a":{"b":[1,{"c":tru', 'a.b[1].c', 'is not valid JSON at character 19'],
    ['{"shares":[{"role":VIEWER}]}', 'shares[0].role', 'is not valid JSON at character 20'],
    ['{"a":1,}', 'body', 'is not valid JSON at character 8'],
    ['{"a":[1,]}', 'a[1]', 'is not valid JSON at character 9'],
    ['{"a":01}', 'a', 'is not valid JSON at character 7'],
    ['{"a":"tab\there"}', 'a', 'is not valid JSON at character 10'],
    ['{"a":1} x', 'body', 'is not valid JSON at character 9'],
    ['\ufeff{}', 'body', 'is not valid JSON at character 1'],
    ["{'a':1}", 'body', 'is not valid JSON at character 2'],
    ['{"a":NaN}', 'a', 'is not valid JSON at character 6'],
    ['// {}', 'body', 'is not valid JSON at character 1'],
  ])('%s is rejected with the field %s', (text, field, message) => {
    expect(faultOf(text)).toEqual({ field, message });
  });

  it.each(['[]', '"a"', '1', 'null', 'true'])('%s is rejected, because it is not an object', (text) => {
    expect(faultOf(text)).toEqual({ field: 'body', message: 'must be a JSON object' });
  });
});

describe('ambiguous JSON', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    [String.raw`{"a":1,"\u0061":2}`, 'a'],
    ['{"list":[{},{"x":1,"y":{"z":1,"z":1}}]}', 'list[1].y.z'],
  ])('%s is rejected for its repeated key', (text, field) => {
    expect(faultOf(text)).toEqual({ field, message: 'is given more than once' });
  });

  it.each([
    ['{"__proto__":{"isAdmin":true}}', '__proto__'],
    [String.raw`{"a":{"\u005f_proto__":1}}`, 'a.__proto__'],
  ])('%s is rejected for its key', (text, field) => {
    expect(faultOf(text)).toEqual({ field, message: 'is not allowed as a key' });
  });

  it('may repeat a key in different objects', () => {
    expect(parse('{"a":{"x":1},"b":{"x":1}}')).toEqual({ a: { x: 1 }, b: { x: 1 } });
  });
});

describe('nesting', () => {
  it(`may be ${JSON_DEPTH_MAX} levels`, () => {
    expect(parse(nested(JSON_DEPTH_MAX))).toHaveProperty('a');
  });

  it('is rejected beyond that, with the field', () => {
    const fault = faultOf(nested(JSON_DEPTH_MAX + 1));
    expect(fault?.message).toBe('is nested deeper than 64 levels');
    expect(fault?.field.split('.')).toHaveLength(JSON_DEPTH_MAX);
  });

  it.each(['[', '{"a":', '[[],'])('of 2 MiB of %s does not overflow the stack', (opening) => {
    const text = opening.repeat(Math.ceil((2 * 1024 * 1024) / opening.length));
    expect(faultOf(text)).toBeDefined();
  });
});

describe('invalid UTF-8', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : Buffer.from(part))),
    );

  it.each([
    ['a lone continuation byte', bytes('{"title":"a', [0x80], '"}'), 'title'],
    ['a truncated sequence', bytes('{"a":{"b":["x","', [0xe2, 0x82], '"]}}'), 'a.b[1]'],
    ['an overlong slash', bytes('{"title":"', [0xc0, 0xaf], '"}'), 'title'],
    ['a lone surrogate', bytes('{"title":"', [0xed, 0xa0, 0x80], '"}'), 'title'],
    ['an invalid byte after a real replacement character', bytes('{"a":"\ufffd","b":"', [0xff], '"}'), 'b'],
    ['an invalid byte in a key', bytes('{"a":1,"', [0xff], '":1}'), 'body'],
    ['a single invalid byte', bytes([0xfe]), 'body'],
  ])('%s is rejected with the field', (_what, body, field) => {
    expect(faultOf(body)).toEqual({ field, message: 'is not valid UTF-8' });
  });
});

describe('keys and strings of any length', () => {
  it('are read', () => {
    const long = 'x'.repeat(1_000_000);
    expect(parse(JSON.stringify({ [long]: long, n: 1 }))).toEqual({ [long]: long, n: 1 });
    expect(faultOf(`{"a":${'9'.repeat(1_000_000)}`)).toBeDefined();
  });

  it('are truncated in errors', () => {
    const fault = faultOf(`{"${'k'.repeat(5000)}":{"x":tru}}`);
    expect(fault?.field).toBe(`${'k'.repeat(100)}….x`);
  });
});

/** An object with these keys. */
const objectOf = (keys: readonly string[]) => `{${keys.map((key) => `"${key}":1`).join(',')}}`;
/** A body of about 4 MB of objects, each with the keys for its place. */
function bodyOf(keysAt: (index: number) => readonly string[]): string {
  const objects: string[] = [];
  for (let length = 0; length < 4_000_000; length += objects.at(-1)?.length ?? 0)
    objects.push(objectOf(keysAt(objects.length)));
  return `{"list":[${objects.join(',')}]}`;
}
const names = (count: number, prefix = 'k') =>
  Array.from({ length: count }, (_, index) => `${prefix}${index.toString(36)}`);
const KEYS = 'exceeds the limit of 60000 different keys and orders of keys in one body';
const CONTAINERS = 'exceeds the limit of 200000 arrays and objects in one body';

describe('a body that would take long to parse', () => {
  const few = names(64);
  /** A permutation: the factor has no divisor in common with 64. */
  const reordered = (at: number) => few.map((_, n) => few[(n * (2 * (at % 32) + 1) + (at >> 5)) % 64] ?? '');
  it.each<[string, string, string]>([
    ['one object with many keys', objectOf(names(400_000)), KEYS],
    ['objects with other keys each', bodyOf((at) => names(60, `${at}_`)), KEYS],
    ['objects with another key each', bodyOf((at) => [`k${at}`]), KEYS],
    ['objects with other numbers as keys', bodyOf((at) => [String(at * 7919)]), KEYS],
    ['objects with other escaped keys', bodyOf((at) => [`\\u0041${at}`]), KEYS],
    ['objects with other long keys', bodyOf((at) => names(2, `${at}`.padStart(40, 'x'))), KEYS],
    ['objects with few keys in other orders', bodyOf(reordered), KEYS],
    [
      'objects with other parts of few keys',
      bodyOf((at) => few.filter((_, n) => (at * 31) % (n + 2) < n / 2)),
      KEYS,
    ],
    ['objects with the first of the same keys', bodyOf((at) => names(1 + (at % 64), `${at >> 6}_`)), KEYS],
    ['equal objects after very many others', bodyOf((at) => [`k${Math.min(at, 2000)}`]), KEYS],
    ['very many objects', bodyOf(() => []), CONTAINERS],
    ['very many arrays', `{"list":[${'[],'.repeat(1_000_000)}[]]}`, CONTAINERS],
  ])('is rejected before it is parsed: %s', async (_, text, message) => {
    using parsing = vi.spyOn(JSON, 'parse');
    const fault = new JsonReader(text).findFault();
    expect(fault).toMatchObject({ message, code: 'length' });
    expect(faultOf(text)).toEqual({ field: fault?.field, message });
    await expect(parseStrictJsonInTurns(Buffer.from(text))).rejects.toThrow(AppError);
    expect(parsing.mock.calls.filter(([parsed]) => parsed === text)).toEqual([]);
  });

  it.each<[string, string]>([
    ['objects with the same keys', bodyOf(() => names(8))],
    ['objects with the same many keys', bodyOf(() => names(5000))],
    ['objects with the same numbers as keys', bodyOf(() => ['1', '2025', '100000'])],
    ['objects whose last fields are optional', bodyOf((at) => names(3 + (at % 20)))],
    ['a map with many keys', `{"list":${objectOf(names(JSON_LIMITS.keys - 1))}}`],
    ['a long text', `{"list":"${'x'.repeat(4_000_000)}"}`],
    ['many texts', `{"list":[${'"x",'.repeat(900_000)}"x"]}`],
    ['many items with two fields', `{"list":[${'{"name":"a","type":"b"},'.repeat(170_000)}{}]}`],
  ])('does not include %s', (_, text) => {
    expect(parse(text)).toHaveProperty('list');
  });

  it('is one past each limit', () => {
    const at = (limits: typeof JSON_LIMITS, text: string) => new JsonReader(text, limits).findFault();
    const keys = { keys: 5, containers: 100 };
    expect(at(keys, '{"a":1,"b":{"c":1,"d":2},"e":3}')).toBeNull();
    expect(at(keys, '[{"a":1,"b":1,"c":1},{"a":1,"b":2},{"a":3,"b":4,"c":5}]')).toBeNull();
    expect(at(keys, '[{"a":1,"b":1,"c":1},{"a":1,"b":2},{"b":1}]')?.field).toBe('[2].b');
    expect(at(keys, '{"a":1,"b":{"c":1,"d":2},"e":3,"f":4}')?.field).toBe('f');
    const containers = { keys: 100, containers: 3 };
    expect(at(containers, '{"a":[{}]}')).toBeNull();
    expect(at(containers, '{"a":[{},{}]}')?.field).toBe('a[1]');
  });

  it('is smaller for a request for a token, whose values have at most 8,000 bytes', () => {
    const fits = `{"securityParams":${objectOf(names(1150, ''))}}`;
    expect(fits.length).toBeGreaterThan(8000);
    expect(new JsonReader(fits, TOKEN_JSON_LIMITS).findFault()).toBeNull();
    const past = objectOf(names(TOKEN_JSON_LIMITS.keys + 1));
    expect(new JsonReader(past, TOKEN_JSON_LIMITS).findFault()?.code).toBe('length');
  });
});

describe('a large body', () => {
  const outcomeOf = (read: () => unknown) =>
    Promise.resolve()
      .then(read)
      .then(
        (value) => ({ value }),
        (error: AppError) => ({ error: error.fieldErrors }),
      );

  it('has the same outcome in turns as at once, valid or not', async () => {
    const item = { id: 1, text: 'a "quoted" text', list: [1, 2, [3]], nested: { yes: true } };
    const valid = JSON.stringify({ rows: Array.from({ length: 5000 }, () => item) });
    const cut = valid.length - 100;
    const bodies = [
      valid,
      valid.slice(0, cut),
      `${valid.slice(0, cut)}!`,
      valid.replace(/"id":1}?/g, '"text":1'),
      '[]',
    ];
    for (const text of bodies) {
      const bytes = Buffer.from(text);
      const atOnce = await outcomeOf(() => parseStrictJson(bytes));
      expect(await outcomeOf(() => parseStrictJsonInTurns(bytes))).toEqual(atOnce);
    }
  });

  it('has the same faults where a byte is not UTF-8', async () => {
    const text = JSON.stringify({ rows: [{ text: 'a' }, { text: 'b' }] });
    for (const at of [2, 20, text.length - 5]) {
      const bytes = Buffer.from(text);
      bytes[at] = 0xff;
      const atOnce = await outcomeOf(() => parseStrictJson(bytes));
      expect(await outcomeOf(() => parseStrictJsonInTurns(bytes))).toEqual(atOnce);
    }
  });

  const rows = JSON.stringify({ rows: Array.from({ length: 50_000 }, (_, index) => ({ index })) });
  it.each([
    ['the check', Buffer.from(rows)],
    ['the search for a byte that is not UTF-8', Buffer.concat([Buffer.from(rows), Buffer.from([0xff])])],
  ])('lets other work run during %s', async (_, bytes) => {
    expect(await countTurns(() => parseStrictJsonInTurns(bytes))).toBeGreaterThan(10);
  });
});

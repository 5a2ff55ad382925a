import { AppError } from '@gatehouse/contract';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JSON_DEPTH_MAX } from './jsonReader.js';
import { parseStrictJson } from './strictJson.js';

const parse = (text: string) => parseStrictJson(Buffer.from(text, 'utf8'));

/** The field and message that a body is refused with. */
function refusalOf(body: string | Buffer): { field: string; message: string } | undefined {
  try {
    parseStrictJson(typeof body === 'string' ? Buffer.from(body, 'utf8') : body);
  } catch (error) {
    if (error instanceof AppError && error.code === 'INVALID_REQUEST') return error.fieldErrors?.[0];
    throw error;
  }
  return undefined;
}

const nested = (levels: number) => '{"a":'.repeat(levels - 1) + '{}' + '}'.repeat(levels - 1);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a text is taken exactly when JSON.parse takes it; a repeated key may be refused in either. */
function isJudgedAsJson(text: string): boolean {
  const refusal = refusalOf(text);
  return refusal?.message === 'is given more than once' || (refusal === undefined) === isJson(text);
}

describe('a body that is a JSON object', () => {
  it('is read as JSON.parse reads it', () => {
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
      { numRuns: 500 },
    );
  });

  it.each([
    '{}',
    ' {"a" : [ ] , "b":{ } }\r\n\t',
    '{"a":-0.5e+10,"b":1E3,"c":0,"d":-0,"e":1.5}',
    String.raw`{"a":"\"\\\/\b\f\n\r\tA","\u0062":"\ud83d\ude00"}`,
    '{"a":"é😀\u007f","":null,"b":[true,false,null,[[]]]}',
  ])('takes %s', (text) => {
    expect(parse(text)).toEqual(JSON.parse(text));
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

  it('is refused, and never one that is', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (parts) => {
        const text = `{"k":${parts.join('')}}`;
        expect(isJudgedAsJson(text)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  it('is refused wherever one character of it is changed or cut', () => {
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
          expect(isJudgedAsJson(text)).toBe(true);
        },
      ),
      { numRuns: 1000 },
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
  ])('%s is refused, naming %s', (text, field, message) => {
    expect(refusalOf(text)).toEqual({ field, message });
  });

  it.each(['[]', '"a"', '1', 'null', 'true'])('%s is JSON, but no object', (text) => {
    expect(refusalOf(text)).toEqual({ field: 'body', message: 'must be a JSON object' });
  });
});

describe('JSON that says more than one thing', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    [String.raw`{"a":1,"\u0061":2}`, 'a'],
    ['{"list":[{},{"x":1,"y":{"z":1,"z":1}}]}', 'list[1].y.z'],
  ])('%s is refused for its repeated key', (text, field) => {
    expect(refusalOf(text)).toEqual({ field, message: 'is given more than once' });
  });

  it.each([
    ['{"__proto__":{"isAdmin":true}}', '__proto__'],
    [String.raw`{"a":{"\u005f_proto__":1}}`, 'a.__proto__'],
  ])('%s is refused for its key', (text, field) => {
    expect(refusalOf(text)).toEqual({ field, message: 'is not allowed as a key' });
  });

  it('takes the same key in two objects', () => {
    expect(parse('{"a":{"x":1},"b":{"x":1}}')).toEqual({ a: { x: 1 }, b: { x: 1 } });
  });
});

describe('depth', () => {
  it(`may be ${JSON_DEPTH_MAX} levels`, () => {
    expect(parse(nested(JSON_DEPTH_MAX))).toHaveProperty('a');
  });

  it('is refused at one level more, naming where', () => {
    const refusal = refusalOf(nested(JSON_DEPTH_MAX + 1));
    expect(refusal?.message).toBe('is nested deeper than 64 levels');
    expect(refusal?.field.split('.')).toHaveLength(JSON_DEPTH_MAX);
  });

  it.each(['[', '{"a":', '[[],'])('of 2 MiB of %s overflows nothing', (opening) => {
    const text = opening.repeat(Math.ceil((2 * 1024 * 1024) / opening.length));
    expect(refusalOf(text)).toBeDefined();
  });
});

describe('bytes that are no UTF-8', () => {
  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(
      parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'utf8') : Buffer.from(part))),
    );

  it.each([
    ['a lone continuation byte', bytes('{"title":"a', [0x80], '"}'), 'title'],
    ['a cut sequence', bytes('{"a":{"b":["x","', [0xe2, 0x82], '"]}}'), 'a.b[1]'],
    ['an overlong slash', bytes('{"title":"', [0xc0, 0xaf], '"}'), 'title'],
    ['a surrogate half', bytes('{"title":"', [0xed, 0xa0, 0x80], '"}'), 'title'],
    ['a faulty byte after a true replacement character', bytes('{"a":"\ufffd","b":"', [0xff], '"}'), 'b'],
    ['a faulty byte in a key', bytes('{"a":1,"', [0xff], '":1}'), 'body'],
    ['nothing but a faulty byte', bytes([0xfe]), 'body'],
  ])('%s is refused, naming the field', (_what, body, field) => {
    expect(refusalOf(body)).toEqual({ field, message: 'is not valid UTF-8' });
  });
});

describe('keys and texts of any length', () => {
  it('are read', () => {
    const long = 'x'.repeat(1_000_000);
    expect(parse(JSON.stringify({ [long]: long, n: 1 }))).toEqual({ [long]: long, n: 1 });
    expect(refusalOf(`{"a":${'9'.repeat(1_000_000)}`)).toBeDefined();
  });

  it('are cut where they are named in a refusal', () => {
    const refusal = refusalOf(`{"${'k'.repeat(5000)}":{"x":tru}}`);
    expect(refusal?.field).toBe(`${'k'.repeat(100)}….x`);
  });
});

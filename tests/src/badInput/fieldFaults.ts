import type { ErrorCode, Route } from '@gatehouse/contract';
import type { RawRequest } from './rawRequests.js';
import { bodyOf, bodyRequest, pathOf, placeOf } from './routeRequests.js';
import type { Field, JsonType } from './schemaFields.js';

/** A request with exactly one fault. */
export interface Fault {
  name: string;
  request: RawRequest;
  /** The error must name one of these; absent if the fault is in no field. */
  named?: readonly string[] | undefined;
  /** Where it is another than INVALID_REQUEST. */
  code?: ErrorCode;
}

const MARK = 'marked-place';

/**
 * Fields that accept any text and store none of it: the parser of the dialect checks it, and the response
 * reports its error.
 */
const ANY_TEXT = ['previewPolicies sql', 'comparePolicyPreviews sql', 'compileSql statements.0.sql'];

/** Texts that no store can hold. */
const UNSTORABLE: Record<string, string> = {
  NUL: 'a\0b',
  'only NUL': '\0',
  'half of a pair': '\ud800',
  'the other half': 'a\udfffb',
  'a pair the wrong way round': '\udc00\ud800',
};

/** Byte sequences that are invalid UTF-8 (RFC 3629). */
const INVALID_UTF8: Record<string, number[]> = {
  'a lone byte': [0xff],
  'a sequence cut short': [0xe2, 0x82],
  'a continuation alone': [0x80],
  'an overlong NUL': [0xc0, 0x80],
  'a surrogate in bytes': [0xed, 0xa0, 0x80],
  'beyond the last character': [0xf5, 0x80, 0x80, 0x80],
};

const OF_TYPE: Record<JsonType, unknown> = {
  string: 'seven',
  number: 7,
  boolean: true,
  null: null,
  array: [],
  object: {},
};

/** An identifier's length, which only its pattern limits. */
const ID_LENGTH_MAX = 64;

const tooLongFor = ({ maxLength }: Field) => 'x'.repeat((maxLength || ID_LENGTH_MAX) + 1);

const percentEncode = (bytes: Uint8Array) =>
  [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');

function replaceMark(text: string, bytes: number[]): Buffer {
  const at = text.indexOf(MARK);
  return Buffer.concat([
    Buffer.from(text.slice(0, at)),
    Buffer.from(bytes),
    Buffer.from(text.slice(at + MARK.length)),
  ]);
}

/**
 * Creates the fault of a body in which the field has the value, and, if given, bytes in place of the mark.
 */
function bodyFault(
  route: Route,
  field: Field,
  {
    name,
    named = field.named,
    value,
    bytes,
  }: Pick<Fault, 'name' | 'named'> & { value: unknown; bytes?: number[] },
): Fault {
  const text = JSON.stringify(bodyOf(route, field.inputWith(value)));
  return { name, named, request: bodyRequest(route, bytes === undefined ? text : replaceMark(text, bytes)) };
}

function textFaults(route: Route, field: Field): Fault[] {
  // In free-form values, a nested text must be found as well.
  const put = (text: string) => (field.isFreeForm ? [{ deep: text }] : text);
  const named = field.isFreeForm ? field.named.map((name) => `${name}[0].deep`) : field.named;
  const faults = Object.entries(UNSTORABLE).map(([name, text]) =>
    bodyFault(route, field, { name, named, value: put(text) }),
  );
  const invalid = Object.entries(INVALID_UTF8).map(([name, bytes]) =>
    bodyFault(route, field, { name, named, value: put(MARK), bytes }),
  );
  const isAnyText = ANY_TEXT.includes(`${route.operationId} ${field.path.join('.')}`);
  const raw = bodyFault(route, field, { name: 'a NUL byte', named, value: put(MARK), bytes: [0] });
  if (field.isFreeForm) return [...faults, ...invalid, raw];
  const tooLong = bodyFault(route, field, { name: 'too long', value: tooLongFor(field) });
  return [...(isAnyText ? [] : faults), ...invalid, raw, tooLong];
}

function typeFaults(route: Route, field: Field): Fault[] {
  const wrong = Object.entries(OF_TYPE).filter(([type]) => !field.accepts.has(type as JsonType));
  const faults = wrong.map(([type, value]) =>
    bodyFault(route, field, { name: `${type} as its value`, value }),
  );
  if (!field.accepts.has('number') || field.isFreeForm) return faults;
  const infinite = [...Buffer.from('1e400')];
  const text = JSON.stringify(bodyOf(route, field.inputWith(MARK)));
  const body = replaceMark(text.replace(`"${MARK}"`, MARK), infinite);
  return [...faults, { name: 'a number too large', named: field.named, request: bodyRequest(route, body) }];
}

function keyFaults(route: Route, field: Field): Fault[] {
  const own = field.path.length === 0 ? '' : `${field.named[0]}.`;
  if (field.keys === 'closed') {
    const value = { ...field.sample, unexpected: 1 };
    return [bodyFault(route, field, { name: 'an unknown key', named: [`${own}unexpected`], value })];
  }
  return Object.entries(UNSTORABLE).map(([name, key]) =>
    bodyFault(route, field, {
      name: `${name} in a key`,
      named: [...field.named, `${own}${key}`],
      value: { [key]: 'x' },
    }),
  );
}

/** All faults of a field of a route's body. */
export function bodyFaultsOf(route: Route, field: Field): Fault[] {
  const isWhole = field.path.length === 0;
  return [
    ...(isWhole ? [] : typeFaults(route, field)),
    ...(field.accepts.has('string') ? textFaults(route, field) : []),
    ...(field.keys === null ? [] : keyFaults(route, field)),
  ];
}

/** Encoded values that no parameter may have: text that cannot be stored, no UTF-8, malformed encoding. */
const ENCODED: Record<string, string> = {
  NUL: 'a%00b',
  'malformed encoding': '%zz',
  'encoding cut short': 'a%4',
  ...Object.fromEntries(
    Object.entries(INVALID_UTF8).map(([name, bytes]) => [name, percentEncode(Buffer.from(bytes))]),
  ),
};
const NOT_A: Partial<Record<JsonType, string[]>> = {
  number: ['seven', '1e3', '0x10', '1.5', '-1', 'Infinity', '99999999999999999999', '', '%20'],
  boolean: ['yes', '1', 'TRUE', ''],
};

/** All faults of a parameter of a route's path or query. */
export function parameterFaultsOf(route: Route, field: Field): Fault[] {
  const name = String(field.path[0]);
  const typed = [...field.accepts].flatMap((type) => NOT_A[type] ?? []);
  const values = {
    ...ENCODED,
    'too long': tooLongFor(field),
    ...Object.fromEntries(typed.map((value) => [`"${value}"`, value])),
  };
  const inPath = placeOf(route, name) === 'path';
  const pathWith = (value: string) =>
    inPath ? pathOf(route, { [name]: MARK }).replace(MARK, value) : `${pathOf(route)}?${name}=${value}`;
  const faults = Object.entries(values).map(([fault, value]): [string, string, string] => [
    fault,
    pathWith(value),
    name,
  ]);
  if (!inPath) {
    const sample = field.accepts.has('boolean') ? 'true' : '1';
    faults.push(['given twice', `${pathOf(route)}?${name}=${sample}&${name}=${sample}`, name]);
    faults.push(['given as a list', `${pathOf(route)}?${name}[]=${sample}`, `${name}[]`]);
  }
  return faults.map(([fault, path, named]) => ({
    name: fault,
    named: [named],
    request: { method: route.method, path },
  }));
}

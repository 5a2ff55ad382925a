import { fieldPath, type Route } from '@gatehouse/contract';
import type { Fault } from './fieldFaults.js';
import { bodyOf, bodyRequest, fieldsIn, inputOf } from './routeRequests.js';
import { requiredFields, sampleOf } from './schemaFields.js';

/** Levels of arrays and objects that a body may nest. */
const DEPTH_MAX = 64;
const MANY = 100_000;

/** Spells a key with its first letter escaped: other bytes for the same key. */
function escapeFirst(key: string): string {
  return `"\\u${key.charCodeAt(0).toString(16).padStart(4, '0')}${key.slice(1)}"`;
}

/** Objects that nest this deep, the innermost of them empty. */
export function nestedObjects(depth: number): string {
  return `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`;
}

/** Bodies that are not a JSON object, by name. */
function malformedBodies(sample: string): Record<string, string> {
  const cuts = [1, Math.ceil(sample.length / 3), Math.ceil((2 * sample.length) / 3), sample.length - 1];
  const truncated = cuts.map((length) => [`cut after ${length} characters`, sample.slice(0, length)]);
  return {
    ...Object.fromEntries(truncated),
    'something after the end': `${sample}x`,
    'two bodies': sample + sample,
    'a comma too many': sample.replace(/.$/, ',}'),
    'a comment': `${sample}//`,
    'single quotes': "{'a':1}",
    'a key without quotes': '{a:1}',
    'a value that JSON lacks': '{"a":NaN}',
    'a byte order mark': `\ufeff${sample}`,
    'only white space': ' \n ',
    'a NUL after the end': `${sample}\0`,
    'many open arrays': '['.repeat(MANY),
    'many open objects': '{"a":'.repeat(MANY),
    'many nested arrays': '['.repeat(MANY) + ']'.repeat(MANY),
    'an array': '[]',
    'a text': '"text"',
    'a number': '7',
    'a boolean': 'true',
    'a null': 'null',
  };
}

/** Bodies that `JSON.parse` accepts, but the platform rejects; with the field that the error must name. */
function ambiguousBodies(key: string): Record<string, [body: string, named: string]> {
  const quoted = JSON.stringify(key);
  const deep = fieldPath([key, ...Array.from({ length: DEPTH_MAX - 1 }, () => 'a')]);
  return {
    'a key twice': [`{${quoted}:"a",${quoted}:"b"}`, key],
    'a key twice, once escaped': [`{${quoted}:"a",${escapeFirst(key)}:"b"}`, key],
    'a nested key twice': [`{${quoted}:{"a":1,"a":1}}`, `${key}.a`],
    'a key twice in a list': [`{${quoted}:[{"a":1},{"a":1,"\\u0061":1}]}`, `${key}[1].a`],
    'the key __proto__': ['{"__proto__":{"polluted":true}}', '__proto__'],
    'the key __proto__, escaped': [`{${escapeFirst('__proto__')}:{"polluted":true}}`, '__proto__'],
    'the key __proto__, nested': [`{${quoted}:{"__proto__":{"polluted":true}}}`, `${key}.__proto__`],
    'the key constructor': ['{"constructor":{"prototype":{"polluted":true}}}', 'constructor'],
    'a level too many': [`{${quoted}:${nestedObjects(DEPTH_MAX)}}`, deep],
  };
}

const OTHER_TYPES: Record<string, Record<string, string>> = {
  'no content type': {},
  'plain text': { 'content-type': 'text/plain' },
  'a form': { 'content-type': 'application/x-www-form-urlencoded' },
  'another charset': { 'content-type': 'application/json; charset=utf-16' },
  'a type that begins alike': { 'content-type': 'application/jsonp' },
  'a compressed body': { 'content-type': 'application/json', 'content-encoding': 'gzip' },
};

function oversized(route: Route): Fault[] {
  const body = Buffer.alloc(route.bodyLimit + 1, ' ');
  body.write('{}');
  const request = bodyRequest(route, body);
  const code = 'PAYLOAD_TOO_LARGE';
  return [
    { name: 'a byte too many', request, code },
    { name: 'a byte too many, without Content-Length', request: { ...request, isChunked: true }, code },
  ];
}

/** All faults of a body as a whole, on any route: also if none is expected. */
export function wholeBodyFaultsOf(route: Route): Fault[] {
  const input = inputOf(route);
  const inBody = fieldsIn('body', route);
  const [key = 'anything'] = inBody;
  const missing = requiredFields(input).filter((field) => inBody.includes(field));
  const sample = { [key]: sampleOf(input.shape[key]), ...bodyOf(route, sampleOf(input) as object) };
  const empty = missing.flatMap((field): Fault[] => [
    { name: `no body, which leaves out ${field}`, request: bodyRequest(route, ''), named: [field] },
    { name: `{}, which leaves out ${field}`, request: bodyRequest(route, '{}'), named: [field] },
  ]);
  const malformed = Object.entries(malformedBodies(JSON.stringify(sample)));
  const ambiguous = Object.entries(ambiguousBodies(key));
  return [
    ...empty,
    ...malformed.map(([name, body]) => ({ name, request: bodyRequest(route, body) })),
    ...ambiguous.map(([name, [body, named]]) => ({
      name,
      request: bodyRequest(route, body),
      named: [named],
    })),
    ...Object.entries(OTHER_TYPES).map(([name, headers]): Fault => {
      return { name, request: { ...bodyRequest(route, '{}'), headers }, code: 'UNSUPPORTED_MEDIA_TYPE' };
    }),
    ...oversized(route),
  ];
}

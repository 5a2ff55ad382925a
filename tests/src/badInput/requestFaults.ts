import type { ErrorCode } from '@gatehouse/contract';

const JSON_HEADER = { 'content-type': 'application/json' };

/** A request that is wrong outside of its body. `null` for a code: any status below 500 will do. */
interface RequestFault {
  name: string;
  method?: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
  codes: readonly ErrorCode[];
  named?: readonly string[];
}

const INVALID = ['INVALID_REQUEST'] as const;
const UNKNOWN = ['NOT_FOUND'] as const;
const BASE = '/api/management/v1';
const dashboards = `${BASE}/dashboards`;

const queries: readonly RequestFault[] = [
  ...['__proto__', 'constructor', 'toString', 'search[$gt]', '$where', 'search.$ne'].map((name) => ({
    name: `the parameter ${name}`,
    path: `${dashboards}?${name}=1`,
    codes: INVALID,
    named: [name],
  })),
  {
    name: 'a huge value',
    path: `${dashboards}?search=${'x'.repeat(50_000)}`,
    codes: INVALID,
    named: ['search'],
  },
  {
    name: 'thousands of parameters',
    path: `${dashboards}?${Array.from({ length: 5_000 }, (_, index) => `a${index}=1`).join('&')}`,
    codes: INVALID,
    named: ['a0'],
  },
  { name: 'a malformed name', path: `${dashboards}?%zz=1`, codes: INVALID, named: ['query'] },
  { name: 'an operator as a value', path: `${dashboards}?limit={"$gt":0}`, codes: INVALID, named: ['limit'] },
  { name: 'a cursor of another list', path: `${dashboards}?cursor=e30`, codes: INVALID, named: ['cursor'] },
  {
    name: 'a cursor that is none',
    path: `${dashboards}?cursor=%F0%9F%98%80`,
    codes: INVALID,
    named: ['cursor'],
  },
];

const paths: readonly RequestFault[] = [
  ...['//', '/api', `${BASE}/nothing`, `${dashboards}/`, `/${dashboards}`, `${BASE}/%64ashboards`].map(
    (path) => ({ name: `the path ${path}`, path, codes: UNKNOWN }),
  ),
  ...['..%2f..%2fetc%2fpasswd', '%2e%2e', 'a%2fb', "'--", '{"$ne":null}', 'x;y', '*'].map((id) => ({
    name: `the id ${id}`,
    path: `${dashboards}/${encodeURI(decodeURIComponent(id)).replaceAll('/', '%2f')}`,
    codes: INVALID,
    named: ['id'],
  })),
  { name: 'dots in the path', path: `${dashboards}/../../../etc/passwd`, codes: UNKNOWN },
  { name: 'the path of an object', path: `${BASE}/__proto__`, codes: UNKNOWN },
  { name: 'a huge path', path: `${dashboards}/${'x'.repeat(50_000)}`, codes: INVALID, named: ['id'] },
  { name: 'another host', path: `http://elsewhere.example${dashboards}`, codes: UNKNOWN },
  { name: 'another method', method: 'PATCH', path: dashboards, codes: ['METHOD_NOT_ALLOWED'] },
  { name: 'a method of no route', method: 'TRACE', path: dashboards, codes: ['METHOD_NOT_ALLOWED'] },
];

const creation = { method: 'POST', path: dashboards, body: '{"title":"Sales"}' };
const keyed = (name: string, key: string): RequestFault => ({
  name,
  ...creation,
  headers: { 'idempotency-key': key, ...JSON_HEADER },
  codes: INVALID,
  named: ['Idempotency-Key'],
});

const headers: readonly RequestFault[] = [
  ...['', 'Basic YTpi', 'Bearer', 'Bearer ', 'Bearer a b', 'Token x', `Bearer ${'x'.repeat(50_000)}`].map(
    (authorization) => ({
      name: `the authorization ${authorization.slice(0, 20)}`,
      path: dashboards,
      headers: { authorization },
      codes: ['UNAUTHENTICATED'] as const,
    }),
  ),
  keyed('an empty key', ''),
  keyed('a key with a space', 'a b'),
  keyed('a key too long', 'x'.repeat(256)),
  keyed('a key beyond ASCII', 'caf\u00e9'),
];

/** Requests of an ADMIN that are well-formed HTTP and wrong in path, query or headers. */
export const requestFaults: readonly RequestFault[] = [...queries, ...paths, ...headers];

const request = (lines: string[], body = '') => `${lines.join('\r\n')}\r\n\r\n${body}`;
const toReadiness = (...lines: string[]) => request(['GET /readyz HTTP/1.1', 'Host: x', ...lines]);
const toToken = (lines: string[], body: string) =>
  request(['POST /api/v1/token HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...lines], body);

/** Bytes that never become a request, with the status of the answer. */
export const malformedRequests: Record<string, [bytes: string, status: number]> = {
  'no HTTP at all': ['\x16\x03\x01\x02\x00 and so on\r\n\r\n', 400],
  'no Host': ['GET /readyz HTTP/1.1\r\n\r\n', 400],
  'an unknown method': ['FROB /readyz HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  'an unknown version': ['GET /readyz HTTP/9.9\r\nHost: x\r\n\r\n', 400],
  'a space in the path': ['GET /ready z HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  'a NUL in the path': ['GET /readyz\0 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
  'a NUL in a header': [toReadiness('X-Note: a\0b'), 400],
  'a header without a colon': [toReadiness('Nonsense'), 400],
  'a space before the colon': [toReadiness('X-Note : a'), 400],
  'headers too large': [toReadiness(`X-Note: ${'x'.repeat(70_000)}`), 431],
  'two lengths': [toToken(['Content-Length: 2', 'Content-Length: 3'], '{} '), 400],
  'a length and chunks': [toToken(['Content-Length: 2', 'Transfer-Encoding: chunked'], '0\r\n\r\n'), 400],
  'a negative length': [toToken(['Content-Length: -1'], ''), 400],
  'a length that is not a number': [toToken(['Content-Length: two'], '{}'), 400],
  'a chunk without a size': [toToken(['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n'), 400],
  'an unknown transfer coding': [toToken(['Transfer-Encoding: cow'], '{}'), 400],
};

import { pathParameters, type Route } from '@gatehouse/contract';

/** The fields of an operation's path, query and body side by side. */
export type Input = Record<string, unknown>;

export const JSON_TYPE = 'application/json';
export const LINES_TYPE = 'application/x-ndjson';

/** What goes along with one call. */
export interface CallOptions {
  /** Entity tag as answered; when the record has another by now, nothing is changed: PRECONDITION_FAILED. */
  ifMatch?: string;
  /**
   * Makes a POST safe to repeat: the same key and input within 24 hours answer the first answer again. The client makes
   * one for each call that has none; give one to repeat a call in another process.
   */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** @throws TypeError for a value that would make another path of it */
function pathParameter(name: string, value: unknown): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError(`${name} is missing or no identifier`);
  return encodeURIComponent(value);
}

/** The fields that are neither of the path nor of the query; what is undefined is left out. */
function otherFieldsOf(route: Route, input: Input): [string, unknown][] {
  const elsewhere = new Set([...pathParameters(route.path), ...route.query]);
  return Object.entries(input).filter(([name, value]) => !elsewhere.has(name) && value !== undefined);
}

/**
 * The address of a request, with its parameters encoded.
 *
 * @throws TypeError for a parameter of the path that is missing
 */
export function urlOf(route: Route, baseUrl: string, input: Input): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_braces, name: string) => pathParameter(name, input[name]));
  const given = route.query.flatMap((name): [string, unknown][] =>
    input[name] === undefined ? [] : [[name, input[name]]],
  );
  // A GET has no body: what it does not know stands where it is refused by name.
  if (route.method === 'GET') given.push(...otherFieldsOf(route, input));
  const query = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return baseUrl + path + (query === '' ? '' : `?${query}`);
}

/** The body of a request; undefined where no field is left for it. */
export function bodyOf(route: Route, input: Input): string | undefined {
  const fields = route.method === 'GET' ? [] : otherFieldsOf(route, input);
  return fields.length === 0 ? undefined : JSON.stringify(Object.fromEntries(fields));
}

/**
 * The address that paths are put behind.
 *
 * @throws TypeError unless it is one of HTTP, without a user, a query or a fragment
 */
export function readBaseUrl(given: string): string {
  const url = new URL(given);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl must begin with http:// or https://');
  if (url.username || url.password || url.search || url.hash)
    throw new TypeError('baseUrl must have no user, query or fragment');
  return url.href.replace(/\/+$/, '');
}

/** An idempotency key that no other request has: 128 random bits. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

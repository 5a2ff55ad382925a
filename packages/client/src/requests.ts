import { pathParameters, type Route } from './route.js';

/** The fields of an operation's path, query and body side by side. */
export type Input = Record<string, unknown>;

export const JSON_TYPE = 'application/json';
export const LINES_TYPE = 'application/x-ndjson';

/** The options of one call. */
export interface CallOptions {
  /**
   * Entity tag of an earlier response; if the record has changed since, the call fails with
   * PRECONDITION_FAILED.
   */
  ifMatch?: string;
  /**
   * Makes a POST safe to repeat: the same key and input within 24 hours return the first response again. The
   * client creates one for each call that has none; pass one to repeat a call in another process.
   */
  idempotencyKey?: string;
  /** Cancels the call, which then rejects with the reason of the signal. */
  signal?: AbortSignal;
}

/** @throws TypeError for a value that would change the path */
function pathParameter(name: string, value: unknown): string {
  if (typeof value !== 'string' || /^\.{0,2}$/.test(value))
    throw new TypeError(`${name} is missing or no identifier`);
  return encodeURIComponent(value);
}

/** The parameters in the query: those of the route, and the option that every change has. */
function queryOf({ method, query }: Route): readonly string[] {
  return method === 'GET' ? query : [...query, 'validateOnly'];
}

/** The fields that are neither in the path nor in the query; undefined ones are omitted. */
function otherFieldsOf(route: Route, input: Input): [string, unknown][] {
  const elsewhere = new Set([...pathParameters(route.path), ...queryOf(route)]);
  return Object.entries(input).filter(([name, value]) => !elsewhere.has(name) && value !== undefined);
}

/**
 * The address of a request, with its parameters encoded.
 *
 * @throws TypeError for a missing path parameter
 */
export function urlOf(route: Route, baseUrl: string, input: Input): string {
  const path = route.path.replace(/\{(\w+)\}/g, (_braces, name: string) => pathParameter(name, input[name]));
  const given = queryOf(route).flatMap((name): [string, unknown][] =>
    input[name] === undefined ? [] : [[name, input[name]]],
  );
  // A GET has no body: an unknown field goes into the query, where it is rejected by name.
  if (route.method === 'GET') given.push(...otherFieldsOf(route, input));
  const query = new URLSearchParams(
    given.map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return baseUrl + path + (query === '' ? '' : `?${query}`);
}

/** The body of a request; undefined if no field remains for it. */
export function bodyOf(route: Route, input: Input): string | undefined {
  const fields = route.method === 'GET' ? [] : otherFieldsOf(route, input);
  return fields.length === 0 ? undefined : JSON.stringify(Object.fromEntries(fields));
}

/**
 * The base address for all paths.
 *
 * @throws TypeError unless it is an HTTP URL without a user, a query or a fragment
 */
export function readBaseUrl(given: string): string {
  const url = new URL(given);
  if (!/^https?:$/.test(url.protocol)) throw new TypeError('baseUrl must begin with http:// or https://');
  if (url.username || url.password || url.search || url.hash)
    throw new TypeError('baseUrl must have no user, query or fragment');
  return url.href.replace(/\/+$/, '');
}

/** A unique idempotency key: 128 random bits. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

import { findProcedure, pathParameters, type Route } from '@gatehouse/contract';
import type { z } from 'zod';
import type { RawRequest } from './rawRequests.js';

export type Place = 'path' | 'query' | 'body';

const JSON_TYPE = { 'content-type': 'application/json' };
/** An identifier that names nothing. */
const NOWHERE = 'nowhere';

export function inputOf(route: Route): z.ZodObject {
  return findProcedure(route.procedure).input;
}

/** Where a field of a route's input travels. */
export function placeOf(route: Route, field: string): Place {
  if (pathParameters(route.path).includes(field)) return 'path';
  const inQuery: readonly string[] = [...route.query, ...route.options];
  return inQuery.includes(field) ? 'query' : 'body';
}

export function fieldsIn(place: Place, route: Route): string[] {
  return Object.keys(inputOf(route).shape).filter((field) => placeOf(route, field) === place);
}

/** As in a URL, which cannot contain half of a surrogate pair. */
function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return encodeURIComponent(text.toWellFormed());
}

/** The path of a route with its parameters, percent-encoded; what is not given names nothing. */
export function pathOf(route: Route, input: Record<string, unknown> = {}): string {
  return route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encode(input[name] ?? NOWHERE));
}

/** The part of an input that travels in the body. */
export function bodyOf(route: Route, input: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([field]) => placeOf(route, field) === 'body'));
}

/** The request that carries an input, each field in its place. */
export function requestOf(route: Route, input: Record<string, unknown>): RawRequest {
  const query = Object.entries(input)
    .filter(([field, value]) => placeOf(route, field) === 'query' && value !== undefined)
    .map(([field, value]) => `${encodeURIComponent(field)}=${encode(value)}`);
  const path = pathOf(route, input) + (query.length > 0 ? `?${query.join('&')}` : '');
  const body = bodyOf(route, input);
  if (fieldsIn('body', route).length + Object.keys(body).length === 0) return { method: route.method, path };
  return bodyRequest(route, JSON.stringify(body), path);
}

/** A request with a body as it stands. */
export function bodyRequest(route: Route, body: string | Uint8Array, path = pathOf(route)): RawRequest {
  return { method: route.method, path, headers: JSON_TYPE, body: Buffer.from(body) };
}

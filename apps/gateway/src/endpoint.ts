import {
  AppError,
  findProcedure,
  findRecordRoute,
  inputFieldsOf,
  invalidField,
  isExactNumber,
  ROUTE_OPTIONS,
  routes,
  type FieldError,
  type Route,
  type SelectableRecords,
} from '@gatehouse/contract';
import { z } from 'zod';
import { findDeprecatedFields, writeDeprecation } from './deprecation.js';
import { NO_OPTIONS, readOptions, selectableOf, type RequestOptions } from './options.js';

/** The type that the text of a query parameter is converted to before its schema checks it. */
export type QueryType = 'text' | 'number' | 'boolean';

/** A route with everything that is known of it before a request arrives. */
export interface Endpoint {
  route: Route;
  /** In the order of the path. */
  pathFields: readonly string[];
  queryTypes: ReadonlyMap<string, QueryType>;
  /** The parameters in the query that are not fields of the input. */
  optionNames: ReadonlySet<string>;
  /** What `fields` selects from; null for a route without it. */
  selectable: SelectableRecords | null;
  /** The fields that a body may not set, and why. */
  outsideBody: ReadonlyMap<string, string>;
  /** Whether the operation writes: its response then depends on `If-Match`. */
  checksVersion: boolean;
  /** The route at the path of the record in its response; null for a read, and without a record. */
  recordRoute: Route | null;
  /** The headers of every response of a deprecated route. */
  deprecationHeaders: readonly string[];
  /** The headers for each deprecated input field, sent when a request uses the field. */
  deprecatedFields: ReadonlyMap<string, readonly string[]>;
}

function queryTypeOf(schema: z.core.$ZodType | undefined): QueryType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return queryTypeOf(schema.unwrap());
  }
  if (schema instanceof z.ZodNumber) return 'number';
  return schema instanceof z.ZodBoolean ? 'boolean' : 'text';
}

/** The fields of an input that a body may not set. The schema rejects unknown fields later. */
function findOutsideBody(route: Route, shape: Record<string, unknown>): Map<string, string> {
  const { path, query, body } = inputFieldsOf(route);
  const placeOf = (field: string) => {
    if (path.includes(field)) return 'belongs in the path, not in the body';
    return query.includes(field) ? 'belongs in the query, not in the body' : 'is not a known field';
  };
  const outside = Object.keys(shape).filter((field) => !body.includes(field));
  return new Map(outside.map((field) => [field, placeOf(field)]));
}

/** Prepares a line of the route table. */
export function createEndpoint(route: Route, table: readonly Route[] = routes): Endpoint {
  const { shape } = findProcedure(route.procedure).input;
  return {
    route,
    pathFields: inputFieldsOf(route).path,
    queryTypes: new Map([
      ...route.query.map((name) => [name, queryTypeOf(shape[name])] as const),
      ...route.options.map((name) => [name, queryTypeOf(ROUTE_OPTIONS[name])] as const),
    ]),
    optionNames: new Set(route.options),
    selectable: selectableOf(route),
    outsideBody: findOutsideBody(route, shape),
    checksVersion: route.errors.includes('PRECONDITION_FAILED'),
    recordRoute: findRecordRoute(route, table),
    deprecationHeaders: route.deprecated ? writeDeprecation(route.deprecated) : [],
    deprecatedFields: findDeprecatedFields(shape),
  };
}

/** The parts of a request that form the input of an operation. */
export interface InputParts {
  /** Percent-encoded, in the order of the path. */
  pathValues: readonly string[];
  /** The text after the question mark; empty if there is none. */
  query: string;
  body: Record<string, unknown>;
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/** Decodes percent-encoding. Throws INVALID_REQUEST naming the field if it is malformed or not UTF-8. */
function decode(field: string, encoded: string): string {
  if (!encoded.includes('%')) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw invalidField(field, 'is not valid percent-encoded UTF-8', 'format');
  }
}

/** Text that does not have the form of its type stays text, so that the schema rejects it by its own rule. */
function coerce(text: string, type: QueryType): unknown {
  if (type === 'number' && NUMBER.test(text) && isExactNumber(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function readQuery(endpoint: Endpoint, query: string, input: Record<string, unknown>): void {
  const faults: FieldError[] = [];
  const seen = new Set<string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const encodedName = equals < 0 ? pair : pair.slice(0, equals);
    const name = decode('query', encodedName.replaceAll('+', ' '));
    const type = endpoint.queryTypes.get(name);
    if (type === undefined)
      faults.push({ field: name, message: 'is not a known query parameter', code: 'unknown' });
    else if (seen.has(name))
      faults.push({ field: name, message: 'is given more than once', code: 'duplicate' });
    else {
      seen.add(name);
      input[name] = coerce(decode(name, pair.slice(encodedName.length + 1).replaceAll('+', ' ')), type);
    }
  }
  if (faults.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors: faults });
}

/** Rejects fields that belong outside the body. The schema of the operation rejects unknown fields later. */
function checkBodyFields(endpoint: Endpoint, body: Record<string, unknown>): void {
  const faults = [...endpoint.outsideBody].flatMap(([field, message]): FieldError[] =>
    Object.hasOwn(body, field) ? [{ field, message, code: 'unknown' }] : [],
  );
  if (faults.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors: faults });
}

/** The input of an operation, and the options of the request. */
export interface ReadInput {
  input: Record<string, unknown>;
  options: RequestOptions;
}

/**
 * Builds the input of an operation from path, query and body. Throws INVALID_REQUEST naming every query
 * parameter that is unknown or duplicated, and every body field that belongs elsewhere.
 */
export function readInput(endpoint: Endpoint, parts: InputParts): ReadInput {
  const { pathValues, query, body } = parts;
  checkBodyFields(endpoint, body);
  const input: Record<string, unknown> = { ...body };
  endpoint.pathFields.forEach((field, index) => {
    input[field] = decode(field, pathValues[index] ?? '');
  });
  if (query === '') return { input, options: NO_OPTIONS };
  const parameters: Record<string, unknown> = {};
  readQuery(endpoint, query, parameters);
  const options: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parameters))
    (endpoint.optionNames.has(name) ? options : input)[name] = value;
  return { input, options: readOptions(endpoint.selectable, options) };
}

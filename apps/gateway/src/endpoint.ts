import {
  findProcedure,
  findRecordRoute,
  inputFieldsOf,
  ROUTE_OPTIONS,
  routes,
  type Route,
  type SelectableRecords,
} from '@gatehouse/contract';
import { z } from 'zod';
import { findDeprecatedFields, writeDeprecation } from './deprecation.js';
import { selectableOf } from './options.js';

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

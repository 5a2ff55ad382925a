import { findProcedure, inputFieldsOf, type Route } from '@gatehouse/contract';
import { z } from 'zod';
import { findDeprecatedFields, writeDeprecation } from './deprecation.js';

/** What the text of a query parameter is turned into before its schema judges it. */
export type QueryType = 'text' | 'number' | 'boolean';

/** A route with all that can be known of it before a request comes. */
export interface Endpoint {
  route: Route;
  /** In the order of the path. */
  pathFields: readonly string[];
  queryTypes: ReadonlyMap<string, QueryType>;
  /** The fields that a body may not set, and why. */
  outsideBody: ReadonlyMap<string, string>;
  /** Whether the operation changes something: its answer then depends on `If-Match`. */
  checksVersion: boolean;
  /** What every answer of a deprecated route says of that. */
  deprecationHeaders: readonly string[];
  /** The same for the input fields that are deprecated: said when a request uses them. */
  deprecatedFields: ReadonlyMap<string, readonly string[]>;
}

function queryTypeOf(schema: z.core.$ZodType | undefined): QueryType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return queryTypeOf(schema.unwrap());
  }
  if (schema instanceof z.ZodNumber) return 'number';
  return schema instanceof z.ZodBoolean ? 'boolean' : 'text';
}

/** The fields of a procedure's input that no body sets; what no schema knows is refused later, by the schema. */
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
export function createEndpoint(route: Route): Endpoint {
  const { shape } = findProcedure(route.procedure).input;
  return {
    route,
    pathFields: inputFieldsOf(route).path,
    queryTypes: new Map(route.query.map((name) => [name, queryTypeOf(shape[name])])),
    outsideBody: findOutsideBody(route, shape),
    checksVersion: route.errors.includes('PRECONDITION_FAILED'),
    deprecationHeaders: route.deprecated ? writeDeprecation(route.deprecated) : [],
    deprecatedFields: findDeprecatedFields(shape),
  };
}

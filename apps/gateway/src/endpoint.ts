import { findProcedure, pathParameters, type Route } from '@gatehouse/contract';
import { z } from 'zod';

/** What the text of a query parameter is turned into before its schema judges it. */
export type QueryType = 'text' | 'number' | 'boolean';

/** A route with all that can be known of it before a request comes. */
export interface Endpoint {
  route: Route;
  /** In the order of the path. */
  pathFields: readonly string[];
  queryTypes: ReadonlyMap<string, QueryType>;
  /** The fields that a body may not set, and where they belong. */
  outsideBody: ReadonlyMap<string, 'path' | 'query'>;
  /** Whether the operation changes something: its answer then depends on `If-Match`. */
  checksVersion: boolean;
}

function queryTypeOf(schema: z.core.$ZodType | undefined): QueryType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return queryTypeOf(schema.unwrap());
  }
  if (schema instanceof z.ZodNumber) return 'number';
  return schema instanceof z.ZodBoolean ? 'boolean' : 'text';
}

/** Prepares a line of the route table. */
export function createEndpoint(route: Route): Endpoint {
  const { shape } = findProcedure(route.procedure).input;
  const pathFields = pathParameters(route.path);
  return {
    route,
    pathFields,
    queryTypes: new Map(route.query.map((name) => [name, queryTypeOf(shape[name])])),
    outsideBody: new Map([
      ...pathFields.map((name) => [name, 'path'] as const),
      ...route.query.map((name) => [name, 'query'] as const),
    ]),
    checksVersion: route.method !== 'GET' && route.method !== 'POST',
  };
}

import { z } from 'zod';
import { findProcedure } from '../services/index.js';
import { ERROR_BODIES } from './errorBodies.js';
import { NEXT_CURSOR, type Route, type RoutePages } from './route.js';

function without(object: z.ZodType, field: string): z.ZodObject {
  if (!(object instanceof z.ZodObject)) throw new Error('The output of a paged procedure is an object');
  const { [field]: _left, ...others } = object.shape;
  return z.object(others);
}

/** The joined response of all pages of a route. */
export function pagedAnswerOf({ procedure }: Route): z.ZodObject {
  return without(findProcedure(procedure).output, NEXT_CURSOR);
}

/** A line of the same response in NDJSON, each with its `type`. */
export function pagedLineOf(route: Route, { items, item, total }: RoutePages): z.ZodType {
  const answer = pagedAnswerOf(route);
  const list = answer.shape[items];
  if (!(list instanceof z.ZodArray)) throw new Error(`${items} is no list`);
  const count = z.number().int();
  return z.union([
    z.object({ type: z.literal(item), [item]: list.element as z.ZodType }),
    z.object({ type: z.literal('progress'), done: count, ...(total !== undefined && { total: count }) }),
    z.object({ type: z.literal('summary'), ...without(answer, items).shape }),
    z.object({ type: z.literal('error'), ...ERROR_BODIES[route.area].shape }),
  ]);
}

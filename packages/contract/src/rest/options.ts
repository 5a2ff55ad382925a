import { z } from 'zod';
import { findProcedure } from '../services/index.js';
import { WITHOUT_DRY_RUN } from '../services/withoutDryRun.js';
import { text } from '../vocabulary.js';
import type { Route, RouteOption } from './route.js';

/** The query parameters that belong to no procedure: the gateway and the runtime implement them once. */
export const ROUTE_OPTIONS = {
  validateOnly: z.boolean().optional(),
  fields: text(1, 2000).optional(),
} satisfies Record<RouteOption, z.ZodType>;

type Selectable = Pick<Route, 'method' | 'procedure' | 'record' | 'pages' | 'cacheSeconds'>;

/** The options of a route. */
export function optionsOf(route: Selectable): RouteOption[] {
  if (findProcedure(route.procedure).changes && !(route.procedure in WITHOUT_DRY_RUN))
    return ['validateOnly'];
  return findSelectable(route) === null ? [] : ['fields'];
}

/** The names that `fields` may have: those of a record, and of the records in it. */
export interface FieldNames {
  [name: string]: FieldNames;
}

/** Where a response has records, and their fields. */
export interface SelectableRecords {
  /** Of the record or of the array of records, as `data.definition`; of every array if a list has several. */
  places: readonly string[];
  names: FieldNames;
}

function unwrap(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return unwrap(schema.unwrap());
  if (schema instanceof z.ZodLazy) return unwrap(schema.unwrap());
  return schema instanceof z.ZodArray ? unwrap(schema.element) : schema;
}

/** The names at most this deep: a record may contain itself. */
const DEPTH_MAX = 4;

function namesOf(schema: unknown, depth = DEPTH_MAX): FieldNames {
  const found = unwrap(schema);
  if (depth === 0) return {};
  if (found instanceof z.ZodUnion)
    return Object.assign({}, ...found.options.map((option) => namesOf(option, depth))) as FieldNames;
  if (found instanceof z.ZodIntersection)
    return { ...namesOf(found.def.left, depth), ...namesOf(found.def.right, depth) };
  if (!(found instanceof z.ZodObject)) return {};
  const entries = Object.entries(found.shape);
  return Object.fromEntries(entries.map(([name, part]) => [name, namesOf(part, depth - 1)]));
}

function shapeOf(schema: unknown): Record<string, unknown> {
  const found = unwrap(schema);
  return found instanceof z.ZodObject ? found.shape : {};
}

/** The arrays in an object, at this place or in its `data`, if they have the same records. */
function findList(schema: z.ZodType): { places: string[]; element: unknown } | null {
  const lists = (shape: Record<string, unknown>) =>
    Object.entries(shape).filter(([, part]) => part instanceof z.ZodArray);
  const shape = shapeOf(schema);
  const found = [
    ...lists(shape),
    ...lists(shapeOf(shape['data'])).map(([name, part]) => [`data.${name}`, part] as const),
  ];
  const [list] = found;
  if (list === undefined || found.some(([, part]) => part !== list[1])) return null;
  return { places: found.map(([place]) => place), element: list[1] };
}

/** The place of the only field of an object, if it is a record. */
function findRecord(schema: z.ZodType): string | undefined {
  const [[name, part] = ['', null], ...others] = Object.entries(shapeOf(schema));
  return others.length === 0 && Object.keys(shapeOf(part)).length > 0 ? name : undefined;
}

function schemaAt(schema: unknown, place: string): unknown {
  return place.split('.').reduce((part, name) => shapeOf(part)[name], schema);
}

/** The records that `fields` selects from; null for a response that is neither a record nor a list. */
export function findSelectable({
  method,
  procedure,
  record,
  pages,
  cacheSeconds,
}: Selectable): SelectableRecords | null {
  if (method !== 'GET' || pages !== undefined || cacheSeconds !== undefined) return null;
  const { output } = findProcedure(procedure);
  const list = record === undefined ? findList(output) : null;
  const place = record ?? findRecord(output);
  const places = list?.places ?? (place === undefined ? [] : [place]);
  if (places.length === 0) return null;
  const names = namesOf(list?.element ?? schemaAt(output, places[0] ?? ''));
  return Object.keys(names).length === 0 ? null : { places, names };
}

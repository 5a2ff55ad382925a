import { type HttpMethod, type Route } from '@gatehouse/contract';
import fc from 'fast-check';
import type { z } from 'zod';
import type { RawRequest } from './rawRequests.js';
import { bodyRequest, fieldsIn, inputOf, requestOf } from './routeRequests.js';
import { sampleOf } from './schemaFields.js';

const METHODS: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Names, words and operators with a meaning in some part of the platform. */
const LOADED =
  '__proto__ constructor toString hasOwnProperty then toJSON _id id revision $where $set $gt a.b ../.. {{x}} null -1 1e400 ' +
  'ADMIN OWNER group all_org_users TENANT_GROUP 2020-01-01T00:00:00Z %00 \0 \ud800 \u{1f600} ';

const text = fc.oneof(fc.constantFrom(...LOADED.split(' ')), fc.string({ unit: 'binary', maxLength: 40 }));
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -1, 1, 2 ** 53, 1e308));

/** Any JSON, with loaded words for keys and values. */
const anyJson: fc.Arbitrary<unknown> = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
  ),
})).json;

/** Existing ids, by the name of the field that takes them. */
export type KnownIds = Record<string, readonly string[]>;

const definitionOf = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def;

/** Values as a schema has them, their parts nearly so. */
function right(schema: z.core.$ZodType, name: string, ids: KnownIds): fc.Arbitrary<unknown> {
  const inner = (child: z.core.$ZodType, key = name) => nearly(child, key, ids);
  const definition = definitionOf(schema);
  const { type } = definition;
  if (type === 'optional' || type === 'default' || type === 'prefault') {
    return fc.option(inner(definition.innerType), { nil: undefined, freq: 1 });
  }
  if (type === 'nullable') return fc.option(inner(definition.innerType));
  if (type === 'string') {
    const known = fc.constantFrom(...(ids[name] ?? [String(sampleOf(schema))]));
    return fc.oneof({ weight: 5, arbitrary: known }, { weight: 1, arbitrary: text });
  }
  if (type === 'number') return fc.oneof(fc.integer({ min: 0, max: 500 }), number);
  if (type === 'boolean') return fc.boolean();
  if (type === 'enum') return fc.constantFrom(...Object.values(definition.entries));
  if (type === 'literal') return fc.constantFrom(...definition.values);
  if (type === 'array') return fc.array(inner(definition.element), { maxLength: 3 });
  if (type === 'record') return fc.dictionary(text, inner(definition.valueType), { maxKeys: 3 });
  if (type === 'union') return fc.oneof(...definition.options.map((option) => inner(option)));
  if (type !== 'object') return anyJson;
  const children = Object.entries(definition.shape).map(([key, child]) => [key, inner(child, key)] as const);
  return fc.record(Object.fromEntries(children));
}

/** As `right`, with a fault here and there. */
function nearly(schema: z.core.$ZodType, name: string, ids: KnownIds): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: right(schema, name, ids) }, { weight: 1, arbitrary: anyJson });
}

const withoutUndefined = (input: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined));

/** Nearly valid inputs of a route. The one in the path usually names an existing record. */
function nearInput(route: Route, ids: KnownIds): fc.Arbitrary<Record<string, unknown>> {
  const shape = Object.entries(inputOf(route).shape).map(([key, child]) => {
    const isNamed = fieldsIn('path', route).includes(key) && ids[key] !== undefined;
    const known = fc.constantFrom(...(ids[key] ?? ['nowhere']));
    const value = nearly(child, key, ids);
    return [key, isNamed ? fc.oneof({ weight: 9, arbitrary: known }, { weight: 1, arbitrary: text }) : value];
  });
  return fc.record(Object.fromEntries(shape) as Record<string, fc.Arbitrary<unknown>>).map(withoutUndefined);
}

/** Requests to a route: nearly right ones, ones with any JSON for a body, and broken ones. */
export function randomRequests(route: Route, ids: KnownIds): fc.Arbitrary<RawRequest> {
  const near = nearInput(route, ids);
  const broken = fc.tuple(near, fc.nat(), text).map(([input, at, cut]) => {
    const { path, body } = requestOf(route, input);
    const bytes = body?.toString() ?? '{}';
    const place = at % (bytes.length + 1);
    return bodyRequest(route, bytes.slice(0, place) + cut + bytes.slice(place), path);
  });
  return fc.oneof(
    { weight: 6, arbitrary: near.map((input) => requestOf(route, input)) },
    { weight: 2, arbitrary: anyJson.map((json) => bodyRequest(route, JSON.stringify(json))) },
    { weight: 1, arbitrary: broken },
    {
      weight: 1,
      arbitrary: fc.tuple(near, fc.constantFrom(...METHODS)).map(([input, method]) => ({
        ...requestOf(route, input),
        method,
      })),
    },
  );
}

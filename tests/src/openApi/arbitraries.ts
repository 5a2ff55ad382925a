import type { JsonSchema, OpenApiDocument, Route } from '@gatehouse/contract';
import fc from 'fast-check';
import type { KnownIds } from '../badInput/randomInput.js';
import type { DocumentJudge } from './documentJudge.js';

/** Of an object with rules between its fields, one of so many is very likely valid. */
const CANDIDATES = 40;
const TEXT_MAX = 40;

const FORMATS: Record<string, fc.Arbitrary<string>> = {
  'date-time': fc.constantFrom('2020-01-01T00:00:00Z', '2099-12-31T23:59:59.999+02:00'),
  email: fc.nat(1_000_000).map((number) => `user${number}@fuzz.example`),
};

const lettersOf = (letters: string) => fc.constantFrom(...letters.split(''));
const text = fc.string({ unit: lettersOf('abcXYZ019 _-.äé{}\'"<>$/') });
const anyJson = fc.oneof(
  fc.constantFrom(null, 0, 1.5, true, '', 'text'),
  fc.dictionary(text, text, { maxKeys: 2 }),
);

/** Makes values that a document allows. */
export class Arbitraries {
  readonly #document: OpenApiDocument;
  readonly #judge: DocumentJudge;
  readonly #ids: KnownIds;
  readonly #components = new Map<string, fc.Arbitrary<unknown>>();

  /** @param ids existing ids by the name of the field that takes them */
  constructor(document: OpenApiDocument, judge: DocumentJudge, ids: KnownIds) {
    this.#document = document;
    this.#judge = judge;
    this.#ids = ids;
  }

  /** Inputs of a route: path, query and body together. */
  inputOf(route: Route): fc.Arbitrary<Record<string, unknown>> {
    const { parameters, requestBody } = this.#judge.operationOf(route);
    const given = parameters.filter((parameter) => parameter.in !== 'header');
    const fields = given.map(({ name, schema }) => [name, this.#valueOf(schema, name)] as const);
    const requiredKeys = given.filter(({ required }) => required).map(({ name }) => name);
    const outside = fc.record(Object.fromEntries(fields), { requiredKeys });
    const body = requestBody?.content['application/json']?.schema;
    if (!body) return outside;
    const inside = this.#valueOf(body, 'body') as fc.Arbitrary<Record<string, unknown>>;
    return fc.tuple(outside, inside).map(([around, within]) => ({ ...around, ...within }));
  }

  #valueOf(schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
    if (schema.$ref !== undefined)
      return this.#componentOf(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1), name);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const alternatives = schema.anyOf ?? schema.oneOf;
    if (alternatives) return fc.oneof(...alternatives.map((one) => this.#valueOf(one, name)));
    const types = [schema.type ?? []].flat();
    if (types.length === 0) return anyJson;
    return fc.oneof(...types.map((type) => this.#typedValueOf(type, schema, name)));
  }

  #componentOf(component: string, name: string): fc.Arbitrary<unknown> {
    const known = this.#components.get(component);
    if (known) return known;
    const schema = this.#document.components.schemas[component] ?? {};
    const value = this.#valueOf(schema, name);
    const isConditional = schema.allOf !== undefined || schema.minProperties !== undefined;
    const isValid = (one: unknown) => this.#judge.isValid(component, one);
    const arbitrary = isConditional
      ? // A stream makes only the candidates that are read: such objects contain each other.
        fc.infiniteStream(value, { noHistory: true }).map((candidates) => firstOf(candidates, isValid))
      : value;
    this.#components.set(component, arbitrary);
    return arbitrary;
  }

  #typedValueOf(type: string, schema: JsonSchema, name: string): fc.Arbitrary<unknown> {
    if (type === 'null') return fc.constant(null);
    if (type === 'boolean') return fc.boolean();
    if (type === 'integer') return fc.integer(boundsOf(schema));
    if (type === 'number') return fc.oneof(fc.integer(boundsOf(schema)), fc.constantFrom(0.5, -1.25));
    if (type === 'string') return this.#textOf(schema, name);
    if (type === 'array') return this.#arrayOf(schema, name);
    return this.#objectOf(schema);
  }

  #textOf(
    { format, pattern, minLength = 0, maxLength = TEXT_MAX }: JsonSchema,
    name: string,
  ): fc.Arbitrary<string> {
    const known = this.#ids[name];
    const lengths = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, TEXT_MAX)) };
    const free = FORMATS[format ?? ''] ?? (pattern ? fc.stringMatching(new RegExp(pattern)) : undefined);
    // A name must not be blank.
    const other = free ?? fc.string({ ...lengths, unit: lettersOf('abcXYZ019_-.äé') });
    return known && known.length > 0
      ? fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: other })
      : other;
  }

  #arrayOf({ items, minItems = 0 }: JsonSchema, name: string): fc.Arbitrary<unknown[]> {
    const item = this.#valueOf((items ?? {}) as JsonSchema, name);
    return fc.array(item, { minLength: minItems, maxLength: Math.max(minItems, 3) });
  }

  #objectOf(schema: JsonSchema): fc.Arbitrary<Record<string, unknown>> {
    const { properties, required = [], additionalProperties } = schema;
    if (!properties) {
      const isOpen =
        typeof additionalProperties !== 'object' || Object.keys(additionalProperties).length === 0;
      const value = isOpen ? anyJson : this.#valueOf(additionalProperties, 'value');
      const key = fc.string({ minLength: 1, maxLength: 10, unit: lettersOf('abcXYZ_') });
      return fc.dictionary(key, value, { maxKeys: 3 });
    }
    const fields = Object.entries(properties).map(
      ([field, part]) => [field, this.#valueOf(part as JsonSchema, field)] as const,
    );
    return fc.record(Object.fromEntries(fields), { requiredKeys: [...required] });
  }
}

/** The first valid one of some candidates, or the last of them. */
function firstOf(candidates: Iterable<unknown>, isValid: (one: unknown) => boolean): unknown {
  let read = 0;
  for (const candidate of candidates) {
    read += 1;
    if (read === CANDIDATES || isValid(candidate)) return candidate;
  }
  throw new Error('The stream has ended');
}

function boundsOf({ minimum = -1000, maximum = 1000 }: JsonSchema): { min: number; max: number } {
  return { min: minimum, max: Math.max(minimum, Math.min(maximum, minimum + 1000)) };
}

const WRONG = [null, '', -1, 1e9, true, [], {}, 'x'.repeat(70), { unknown: 1 }] as const;

/** The same input with a fault: a field that is missing, unknown, or of another type. */
export function spoil(
  input: Record<string, unknown>,
  bodyFields: readonly string[],
): fc.Arbitrary<Record<string, unknown>> {
  const present = bodyFields.filter((field) => input[field] !== undefined);
  const unknown = fc.constant({ ...input, unknownField: 1 });
  if (present.length === 0) return unknown;
  const field = fc.constantFrom(...present);
  const without = field.map((name) => ({ ...input, [name]: undefined }));
  const wrong = fc
    .tuple(field, fc.constantFrom(...WRONG))
    .map(([name, value]) => ({ ...input, [name]: value }));
  const inside = fc.tuple(field, fc.constantFrom(...WRONG)).map(([name, value]) => ({
    ...input,
    [name]: spoilInside(input[name], value),
  }));
  return fc.oneof(unknown, without, wrong, inside);
}

/** Replaces the first field or item of a value. */
function spoilInside(value: unknown, wrong: unknown): unknown {
  if (Array.isArray(value)) return [spoilInside(value[0], wrong), ...value.slice(1)];
  if (typeof value !== 'object' || value === null) return wrong;
  const [first] = Object.keys(value);
  return first === undefined ? { unknownField: wrong } : { ...value, [first]: wrong };
}

import { describe, expect, it } from 'vitest';
import { CODE_ALIASES, ERROR_CATALOGUE } from '../errorCatalogue.js';
import { ERROR_STATUS } from '../errors.js';
import { AREAS, ENUM_TEXTS, TAG_TEXTS } from './descriptions/index.js';
import { CONDITIONS, NOT_EMPTY } from './document/conditions.js';
import { keepUsed } from './document/joinComponents.js';
import { routes } from './index.js';
import { createOpenApiDocument } from './openapi.js';
import type { JsonSchema, OpenApiOperation } from './openapiDocument.js';
import { COMMON_ERRORS, hasEntityTag } from './route.js';

/** Longer type names are cut by some generators, and break lines in most. */
const TYPE_NAME_MAX = 50;

const document = createOpenApiDocument();
const { schemas, responses } = document.components;
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
const fields = Object.entries(schemas).flatMap(([component, { properties }]) =>
  Object.entries(properties ?? {}).map(([field, part]) => ({ component, field, part: part as JsonSchema })),
);
const componentOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1);

/** Whether a value may be null; for a map, whether one of its values may be. */
function isNullable(part: JsonSchema): boolean {
  if (part.$ref !== undefined) return isNullable(schemas[componentOf(part.$ref)] ?? {});
  if ([part.type].flat().includes('null')) return true;
  const parts = [part.additionalProperties, ...(part.anyOf ?? []), ...(part.oneOf ?? [])];
  return parts.some((one) => typeof one === 'object' && isNullable(one));
}

function responseOf(operation: OpenApiOperation, status: number | string) {
  const response = operation.responses[status];
  return response && '$ref' in response ? responses[componentOf(response.$ref)] : response;
}

/** Objects and enums without a name, by their place in a component. */
function findAnonymous(place: string, part: unknown, isTop = false): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const schema = part as JsonSchema;
  const isNamed = isTop || (schema.properties === undefined && schema.enum === undefined);
  const inside = Object.entries(schema).flatMap(([key, value]) => {
    // The rules of `allOf` refer to the fields of the component itself.
    if (key === 'allOf' || key === 'default' || key.startsWith('x-')) return [];
    const parts = key === 'properties' ? Object.entries(value as object) : [[key, value] as const];
    return parts.flatMap(([name, child]) => findAnonymous(`${place}.${name}`, child));
  });
  return [...(isNamed ? [] : [place]), ...inside];
}

interface Union {
  place: string;
  union: JsonSchema;
  /** The objects that a value may be. */
  forms: JsonSchema[];
}

/** The unions of several objects, wherever they are. */
function findUnions(part: unknown, place = ''): Union[] {
  if (typeof part !== 'object' || part === null) return [];
  const union = part as JsonSchema;
  const forms = (union.oneOf ?? union.anyOf ?? []).flatMap(({ $ref }) => {
    const form = $ref === undefined ? undefined : schemas[componentOf($ref)];
    return form?.properties ? [form] : [];
  });
  const inside = Object.entries(part).flatMap(([key, child]) => findUnions(child, `${place}.${key}`));
  return forms.length > 1 ? [{ place, union, forms }, ...inside] : inside;
}

/** The required fields that have another constant in each form. */
function constantsOf(forms: readonly JsonSchema[]): string[] {
  const names = Object.keys(forms[0]?.properties ?? {});
  return names.filter((name) => {
    const constants = forms.map(({ properties = {}, required = [] }) =>
      required.includes(name) ? (properties[name] as JsonSchema).const : undefined,
    );
    return !constants.includes(undefined) && new Set(constants).size === forms.length;
  });
}

describe('the OpenAPI document', () => {
  it('describes every field, parameter, tag and operation: add texts to rest/descriptions', () => {
    const missing = [
      ...fields
        .filter(({ part }) => !part.description)
        .map(({ component, field }) => `${component}.${field}`),
      ...operations.flatMap(({ operationId, parameters }) =>
        parameters.filter(({ description }) => !description).map(({ name }) => `${operationId}: ${name}`),
      ),
      ...document.tags.filter(({ description }) => !description).map(({ name }) => name),
      ...operations.filter(({ description }) => !description).map(({ operationId }) => operationId),
    ];
    expect(missing).toEqual([]);
    expect(fields.length).toBeGreaterThan(1500);
  });

  it('describes every value of every enum: add texts to rest/descriptions/enums.ts', () => {
    const enums = Object.entries(schemas).filter(([, schema]) => schema.enum !== undefined);
    const missing = enums.flatMap(([name, schema]) =>
      (schema.enum ?? [])
        .filter((value) => !ENUM_TEXTS[name]?.values[String(value)])
        .map((value) => [name, value]),
    );
    expect(missing).toEqual([]);
    expect(enums.length).toBeGreaterThan(40);
  });

  it('explains null where a field may be null, and only there', () => {
    const wrong = fields.filter(({ part }) => /\bnull\b/.test(part.description ?? '') !== isNullable(part));
    expect(wrong.map(({ component, field, part }) => `${component}.${field}: ${part.description}`)).toEqual(
      [],
    );
  });

  it('has no description of what it does not contain', () => {
    const components = new Set([
      ...Object.keys(schemas),
      ...operations.map(({ operationId: id }) => `${id.slice(0, 1).toUpperCase()}${id.slice(1)}Request`),
    ]);
    const known = (name: string) => components.has(name) || components.has(`${name}Input`);
    const owners = AREAS.flatMap((area) => Object.keys(area)).filter((name) => name !== '*');
    const tags = Object.keys(TAG_TEXTS).filter((name) => !document.tags.some((tag) => tag.name === name));
    const conditions = [...Object.keys(CONDITIONS), ...NOT_EMPTY].filter((name) => !(name in schemas));
    const unused = [...owners, ...Object.keys(ENUM_TEXTS)].filter((name) => !known(name));
    expect([...unused, ...tags, ...conditions]).toEqual([]);
  });

  it('names every object and enum, in 50 characters at most', () => {
    const anonymous = Object.entries(schemas).flatMap(([name, schema]) => findAnonymous(name, schema, true));
    expect(anonymous).toEqual([]);
    const names = [
      ...Object.keys(schemas),
      ...Object.keys(responses),
      ...operations.flatMap(({ operationId }) =>
        ['Request', 'Response', 'Params'].map((end) => operationId + end),
      ),
    ];
    expect(names.filter((name) => name.length > TYPE_NAME_MAX)).toEqual([]);
  });

  it('has a second example of every operation, with its response', () => {
    const without = operations.filter(({ 'x-examples': examples = [] }) => !examples[0]?.response.body);
    expect(without.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('names the required role of every operation', () => {
    const without = operations.filter(({ description }) => !/Required (role|level)/.test(description));
    expect(without.map(({ operationId }) => operationId)).toEqual([]);
  });

  it.each(routes.map((route) => [route.operationId, route] as const))(
    '%s declares the headers of its responses, with 429 and 503',
    (operationId, route) => {
      const operation = operations.find((known) => known.operationId === operationId);
      const headersOf = (status: number | string) =>
        Object.keys((operation && responseOf(operation, status)?.headers) ?? {});
      const statuses = Object.keys(operation?.responses ?? {}).filter((status) => status !== 'default');
      expect(statuses).toEqual(expect.arrayContaining(['429', '503', String(route.success)]));
      for (const status of statuses) expect(headersOf(status)).toContain('X-Request-Id');
      for (const status of ['429', '503']) expect(headersOf(status)).toContain('Retry-After');
      for (const status of ['401', '429'].filter((known) => statuses.includes(known)))
        expect(headersOf(status)).toEqual(expect.arrayContaining(['RateLimit', 'RateLimit-Policy']));
      const success = headersOf(route.success);
      expect(success).toContain('RateLimit');
      expect(success.includes('Location')).toBe(route.success === 201);
      expect(success.includes('ETag')).toBe(hasEntityTag(route));
    },
  );

  it('has a discriminator for every union whose forms differ in a constant', () => {
    const unions = findUnions(document.components.schemas);
    const without = unions.filter(
      ({ union, forms }) => constantsOf(forms).length > 0 && !union.discriminator,
    );
    expect(without.map(({ place }) => place)).toEqual([]);
    const named = unions.flatMap(({ union, forms }) => {
      const { propertyName } = (union.discriminator ?? {}) as { propertyName?: string };
      return propertyName === undefined ? [] : [constantsOf(forms).includes(propertyName)];
    });
    expect(named.length).toBeGreaterThan(10);
    expect(named).not.toContain(false);
  });

  it('has no unused component', () => {
    const used = keepUsed(schemas, [document.paths, responses]);
    expect(Object.keys(schemas).filter((name) => !(name in used))).toEqual([]);
    const text = JSON.stringify(document.paths);
    expect(Object.keys(responses).filter((name) => !text.includes(`responses/${name}"`))).toEqual([]);
  });

  it.each(routes.map((route) => [route.operationId, route] as const))(
    '%s lists all of its error codes by status',
    (operationId, route) => {
      const operation = operations.find((known) => known.operationId === operationId);
      const codes = [...route.errors, ...COMMON_ERRORS];
      const listed = codes.filter((code) => {
        const names = operation && responseOf(operation, ERROR_STATUS[code])?.['x-errorCodes'];
        const alias = Object.entries(CODE_ALIASES).find(([, { code: other }]) => other === code)?.[0] ?? code;
        return names?.includes(code) || names?.includes(alias);
      });
      expect(listed).toEqual(codes);
      expect(operation?.['x-codeSamples']?.map(({ label }) => label)).toEqual([
        'curl',
        '@gatehouse/client',
        'gatehouse',
      ]);
    },
  );

  it('accepts only known fields in requests, and tolerates new ones in responses', () => {
    const requests = Object.entries(schemas).filter(([name]) => name.endsWith('Request'));
    expect(requests.filter(([, schema]) => schema.additionalProperties !== false)).toEqual([]);
    const answers = Object.entries(schemas).filter(([name]) => name.endsWith('Response'));
    expect(answers.filter(([, schema]) => schema.additionalProperties === false)).toEqual([]);
  });

  it('has the cause and the fix of every code', () => {
    expect(Object.keys(ERROR_CATALOGUE)).toEqual(Object.keys(ERROR_STATUS));
    const codes = Object.values(responses).flatMap((response) => response['x-errorCodes'] ?? []);
    const known = new Set([...Object.keys(ERROR_CATALOGUE), ...Object.keys(CODE_ALIASES)]);
    expect(codes.filter((code) => !known.has(code))).toEqual([]);
  });
});

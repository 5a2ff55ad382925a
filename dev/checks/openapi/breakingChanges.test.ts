import { routes, type OpenApiDocument } from '@gatehouse/contract';
import { createOpenApiDocument } from '@gatehouse/contract/openapi';
import { describe, expect, it } from 'vitest';
import { findBreakingChanges } from './breakingChanges.mjs';

const PATH = '/things/{id}';

/** A document with one operation, changed by `change`. */
function documentWith(change: (document: OpenApiDocument) => void = () => {}): OpenApiDocument {
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title: '', version: '1.0.0', description: '', license: { name: '', identifier: '' } },
    servers: [],
    tags: [],
    security: [],
    'x-errorCodes': {} as OpenApiDocument['x-errorCodes'],
    paths: {
      [PATH]: {
        post: {
          operationId: 'changeThing',
          summary: '',
          description: '',
          tags: [],
          'x-errorCodes': [],
          parameters: [
            { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
            {
              name: 'limit',
              in: 'query',
              required: false,
              schema: { type: 'integer', minimum: 1, maximum: 100 },
            },
          ],
          requestBody: {
            required: false,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: {
                    name: { type: 'string', maxLength: 10 },
                    kind: { enum: ['a', 'b'] },
                    part: { anyOf: [{ type: 'string' }, { type: 'null' }] },
                  },
                },
              },
            },
          },
          responses: {
            200: {
              description: '',
              content: { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } },
            },
            404: { $ref: '#/components/responses/missing' },
          },
        },
      },
    },
    components: {
      schemas: {
        Thing: {
          type: 'object',
          properties: {
            id: { type: 'string' },
            owner: { anyOf: [{ type: 'string' }, { type: 'null' }] },
            parts: { type: 'array', items: { $ref: '#/components/schemas/Thing' } },
          },
          required: ['id'],
        },
      },
      responses: { missing: { description: '' } },
      securitySchemes: {},
    },
  };
  change(document);
  return document;
}

function operationOf(document: OpenApiDocument) {
  const operation = document.paths[PATH]?.['post'];
  if (!operation) throw new Error('no operation');
  return operation;
}

function bodyOf(document: OpenApiDocument) {
  const schema = operationOf(document).requestBody?.content['application/json']?.schema;
  if (!schema?.properties) throw new Error('no body');
  return { schema, properties: schema.properties };
}

function thingOf(document: OpenApiDocument) {
  const schema = document.components.schemas['Thing'];
  if (!schema?.properties) throw new Error('no component');
  return { schema, properties: schema.properties };
}

const breaking: [string, (document: OpenApiDocument) => void, string][] = [
  ['a removed route', (d) => void (d.paths = {}), 'the route is removed'],
  ['another operationId', (d) => void (operationOf(d).operationId = 'other'), 'operationId'],
  ['a removed status', (d) => void (operationOf(d).responses = {}), 'status 404 is removed'],
  ['a removed parameter', (d) => void operationOf(d).parameters.pop(), 'limit is removed'],
  [
    'a parameter that became required',
    (d) => operationOf(d).parameters.forEach((parameter) => void (parameter.required = true)),
    'limit is required now',
  ],
  [
    'a new required parameter',
    (d) => void operationOf(d).parameters.push({ name: 'x', in: 'query', required: true, schema: {} }),
    'x is required now',
  ],
  [
    'a parameter with a lower maximum',
    (d) =>
      void (operationOf(d).parameters[1] = {
        name: 'limit',
        in: 'query',
        required: false,
        schema: { type: 'integer', minimum: 1, maximum: 50 },
      }),
    'maximum went down',
  ],
  ['a removed body', (d) => void delete operationOf(d).requestBody, 'the body is removed'],
  ['a removed body field', (d) => void delete bodyOf(d).properties['name'], 'name: the field is removed'],
  [
    'a body field that became required',
    (d) => void (bodyOf(d).schema.required = ['name']),
    'name: the field is required now',
  ],
  [
    'a body field of another type',
    (d) => void (bodyOf(d).properties['name'] = { type: 'number' }),
    'type string became number',
  ],
  [
    'a shorter body field',
    (d) => void (bodyOf(d).properties['name'] = { type: 'string', maxLength: 5 }),
    'maxLength went down',
  ],
  [
    'a pattern for a body field',
    (d) => void (bodyOf(d).properties['name'] = { type: 'string', pattern: '^a' }),
    'the pattern changed',
  ],
  [
    'a value that is accepted no longer',
    (d) => void (bodyOf(d).properties['kind'] = { enum: ['a'] }),
    'b is no longer accepted',
  ],
  [
    'a null that is accepted no longer',
    (d) => void (bodyOf(d).properties['part'] = { type: 'string' }),
    '"null" is no longer accepted',
  ],
  [
    'a removed response field',
    (d) => void delete thingOf(d).properties['owner'],
    'owner: the field is removed',
  ],
  [
    'an answer field that is not always there',
    (d) => void (thingOf(d).schema.required = []),
    'id: the field is no longer always there',
  ],
  [
    'an answer field that may be null',
    (d) => void (thingOf(d).properties['id'] = { anyOf: [{ type: 'string' }, { type: 'null' }] }),
    '"null" is new among the answers',
  ],
  [
    'an answer field of another type',
    (d) => void (thingOf(d).properties['id'] = { type: 'integer' }),
    'type string became integer',
  ],
];

const harmless: [string, (document: OpenApiDocument) => void][] = [
  ['nothing', () => {}],
  ['a new route', (d) => void (d.paths['/other'] = {})],
  ['a new status', (d) => void (operationOf(d).responses['409'] = { description: '' })],
  [
    'a new optional parameter',
    (d) => void operationOf(d).parameters.push({ name: 'x', in: 'query', required: false, schema: {} }),
  ],
  ['a new optional body field', (d) => void (bodyOf(d).properties['extra'] = { type: 'string' })],
  ['a longer body field', (d) => void (bodyOf(d).properties['name'] = { type: 'string', maxLength: 20 })],
  [
    'a number where an integer was wanted',
    (d) => void (bodyOf(d).properties['name'] = { type: ['string', 'number'] }),
  ],
  ['one more accepted value', (d) => void (bodyOf(d).properties['kind'] = { enum: ['a', 'b', 'c'] })],
  ['a new answer field', (d) => void (thingOf(d).properties['extra'] = { type: 'string' })],
  [
    'an answer field that is never null now',
    (d) => void (thingOf(d).properties['owner'] = { type: 'string' }),
  ],
  [
    'an answer field with one of its former values alone',
    (d) => void (thingOf(d).properties['owner'] = { type: 'string', const: 'me' }),
  ],
  ['an answer field that is always there now', (d) => void (thingOf(d).schema.required = ['id', 'owner'])],
];

describe('a change of the API', () => {
  it.each(breaking)('breaks callers by %s', (_what, change, fault) => {
    expect(findBreakingChanges(documentWith(), documentWith(change)).join('\n')).toContain(fault);
  });

  it.each(harmless)('does not break callers by %s', (_what, change) => {
    expect(findBreakingChanges(documentWith(), documentWith(change))).toEqual([]);
  });

  it('that removes any route from the real table is found', () => {
    const document = createOpenApiDocument();
    expect(findBreakingChanges(document, document)).toEqual([]);
    for (const { method, path } of routes) {
      const { [method.toLowerCase()]: _gone, ...others } = document.paths[path] ?? {};
      const rest = { ...document, paths: { ...document.paths, [path]: others } };
      expect(findBreakingChanges(document, rest)).toEqual([`${method} ${path}: the route is removed`]);
    }
  });
});

import type { OpenApiDocument, OpenApiOperation, OpenApiParameter } from '../openapiDocument.js';

/** The parts of a Postman collection that this one has: https://schema.postman.com, version 2.1.0. */
interface Variable {
  key: string;
  value: string;
  description?: string;
  disabled?: boolean;
}
interface Request {
  method: string;
  header: Variable[];
  url: { raw: string; host: string[]; path: string[]; query: Variable[]; variable: Variable[] };
  body?: { mode: 'raw'; raw: string; options: { raw: { language: 'json' } } };
  auth?: { type: 'noauth' };
  description: string;
}
interface Item {
  name: string;
  request: Request;
  event?: { listen: 'test'; script: { type: 'text/javascript'; exec: string[] } }[];
  response: {
    name: string;
    originalRequest: Request;
    code: number;
    header: Variable[];
    _postman_previewlanguage: 'json';
    body: string;
  }[];
}
export interface PostmanCollection {
  info: { name: string; description: string; schema: string };
  auth: { type: 'bearer'; bearer: { key: 'token'; value: string; type: 'string' }[] };
  variable: Variable[];
  item: { name: string; description?: string; item: Item[] }[];
}

const SCHEMA = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const JSON_TYPE = 'application/json';
/** The collection sends the token that its last request for one returned. */
const KEEP_TOKEN = [
  'const { accessToken } = pm.response.json();',
  "if (accessToken) pm.collectionVariables.set('accessToken', accessToken);",
];

const textOf = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

function variableOf({ name, description, example, required, ...parameter }: OpenApiParameter): Variable {
  return {
    key: name,
    value: textOf(example),
    ...(description !== undefined && { description }),
    // An optional parameter without an example would be sent empty.
    ...(parameter.in !== 'path' && !required && example === undefined && { disabled: true }),
  };
}

function requestOf(method: string, path: string, operation: OpenApiOperation): Request {
  const within = (place: OpenApiParameter['in']) =>
    operation.parameters.filter((parameter) => parameter.in === place).map(variableOf);
  const segments = path.slice(1).replaceAll(/\{(\w+)\}/g, ':$1');
  const body = operation.requestBody?.content[JSON_TYPE]?.example;
  const type = { key: 'Content-Type', value: JSON_TYPE };
  return {
    method: method.toUpperCase(),
    header: [...(body === undefined ? [] : [type]), ...within('header')],
    url: {
      raw: `{{baseUrl}}/${segments}`,
      host: ['{{baseUrl}}'],
      path: segments.split('/'),
      query: within('query'),
      variable: within('path'),
    },
    ...(body !== undefined && {
      body: {
        mode: 'raw' as const,
        raw: JSON.stringify(body, null, 2),
        options: { raw: { language: 'json' as const } },
      },
    }),
    ...(operation.security && { auth: { type: 'noauth' as const } }),
    description: operation.description,
  };
}

function responsesOf(operation: OpenApiOperation, originalRequest: Request): Item['response'] {
  return Object.entries(operation.responses).flatMap(([status, response]) => {
    const example = 'content' in response ? response.content?.[JSON_TYPE]?.example : undefined;
    if (example === undefined) return [];
    return {
      name: 'description' in response ? response.description : status,
      originalRequest,
      code: Number(status),
      header: [{ key: 'Content-Type', value: JSON_TYPE }],
      _postman_previewlanguage: 'json' as const,
      body: JSON.stringify(example, null, 2),
    };
  });
}

function itemOf(method: string, path: string, operation: OpenApiOperation): Item {
  const request = requestOf(method, path, operation);
  return {
    name: operation.summary,
    request,
    ...(operation.operationId === 'issueToken' && {
      event: [{ listen: 'test' as const, script: { type: 'text/javascript' as const, exec: KEEP_TOKEN } }],
    }),
    response: responsesOf(operation, request),
  };
}

/** Writes the requests of an OpenAPI document, by tag, as a collection of Postman. */
export function createPostmanCollection(document: OpenApiDocument): PostmanCollection {
  const items = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      tag: operation.tags[0],
      item: itemOf(method, path, operation),
    })),
  );
  const { title, description } = document.info;
  return {
    info: { name: title, description, schema: SCHEMA },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{accessToken}}', type: 'string' }] },
    variable: [
      { key: 'baseUrl', value: 'http://127.0.0.1:8080' },
      { key: 'accessToken', value: '' },
    ],
    item: document.tags.map((tag) => ({
      name: tag.name,
      ...(tag.description !== undefined && { description: tag.description }),
      item: items.filter(({ tag: own }) => own === tag.name).map(({ item }) => item),
    })),
  };
}

import { z } from 'zod';
import { ERROR_MESSAGE, ERROR_STATUS, type ErrorCode } from '../errors.js';
import { findProcedure } from '../services/index.js';
import { ERROR_BODIES, ProblemBody } from './errorBodies.js';
import { routes } from './index.js';
import type {
  Content,
  JsonSchema,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
  OpenApiResponse,
} from './openapiDocument.js';
import { pagedAnswerOf, pagedLineOf } from './pages.js';
import {
  COMMON_ERRORS,
  hasEntityTag,
  inputFieldsOf,
  pathParameters,
  type Route,
  type RouteArea,
  type RouteTokens,
} from './route.js';
import { SchemaWriter } from './schemaWriter.js';

const INFO: OpenApiDocument['info'] = {
  title: 'Gatehouse Management API',
  version: '0.1.0',
  description:
    'Controls who may see, change and share the dashboards and visuals of an analytics platform. ' +
    'Within v1, changes only add: ignore fields that you do not know.',
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const TOKENS_ACCEPTED: Record<RouteTokens, string> = {
  none: 'Takes no access token.',
  project: 'Takes a project token.',
  projectOrOwnDashboard: 'Takes a project token, or the token of the dashboard that the path names.',
  any: 'Takes a project or a dashboard token.',
};

const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

const ERROR_BODY_NAMES: Record<RouteArea, string> = {
  management: 'ManagementError',
  service: 'ManagementError',
  tenantUsers: 'TenantUserError',
  token: 'TokenError',
  domains: 'DomainError',
  security: 'SecurityError',
  validation: 'ValidationError',
  migration: 'MigrationError',
};

const LINES =
  'One JSON object per line: each result as it is found, regular progress, and the summary at the end. ' +
  'A stream without a summary is incomplete; one that fails ends with the error.';

const ETAG_HEADER = {
  ETag: { description: 'The strong entity tag of the response', schema: { type: 'string' } as JsonSchema },
};
const LOCATION_HEADER = {
  Location: { description: 'The path of the new record', schema: { type: 'string' } as JsonSchema },
};
const header = (
  name: string,
  description: string,
  schema: JsonSchema = { type: 'string' },
): OpenApiParameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});
const IF_MATCH = header(
  'If-Match',
  'Entity tags; when none of them is current, nothing is changed and the answer is 412',
);
const IF_NONE_MATCH = header('If-None-Match', 'Entity tags; when one of them is current, the answer is 304');
const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Repeating a request with the same key within 24 hours answers the first answer again',
  { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
);

const reference = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

function errorResponse(area: RouteArea, description: string): OpenApiResponse {
  return {
    description,
    content: {
      'application/json': { schema: reference(ERROR_BODY_NAMES[area]) },
      'application/problem+json': { schema: reference('Problem') },
    },
  };
}

/**
 * The error responses that routes share: one for each form and code, and one for the errors of every route.
 */
function writeErrorResponses(): Record<string, OpenApiResponse> {
  const areas = Object.keys(ERROR_BODY_NAMES) as RouteArea[];
  const responses: Record<string, OpenApiResponse> = {};
  for (const area of areas) {
    const form = ERROR_BODY_NAMES[area];
    for (const code of ERROR_CODES)
      responses[`${form}.${code}`] = errorResponse(area, `${code}: ${ERROR_MESSAGE[code]}`);
    responses[`${form}.other`] = errorResponse(
      area,
      'Errors of every route: the request took too long to arrive (408), the body is too large (413) or not ' +
        'JSON (415), too many requests (429), headers that are too large (431), an internal error (500), ' +
        'or a part that is down or overloaded (503)',
    );
  }
  return responses;
}

function writeErrorCodes(): OpenApiDocument['x-errorCodes'] {
  const entries = ERROR_CODES.map(
    (code) => [code, { status: ERROR_STATUS[code], message: ERROR_MESSAGE[code] }] as const,
  );
  return Object.fromEntries(entries) as OpenApiDocument['x-errorCodes'];
}

/** The success response: for a route with pages, all pages as one, and the same line by line. */
function writeContent(route: Route, writer: SchemaWriter): Content {
  const write = (schema: z.ZodType) => writer.write(schema, 'output');
  if (!route.pages) return { 'application/json': { schema: write(findProcedure(route.procedure).output) } };
  return {
    'application/json': { schema: write(pagedAnswerOf(route)) },
    'application/x-ndjson': { schema: { description: LINES, ...write(pagedLineOf(route, route.pages)) } },
  };
}

function writeResponses(route: Route, writer: SchemaWriter): OpenApiOperation['responses'] {
  const { method, success, area, errors } = route;
  const hasTag = hasEntityTag(route);
  const headers = [...(hasTag ? [ETAG_HEADER] : []), ...(success === 201 ? [LOCATION_HEADER] : [])];
  const shared = (name: string) => ({ $ref: `#/components/responses/${ERROR_BODY_NAMES[area]}.${name}` });
  const refusals = errors.map((code) => [ERROR_STATUS[code], shared(code)] as const);
  return {
    [success]: {
      description: success === 201 ? 'Created' : 'Success',
      ...(headers.length > 0 && { headers: Object.assign({}, ...headers) as OpenApiResponse['headers'] }),
      content: writeContent(route, writer),
    },
    ...(hasTag &&
      method === 'GET' && { 304: { description: 'If-None-Match names the entity tag of the response' } }),
    ...Object.fromEntries(refusals),
    default: shared('other'),
  };
}

function writeParameters(route: Route, input: JsonSchema): OpenApiParameter[] {
  const parameter = (name: string, place: 'path' | 'query'): OpenApiParameter => {
    const schema = input.properties?.[name] as JsonSchema;
    const required = place === 'path' || (input.required ?? []).includes(name);
    return { name, in: place, required, ...(schema.deprecated === true && { deprecated: true }), schema };
  };
  const isChange = route.method !== 'GET' && route.method !== 'POST';
  return [
    ...pathParameters(route.path).map((name) => parameter(name, 'path')),
    ...route.query.map((name) => parameter(name, 'query')),
    ...(route.method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ...(isChange ? [IF_MATCH] : []),
    ...(route.method === 'GET' && hasEntityTag(route) ? [IF_NONE_MATCH] : []),
  ];
}

function writeRequestBody(route: Route, input: JsonSchema): OpenApiOperation['requestBody'] {
  const { body } = inputFieldsOf(route);
  const properties = Object.entries(input.properties ?? {}).filter(([name]) => body.includes(name));
  if (properties.length === 0) return undefined;
  const required = (input.required ?? []).filter((name) => body.includes(name));
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  return {
    required: required.length > 0,
    content: {
      'application/json': { schema },
      ...(route.method === 'PATCH' && { 'application/merge-patch+json': { schema } }),
    },
  };
}

function writeOperation(route: Route, writer: SchemaWriter): OpenApiOperation {
  const input = writer.write(findProcedure(route.procedure).input, 'input');
  const requestBody = writeRequestBody(route, input);
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: TOKENS_ACCEPTED[route.tokens],
    tags: [route.tag],
    ...(route.deprecated && { deprecated: true as const }),
    ...(route.tokens === 'none' && { security: [] }),
    parameters: writeParameters(route, input),
    ...(requestBody && { requestBody }),
    responses: writeResponses(route, writer),
    'x-errorCodes': [...route.errors, ...COMMON_ERRORS],
  };
}

/** Writes the OpenAPI 3.1 document of a route table: the same table always gives the same document. */
export function createOpenApiDocument(table: readonly Route[] = routes): OpenApiDocument {
  const writer = new SchemaWriter();
  const paths: OpenApiDocument['paths'] = {};
  for (const route of table) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = writeOperation(route, writer);
  }
  for (const body of [...new Set(Object.values(ERROR_BODIES)), ProblemBody])
    writer.write(z.array(body), 'output');
  const schemas = Object.entries(writer.components).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/' }],
    tags: [...new Set(table.map(({ tag }) => tag))].map((name) => ({ name })),
    security: [{ accessToken: [] }],
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      responses: writeErrorResponses(),
      securitySchemes: { accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } },
    },
    'x-errorCodes': writeErrorCodes(),
  };
}

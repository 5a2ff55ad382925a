import { z } from 'zod';
import { CODE_ALIASES, ERROR_CATALOGUE } from '../errorCatalogue.js';
import { ERROR_MESSAGE, ERROR_STATUS, type ErrorCode } from '../errors.js';
import { findProcedure } from '../services/index.js';
import { deprecationOf } from './deprecation.js';
import { withConditions } from './document/conditions.js';
import {
  describeComponents,
  describeOperation,
  describeParameter,
  describeTags,
} from './document/describe.js';
import { keepUsed } from './document/joinComponents.js';
import { pascalCase } from './document/nameParts.js';
import { ErrorResponses, headersOf, NOT_MODIFIED, successHeaders } from './document/responses.js';
import { sampleInputOf, type SampleInput } from './document/sampleInput.js';
import { writeSamples } from './document/samples.js';
import { ERROR_BODIES, ProblemBody } from './errorBodies.js';
import { examples, type Example } from './examples/index.js';
import recorded from './examples/recorded.json' with { type: 'json' };
import { writeFurtherExamples } from './document/operationExamples.js';
import { routes } from './index.js';
import type {
  Content,
  JsonSchema,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
} from './openapiDocument.js';
import { pagedAnswerOf, pagedLineOf } from './pages.js';
import { IDEMPOTENCY_KEY, IF_MATCH, IF_NONE_MATCH, OPTIONS } from './document/parameters.js';
import { COMMON_ERRORS, hasEntityTag, inputFieldsOf, pathParameters, type Route } from './route.js';
import { SchemaWriter } from './schemaWriter.js';

const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

/** The catalogue of errors, as readers of the document see it. */
function describeErrors(): string {
  const lines = ERROR_CODES.map((code) => {
    const { cause, fix } = ERROR_CATALOGUE[code];
    return `- \`${code}\` (${ERROR_STATUS[code]}): ${cause} ${fix}`;
  });
  const aliases = Object.entries(CODE_ALIASES).map(
    ([alias, { code, area }]) => `- \`${alias}\`: the same as \`${code}\`, in the area of ${area}.`,
  );
  return ['## Error codes', '', ...lines, ...aliases].join('\n');
}

const INFO: OpenApiDocument['info'] = {
  title: 'Gatehouse Management API',
  version: '0.1.0',
  description: [
    'Controls who may see, change and share the dashboards and visuals of an analytics platform.',
    'Within v1, changes only add: ignore fields that you do not know.',
    '',
    describeErrors(),
  ].join('\n'),
  contact: { name: 'Gatehouse' },
  license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
};

const ACCESS_TOKEN = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'An access token of `POST /api/v1/token`, for a project or for a dashboard',
};

const LINES =
  'One JSON object per line: each result as it is found, regular progress, and the summary at the end. ' +
  'A stream without a summary is incomplete; one that fails ends with the error.';

function writeErrorCodes(): OpenApiDocument['x-errorCodes'] {
  const entries = ERROR_CODES.map(
    (code) =>
      [code, { status: ERROR_STATUS[code], message: ERROR_MESSAGE[code], ...ERROR_CATALOGUE[code] }] as const,
  );
  return Object.fromEntries(entries) as OpenApiDocument['x-errorCodes'];
}

/** The beginning of the names of a route's own components. An update has the same under PUT. */
function typeNameOf({ operationId }: Route): string {
  return pascalCase(operationId.replace(/ByPut$/, ''));
}

/** The success response: for a route with pages, all pages as one, and the same line by line. */
function writeContent(route: Route, writer: SchemaWriter): Content {
  const example = (recorded as Readonly<Record<string, unknown>>)[route.operationId];
  const shown = example === undefined ? {} : { example };
  const name = typeNameOf(route);
  const write = (schema: z.ZodType, suffix: string) =>
    writer.name(writer.write(schema, 'output', name + suffix), 'output', name + suffix);
  if (!route.pages)
    return {
      'application/json': { schema: write(findProcedure(route.procedure).output, 'Response'), ...shown },
    };
  return {
    'application/json': { schema: write(pagedAnswerOf(route), 'Response'), ...shown },
    'application/x-ndjson': {
      schema: { description: LINES, ...write(pagedLineOf(route, route.pages), 'Line') },
    },
  };
}

/** Whether a route or a field of its input is deprecated. */
function isDeprecated({ deprecated, procedure }: Route): boolean {
  const fields = Object.values(findProcedure(procedure).input.shape);
  return deprecated !== undefined || fields.some((field) => deprecationOf(field) !== null);
}

interface Writers {
  writer: SchemaWriter;
  errors: ErrorResponses;
}

function writeResponses(route: Route, { writer, errors }: Writers): OpenApiOperation['responses'] {
  const { method, success } = route;
  return {
    [success]: {
      description: success === 201 ? 'Created' : 'Success',
      headers: successHeaders(route, isDeprecated(route)),
      content: writeContent(route, writer),
    },
    ...(method === 'GET' && hasEntityTag(route) && { 304: NOT_MODIFIED }),
    ...errors.of(route),
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
    ...route.options.map((name) => OPTIONS[name]),
    ...(route.method === 'POST' ? [IDEMPOTENCY_KEY] : []),
    ...(isChange ? [IF_MATCH] : []),
    ...(route.method === 'GET' && hasEntityTag(route) ? [IF_NONE_MATCH] : []),
  ];
}

function writeRequestBody(
  route: Route,
  input: JsonSchema,
  writer: SchemaWriter,
): OpenApiOperation['requestBody'] {
  const { body } = inputFieldsOf(route);
  const properties = Object.entries(input.properties ?? {}).filter(([name]) => body.includes(name));
  if (properties.length === 0) return undefined;
  const required = (input.required ?? []).filter((name) => body.includes(name));
  const content: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
  const schema = writer.name(content, 'input', `${typeNameOf(route)}Request`);
  return {
    required: required.length > 0,
    content: {
      'application/json': { schema },
      ...(route.method === 'PATCH' && { 'application/merge-patch+json': { schema } }),
    },
  };
}

/** The example of a route; undefined for a route that is not in the table of the contract. */
function findExample(route: Route): SampleInput | undefined {
  const example = (examples as Readonly<Record<string, Example>>)[route.operationId];
  return example && sampleInputOf(route, example);
}

function writeOperation(route: Route, writers: Writers): OpenApiOperation {
  const { writer } = writers;
  const input = writer.write(findProcedure(route.procedure).input, 'input', `${typeNameOf(route)}Request`);
  const requestBody = writeRequestBody(route, input, writer);
  const sample = findExample(route);
  if (requestBody && sample?.body) {
    for (const content of Object.values(requestBody.content)) content.example = sample.body;
  }
  const parameters = writeParameters(route, input).map((parameter) => {
    const described = describeParameter(`${typeNameOf(route)}Request`, route.path, parameter);
    const example = sample?.parameters[parameter.name];
    return example === undefined ? described : { ...described, example };
  });
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: describeOperation(route),
    tags: [route.tag],
    ...(route.deprecated && { deprecated: true as const }),
    ...(route.tokens === 'none' && { security: [] }),
    parameters,
    ...(requestBody && { requestBody }),
    responses: writeResponses(route, writers),
    'x-access': route.access,
    ...(sample && {
      'x-codeSamples': writeSamples(route, sample),
      'x-examples': writeFurtherExamples(route),
    }),
    'x-errorCodes': [...route.errors, ...COMMON_ERRORS],
  };
}

function writePaths(table: readonly Route[], writers: Writers): OpenApiDocument['paths'] {
  const paths: OpenApiDocument['paths'] = {};
  const procedures = table.map(({ procedure }) => findProcedure(procedure));
  writers.writer.prepare(
    procedures.map(({ input }) => input),
    'input',
  );
  writers.writer.prepare(
    procedures.map(({ output }) => output),
    'output',
  );
  for (const route of table) {
    const operations = (paths[route.path] ??= {});
    operations[route.method.toLowerCase()] = writeOperation(route, writers);
  }
  for (const body of [...new Set(Object.values(ERROR_BODIES)), ProblemBody])
    writers.writer.write(z.array(body), 'output', 'Errors');
  return paths;
}

/** Points the references of requests at the components that requests have. */
function joinPaths(paths: OpenApiDocument['paths'], forRequest: <T>(part: T) => T): OpenApiDocument['paths'] {
  const entries = Object.entries(paths).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, operation]) => {
      const { parameters, requestBody } = operation;
      const request = forRequest({ parameters, ...(requestBody && { requestBody }) });
      return [method, { ...operation, ...request }] as const;
    });
    return [path, Object.fromEntries(operations)] as const;
  });
  return Object.fromEntries(entries);
}

/** Writes the OpenAPI 3.1 document of a route table: the same table always gives the same document. */
export function createOpenApiDocument(table: readonly Route[] = routes): OpenApiDocument {
  const writers = { writer: new SchemaWriter(), errors: new ErrorResponses() };
  const written = writePaths(table, writers);
  const { components, forRequest } = writers.writer.join();
  const paths = joinPaths(written, forRequest);
  const responses = Object.fromEntries(
    Object.entries(writers.errors.components).toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
  const used = Object.entries(keepUsed(components, [paths, responses]));
  const schemas = used.map(([name, schema]) => [name, withConditions(name, schema)] as const);
  return {
    openapi: '3.1.0',
    info: INFO,
    servers: [{ url: '/', description: 'The server of this document' }],
    tags: describeTags(table),
    security: [{ accessToken: [] }],
    paths,
    components: {
      schemas: describeComponents(Object.fromEntries(schemas)),
      responses,
      headers: headersOf(table.some(isDeprecated)),
      securitySchemes: { accessToken: ACCESS_TOKEN },
    },
    'x-errorCodes': writeErrorCodes(),
  };
}

/** Writes the generated sources of the client, from the route table and its OpenAPI document. */
import { ERROR_STATUS, MIGRATION_CODES, routes, SECURITY_CODES } from '@gatehouse/contract';
import { commentsOf, findBodies, operationOf, writeOperations } from './operations.mjs';
import { writeNamed } from './types.mjs';

/** @typedef {import('@gatehouse/contract').OpenApiDocument} Document */

const HEAD = '// Written by `npm run openapi`.\n';

/** The components that the types refer to: all but bodies of requests, and what only errors have. */
function findUsed(/** @type {Document} */ document) {
  const { schemas } = document.components;
  const bodies = findBodies(document);
  /** @type {Set<string>} */
  const used = new Set();
  const visit = (/** @type {unknown} */ part) => {
    for (const [, name = ''] of JSON.stringify(part).matchAll(/#\/components\/schemas\/(\w+)/g)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(schemas[name]);
    }
  };
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  for (const { parameters, responses } of operations)
    visit([parameters, responses[200] ?? [], responses[201] ?? []]);
  for (const name of bodies) visit(schemas[name]);
  for (const name of ['ErrorCode', 'FieldError', 'BlockingRecord'])
    visit({ $ref: `#/components/schemas/${name}` });
  return [...used].filter((name) => !bodies.has(name)).toSorted();
}

/** @param {Document} document */
function writeRecords(document) {
  const comments = commentsOf(document, routes);
  const types = findUsed(document).map((name) => {
    const schema = document.components.schemas[name];
    if (!schema) throw new Error(`${name} is not in the document`);
    return writeNamed(name, schema, comments.get(name) ?? []);
  });
  return [HEAD, ...types].join('\n');
}

/**
 * Only what a request needs.
 * @param {Document} document
 */
function writeRouteTable(document) {
  const lines = routes.map((route) => {
    const { operationId, method, path, area, tokens, pages } = route;
    // With the parameters that the document adds to those of the procedure.
    const { parameters } = operationOf(document, route);
    const query = parameters.filter((one) => one.in === 'query').map(({ name }) => name);
    const fields = [
      `method: '${method}'`,
      `path: '${path}'`,
      ...(query.length > 0 ? [`query: ${JSON.stringify(query)}`] : []),
      ...(area === 'management' ? [] : [`area: '${area}'`]),
      ...(tokens === 'none' ? ['isPublic: true'] : []),
      ...(pages ? ['isStreamed: true'] : []),
    ];
    return `${operationId}: { ${fields.join(', ')} },\n`;
  });
  const areas = [...new Set(routes.map(({ area }) => area))].toSorted();
  const aliases = [SECURITY_CODES, MIGRATION_CODES].flatMap((names) =>
    Object.entries(names).map(([code, name]) => [name, code]),
  );
  return `${HEAD}
import type { ErrorCode } from './records.js';

/** The areas of the API. */
export type RouteArea = ${areas.map((area) => `'${area}'`).join(' | ')};

/** The parts of a route that a request needs. */
export interface RouteLine {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  /** The fields of the input in the query; those that are neither here nor in the path are in the body. */
  query?: readonly string[];
  /** \`management\` if absent. */
  area?: RouteArea;
  /** Takes no access token. */
  isPublic?: true;
  /** The response may be read line by line. */
  isStreamed?: true;
}

/** Where each operation sends its input, by its name. */
export const ROUTES: Readonly<Record<string, RouteLine>> = {\n${lines.join('')}};

/** The status of each code of errors. */
export const ERROR_STATUS: Readonly<Record<ErrorCode, number>> = ${JSON.stringify(ERROR_STATUS)};

/** The names that only one area has for a code. */
export const CODE_ALIASES: Readonly<Record<string, ErrorCode>> = ${JSON.stringify(Object.fromEntries(aliases))};
`;
}

/** @param {Document} document */
function writeOperationFile(document) {
  const { inputs, methods, lines } = writeOperations(document, routes);
  const code = `${inputs}${methods}${lines}`.replaceAll(/\/\*\*.*?\*\//gs, '');
  const names = findUsed(document).filter((name) => new RegExp(`\\b${name}\\b`).test(code));
  return `${HEAD}
import type { CallOptions } from '../requests.js';
import type { ${names.join(', ')} } from './records.js';

${inputs}
/** The operations of the REST API. */
export interface Operations {
${methods}}

/** The lines of the operations that respond line by line. */
export interface StreamLines {
${lines}}
`;
}

/**
 * The sources by their names in `packages/client/src/generated`.
 * @param {Document} document
 * @returns {Record<string, string>}
 */
export function writeClientFiles(document) {
  return {
    'records.ts': writeRecords(document),
    'operations.ts': writeOperationFile(document),
    'routes.ts': writeRouteTable(document),
  };
}

/** Writes the operations of the client: a method with its documentation, an input and a response for each. */
import { COMMON_ERRORS, ERROR_STATUS } from '@gatehouse/contract';
import { fieldsOf, writeComment, writeObject } from './types.mjs';

/**
 * @typedef {import('@gatehouse/contract').OpenApiDocument} Document
 * @typedef {import('@gatehouse/contract').OpenApiOperation} Operation
 * @typedef {import('@gatehouse/contract').Route} Route
 * @typedef {import('@gatehouse/contract').JsonSchema} Schema
 * @typedef {import('./types.mjs').Field} Field
 */

/** @param {Document} document @param {Route} route @returns {Operation} */
export function operationOf({ paths }, { path, method, operationId }) {
  const operation = paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${operationId} is not in the document`);
  return operation;
}

/** @param {string} name */
const pascalCase = (name) => name.slice(0, 1).toUpperCase() + name.slice(1);
/** Updates by PATCH and by PUT have the same types. @param {Route} route */
const typeNameOf = ({ operationId }) => pascalCase(operationId.replace(/ByPut$/, ''));
/** @param {string} reference */
const nameOf = (reference) => reference.replace('#/components/schemas/', '');

/** The component of a request's body, if the operation has a body. @param {Operation} operation */
function bodyOf({ requestBody }) {
  const reference = requestBody?.content['application/json']?.schema.$ref;
  return reference === undefined ? undefined : nameOf(reference);
}

/**
 * The fields of path, query and body.
 * @param {Document} document
 * @param {Operation} operation
 * @returns {Field[]}
 */
function inputFieldsOf({ components }, operation) {
  const parameters = operation.parameters
    .filter((parameter) => parameter.in !== 'header')
    .map(({ name, required, schema, description }) => {
      const described = { ...schema, ...(description !== undefined && { description }) };
      return { name, schema: described, isRequired: required };
    });
  const body = bodyOf(operation);
  return [...parameters, ...fieldsOf((body === undefined ? undefined : components.schemas[body]) ?? {})];
}

/** @param {Route} route @param {Operation} operation */
function commentOf({ method, path, errors, deprecated }, { summary, description }) {
  const codes = errors
    .filter((code) => !COMMON_ERRORS.includes(code))
    .toSorted((first, second) => ERROR_STATUS[first] - ERROR_STATUS[second])
    .map((code) => `\`${code}\` (${ERROR_STATUS[code]})`);
  return [
    `${summary}.`,
    '',
    `\`${method} ${path}\``,
    '',
    ...description.split('\n').map((line) => `- ${line}`),
    `- Error codes, beside those of every operation: ${codes.length > 0 ? codes.join(', ') : 'none'}.`,
    ...(deprecated ? ['', `@deprecated since ${deprecated.since}; it ends on ${deprecated.sunset}.`] : []),
  ];
}

/** @param {Operation} operation @param {string} media */
function responseOf({ responses }, media) {
  const response = responses[200] ?? responses[201];
  const schema = response && 'content' in response ? response.content?.[media]?.schema : undefined;
  const reference = schema?.$ref ?? schema?.oneOf?.[0]?.$ref;
  return reference === undefined ? undefined : nameOf(reference);
}

/**
 * The types of inputs, the interface with the operations, and the lines of those that have them.
 * @param {Document} document
 * @param {readonly Route[]} routes
 */
export function writeOperations(document, routes) {
  /** @type {Map<string, string>} */
  const inputs = new Map();
  /** @type {string[]} */
  const methods = [];
  /** @type {string[]} */
  const lines = [];
  for (const route of routes) {
    const operation = operationOf(document, route);
    const fields = inputFieldsOf(document, operation);
    const input = `${typeNameOf(route)}Input`;
    const comment = commentOf(route, operation);
    if (document.components.schemas[input]) throw new Error(`${input} is the name of a component`);
    const type = fields.length === 0 ? 'Record<string, never>' : writeObject(fields);
    inputs.set(input, `/** The input of \`${route.operationId}\`. */\nexport type ${input} = ${type};\n`);
    const isOptional = !fields.some(({ isRequired }) => isRequired);
    const given = `input${isOptional ? '?' : ''}: ${input}, options?: CallOptions`;
    const response = responseOf(operation, 'application/json');
    const method = `${route.operationId}: (${given}) => Promise<${response}>;\n`;
    methods.push(writeComment(comment) + method);
    const line = responseOf(operation, 'application/x-ndjson');
    if (line !== undefined) lines.push(`${writeComment(comment)}${route.operationId}: ${line};\n`);
  }
  return { inputs: [...inputs.values()].join('\n'), methods: methods.join(''), lines: lines.join('') };
}

/**
 * What a component is, by the operation that it belongs to; empty for one that several operations share.
 * @param {Document} document
 * @param {readonly Route[]} routes
 * @returns {Map<string, string[]>}
 */
export function commentsOf(document, routes) {
  /** @type {Map<string, string[]>} */
  const comments = new Map();
  for (const route of routes) {
    const operation = operationOf(document, route);
    const response = responseOf(operation, 'application/json');
    const line = responseOf(operation, 'application/x-ndjson');
    const { operationId } = route;
    if (response !== undefined && !comments.has(response))
      comments.set(response, [`The response of \`${operationId}\`.`]);
    if (line !== undefined) comments.set(line, [`A line of the response of \`${operationId}\`.`]);
  }
  return comments;
}

/**
 * The components that are bodies of requests: the types of inputs take their place.
 * @param {Document} document
 */
export function findBodies(document) {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  return new Set(operations.map(bodyOf).filter((name) => name !== undefined));
}

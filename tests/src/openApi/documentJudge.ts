import type { OpenApiDocument, OpenApiOperation, Route } from '@gatehouse/contract';
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { wireCodeOf } from './wireErrors.js';

const ROOT = 'https://gatehouse.test/openapi.json';

/** A response, its body as text. */
export interface TextAnswer {
  status: number;
  headers: Headers;
  text: string;
}

const pointerOf = (...segments: string[]) =>
  segments
    .map((segment) => `/${encodeURIComponent(segment.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
    .join('');

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const describe = (errors: readonly ErrorObject[] | null | undefined) =>
  (errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`).join('; ');

/** Compares requests and responses with an OpenAPI document. */
export class DocumentJudge {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #document: OpenApiDocument;

  constructor(document: OpenApiDocument) {
    this.#document = document;
    addFormats.default(this.#ajv);
    this.#ajv.addSchema(document, ROOT);
  }

  operationOf({ path, method }: Route): OpenApiOperation {
    const operation = this.#document.paths[path]?.[method.toLowerCase()];
    if (!operation) throw new Error(`The document has no ${method} ${path}`);
    return operation;
  }

  /** Whether a value fits a component. */
  isValid(component: string, value: unknown): boolean {
    return this.#validator(pointerOf('components', 'schemas', component))(value);
  }

  /** Why the document does not allow an input, as a sentence; null if it does. */
  judgeInput(route: Route, input: Readonly<Record<string, unknown>>): string | null {
    const { parameters, requestBody } = this.operationOf(route);
    const place = ['paths', route.path, route.method.toLowerCase()];
    const named = new Set<string>();
    for (const [index, { name, in: where, required }] of parameters.entries()) {
      if (where === 'header') continue;
      named.add(name);
      const value = input[name];
      if (value === undefined && required) return `${name} is missing`;
      const validate = this.#validator(pointerOf(...place, 'parameters', String(index), 'schema'));
      if (value !== undefined && !validate(value)) return `${name} ${describe(validate.errors)}`;
    }
    const body = Object.fromEntries(
      Object.entries(input).filter(([name, value]) => !named.has(name) && value !== undefined),
    );
    if (!requestBody) return Object.keys(body).length > 0 ? 'there is no body' : null;
    const validate = this.#validator(
      pointerOf(...place, 'requestBody', 'content', 'application/json', 'schema'),
    );
    return validate(body) ? null : describe(validate.errors);
  }

  /** The fault of a response: an undeclared status, code or header, or another form. Null for none. */
  judgeAnswer(route: Route, { status, headers, text }: TextAnswer): string | null {
    const place = ['paths', route.path, route.method.toLowerCase(), 'responses', String(status)];
    let response = this.operationOf(route).responses[status];
    if (!response) return `status ${status} is not declared: ${text}`;
    if ('$ref' in response) {
      const name = response.$ref.slice(response.$ref.lastIndexOf('/') + 1);
      place.splice(0, place.length, 'components', 'responses', name);
      response = this.#document.components.responses[name];
    }
    const undeclared = ['etag', 'location', 'retry-after', 'ratelimit', 'deprecation', 'sunset'].filter(
      (name) =>
        headers.has(name) && !Object.keys(response?.headers ?? {}).some((one) => one.toLowerCase() === name),
    );
    if (undeclared.length > 0) return `${status} has undeclared headers: ${undeclared.join(', ')}`;
    if (status === 304) return null;
    const type = headers.get('content-type') ?? '';
    if (!response?.content?.[type]) return `${status} has the undeclared type ${type}`;
    const validate = this.#validator(pointerOf(...place, 'content', type, 'schema'));
    const body = parse(text);
    if (!validate(body)) return `${status} has another form: ${describe(validate.errors)}: ${text}`;
    if (status < 400) return null;
    const code = wireCodeOf(body);
    // The form of the token area has none.
    if (code === undefined || response['x-errorCodes']?.includes(code)) return null;
    return `${status} has the undeclared code ${code}`;
  }

  #validator(pointer: string): ValidateFunction {
    const validate = this.#ajv.getSchema(`${ROOT}#${pointer}`);
    if (!validate) throw new Error(`The document has no ${pointer}`);
    return validate;
  }
}

import { AppError, invalidField, type FieldError } from '@gatehouse/contract';
import type { Endpoint, QueryType } from './endpoint.js';

/** The parts of a request that make an operation's input. */
export interface InputParts {
  /** Percent-encoded, in the order of the path. */
  pathValues: readonly string[];
  /** What follows the question mark; empty where there is none. */
  query: string;
  body: Record<string, unknown>;
}

const NUMBER = /^-?\d+(\.\d+)?$/;

/** Decodes percent-encoding. Throws INVALID_REQUEST naming the field where it is malformed or no UTF-8. */
function decode(field: string, encoded: string): string {
  if (!encoded.includes('%')) return encoded;
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw invalidField(field, 'is not valid percent-encoded UTF-8');
  }
}

/** Text that does not look like its type stays text, so that the schema refuses it by its own rule. */
function coerce(text: string, type: QueryType): unknown {
  if (type === 'number' && NUMBER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function readQuery(endpoint: Endpoint, query: string, input: Record<string, unknown>): void {
  const faults: FieldError[] = [];
  const seen = new Set<string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const encodedName = equals < 0 ? pair : pair.slice(0, equals);
    const name = decode('query', encodedName.replaceAll('+', ' '));
    const type = endpoint.queryTypes.get(name);
    if (type === undefined) faults.push({ field: name, message: 'is not a known query parameter' });
    else if (seen.has(name)) faults.push({ field: name, message: 'is given more than once' });
    else {
      seen.add(name);
      input[name] = coerce(decode(name, pair.slice(encodedName.length + 1).replaceAll('+', ' ')), type);
    }
  }
  if (faults.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors: faults });
}

/** A body sets only what belongs in a body; what no schema knows is refused later, by the operation's schema. */
function checkBodyFields(endpoint: Endpoint, body: Record<string, unknown>): void {
  const faults = [...endpoint.outsideBody].flatMap(([field, message]): FieldError[] =>
    Object.hasOwn(body, field) ? [{ field, message }] : [],
  );
  if (faults.length > 0) throw new AppError('INVALID_REQUEST', { fieldErrors: faults });
}

/**
 * Makes an operation's input of path, query and body. Throws INVALID_REQUEST naming every query parameter that is unknown
 * or given twice, and every body field that belongs elsewhere.
 */
export function readInput(endpoint: Endpoint, parts: InputParts): Record<string, unknown> {
  const { pathValues, query, body } = parts;
  checkBodyFields(endpoint, body);
  const input: Record<string, unknown> = { ...body };
  endpoint.pathFields.forEach((field, index) => {
    input[field] = decode(field, pathValues[index] ?? '');
  });
  if (query !== '') readQuery(endpoint, query, input);
  return input;
}

import type { JsonSchema } from '@gatehouse/contract';
import { isOpen, successOf, type Operation, type Reference } from './operations.js';
import { collectFields } from './schemas.js';

/** Something that can be found. */
export interface Entry {
  /** Where it is shown, as a fragment without its `#`. */
  target: string;
  title: string;
  detail: string;
}

/** An entry with the words that it is found by, the best first. */
interface IndexedEntry extends Entry {
  names: string;
  text: string;
  fields: ReadonlySet<string>;
}

const POINTS = { name: 12, nameWithin: 8, text: 5, field: 3, fieldWithin: 1 };

function schemasOf(operation: Operation): JsonSchema[] {
  const success = successOf(operation)?.response.content ?? {};
  const contents = [...Object.values(operation.requestBody?.content ?? {}), ...Object.values(success)];
  return contents.map(({ schema }) => schema);
}

function indexOperation(reference: Reference, operation: Operation): IndexedEntry {
  const { operationId, summary, method, path, tags, parameters } = operation;
  const fields = new Set(parameters.map(({ name }) => name));
  for (const schema of schemasOf(operation)) collectFields(reference, schema, fields);
  for (const code of operation['x-errorCodes']) fields.add(code);
  return {
    target: operationId,
    title: `${method} ${path}`,
    detail: summary,
    names: `${operationId} ${method} ${path}`.toLowerCase(),
    text: `${summary} ${tags.join(' ')} ${isOpen(operation) ? 'no token' : ''}`.toLowerCase(),
    fields: new Set([...fields].map((field) => field.toLowerCase())),
  };
}

/** Everything that can be found: routes, records and error codes. */
export function createIndex(reference: Reference): IndexedEntry[] {
  const { components, 'x-errorCodes': codes } = reference.document;
  const records = Object.entries(components.schemas).map(([name, schema]) => ({
    target: `schema-${name}`,
    title: name,
    detail: 'Record',
    names: name.toLowerCase(),
    text: 'record',
    fields: new Set([...collectFields(reference, schema, new Set())].map((field) => field.toLowerCase())),
  }));
  const errors = Object.entries(codes).map(([code, { status, message }]) => ({
    target: `error-${code}`,
    title: code,
    detail: `${status} ${message}`,
    names: `${code} ${status}`.toLowerCase(),
    text: `${message} error`.toLowerCase(),
    fields: new Set<string>(),
  }));
  return [
    ...reference.operations.map((operation) => indexOperation(reference, operation)),
    ...errors,
    ...records,
  ];
}

function pointsFor({ names, text, fields }: IndexedEntry, word: string): number {
  const place = names.indexOf(word);
  if (place >= 0) return /[a-z0-9]/.test(names[place - 1] ?? '') ? POINTS.nameWithin : POINTS.name;
  if (text.includes(word)) return POINTS.text;
  if (fields.has(word)) return POINTS.field;
  return [...fields].some((field) => field.includes(word)) ? POINTS.fieldWithin : 0;
}

/** The entries that have every word of a query, the best first. */
export function searchIndex(index: readonly IndexedEntry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  const found = index.map((entry) => {
    const points = words.map((word) => pointsFor(entry, word));
    return { entry, points: points.includes(0) ? 0 : points.reduce((sum, one) => sum + one, 0) };
  });
  return found
    .filter(({ points }) => points > 0)
    .toSorted((one, other) => other.points - one.points)
    .map(({ entry }) => entry);
}

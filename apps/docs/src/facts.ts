import type { OperationId } from '@gatehouse/contract/examples';
import { lookups, type Lookup } from './lookups.js';

/** Sends a GET and returns the body of the response. Rejects if the status is an error. */
export type Fetch = (
  operationId: OperationId,
  parameters: Readonly<Record<string, string>>,
) => Promise<unknown>;

/** A fact that an example needs is neither known nor found. */
class MissingFactError extends Error {
  constructor(
    readonly fact: string,
    lookup?: Lookup,
  ) {
    const place = lookup ? `${lookup.operationId} lists none` : 'enter it yourself';
    const name = lookup?.where ? `, with ${lookup.where[0]} beginning with "${lookup.where[1]}"` : '';
    super(`There is no ${fact}: ${place}${name}`);
    this.name = 'MissingFactError';
  }
}

const NAME = /^<(\w+)>$/;

/** The names of the facts that a value is or contains. */
export function namesIn(value: unknown): string[] {
  if (typeof value === 'string') return NAME.exec(value)?.slice(1) ?? [];
  if (typeof value !== 'object' || value === null) return [];
  return [...new Set(Object.values(value).flatMap(namesIn))];
}

/** The same value with the known facts in the place of their names. */
export function fillIn<T>(value: T, facts: ReadonlyMap<string, string>): T;
export function fillIn(value: unknown, facts: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return facts.get(NAME.exec(value)?.[1] ?? '') ?? value;
  if (Array.isArray(value)) return value.map((item: unknown) => fillIn(item, facts));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn<unknown>(item, facts)]));
}

function readPath(value: unknown, path: string): unknown {
  let part = value;
  for (const name of path.split('.')) {
    part = typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined;
  }
  return part;
}

function pick(response: unknown, { list, where, read = 'id' }: Lookup): string | null {
  const items = readPath(response, list);
  const [field, beginning] = where ?? ['', ''];
  const found: unknown = Array.isArray(items)
    ? items.find((item) => field === '' || String(readPath(item, field)).startsWith(beginning))
    : undefined;
  const fact = readPath(found, read);
  return typeof fact === 'string' ? fact : null;
}

/**
 * The facts of these names and those that they depend on, in addition to the known ones.
 *
 * @throws MissingFactError if one of them is neither known nor found
 */
export async function findFacts(
  names: readonly string[],
  known: ReadonlyMap<string, string>,
  fetchList: Fetch,
): Promise<ReadonlyMap<string, string>> {
  let facts = known;
  for (const name of names) {
    if (facts.has(name)) continue;
    const lookup = lookups[name];
    if (lookup === undefined) throw new MissingFactError(name);
    const { operationId, parameters = {} } = lookup;
    facts = await findFacts(namesIn(parameters), facts, fetchList);
    const fact = pick(await fetchList(operationId, fillIn(parameters, facts)), lookup);
    if (fact === null) throw new MissingFactError(name, lookup);
    facts = new Map([...facts, [name, fact]]);
  }
  return facts;
}

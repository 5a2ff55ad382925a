import type { ModelTemplate } from '@gatehouse/contract';
import { parseTemplate } from './logic/modelTemplate.js';

/** The most characters of JSON that are read or parsed in one turn of the event loop; a longer text alone. */
export const TURN_CHARACTERS = 512 * 1024;

interface Parsing<T, R> {
  lengthOf(item: T): number;
  parse(item: T): R;
  /** Resolves in a later turn of the event loop. */
  nextTurn(): Promise<unknown>;
}

/** Parses items in their order. Other calls run in between, because the items may have many megabytes. */
export async function parseInTurns<T, R>(
  items: Iterable<T>,
  { lengthOf, parse, nextTurn }: Parsing<T, R>,
): Promise<R[]> {
  const parsed: R[] = [];
  let left = 0;
  for (const item of items) {
    const length = lengthOf(item);
    if (length > left) {
      await nextTurn();
      left = TURN_CHARACTERS;
    }
    left -= length;
    parsed.push(parse(item));
  }
  return parsed;
}

/** Returns records, in their order, with their templates parsed. */
export function parseTemplates<T extends { template: string }>(
  records: readonly T[],
  nextTurn: () => Promise<unknown>,
): Promise<(Omit<T, 'template'> & { template: ModelTemplate })[]> {
  return parseInTurns(records, {
    lengthOf: ({ template }) => template.length,
    parse: (record) => ({ ...record, template: parseTemplate(record) }),
    nextTurn,
  });
}

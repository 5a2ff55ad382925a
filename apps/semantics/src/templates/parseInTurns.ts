import type { ModelTemplate } from '@gatehouse/contract';
import { parseTemplate } from './logic/modelTemplate.js';

/** The most characters of templates that are parsed in one turn of the event loop. A longer one is alone. */
const TURN_CHARACTERS = 512 * 1024;

/**
 * Returns the records, in their order, with their templates parsed. Other calls run in between, because the
 * templates of a project may have gigabytes.
 * @param nextTurn resolves in a later turn of the event loop
 */
export async function parseInTurns<T extends { template: string }>(
  records: readonly T[],
  nextTurn: () => Promise<unknown>,
): Promise<(Omit<T, 'template'> & { template: ModelTemplate })[]> {
  const parsed: (Omit<T, 'template'> & { template: ModelTemplate })[] = [];
  let left = 0;
  for (const record of records) {
    if (record.template.length > left) {
      await nextTurn();
      left = TURN_CHARACTERS;
    }
    left -= record.template.length;
    parsed.push({ ...record, template: parseTemplate(record) });
  }
  return parsed;
}

import { describe, expect, it } from 'vitest';
import { EMPTY_TEMPLATE } from './logic/modelTemplate.js';
import { parseTemplates } from './parseInTurns.js';

const KIB = 1024;
/** A record whose template has a number of characters. */
const recordOf = (length: number) => {
  const template = JSON.stringify(EMPTY_TEMPLATE);
  return { _id: 'dom_1', template: template + ' '.repeat(length - template.length) };
};
/** The number of turns in which templates of these lengths are parsed. */
async function countTurns(lengths: number[]): Promise<number> {
  let turns = 0;
  const records = await parseTemplates(lengths.map(recordOf), async () => void (turns += 1));
  expect(records).toEqual(lengths.map(() => ({ _id: 'dom_1', template: EMPTY_TEMPLATE })));
  return turns;
}

describe('the templates of records', () => {
  it('are parsed in one turn each when they are large', async () => {
    expect(await countTurns(Array.from({ length: 5 }, () => 300 * KIB))).toBe(5);
    expect(await countTurns(Array.from({ length: 5 }, () => 1000 * KIB))).toBe(5);
  });

  it('are parsed together when they are small', async () => {
    expect(await countTurns(Array.from({ length: 512 }, () => KIB))).toBe(1);
    expect(await countTurns(Array.from({ length: 513 }, () => KIB))).toBe(2);
  });
});

import { countTurns } from '@gatehouse/testing';
import { describe, expect, it } from 'vitest';
import { createTemplatedReader } from './readTemplated.js';

const MIB = 1024 * 1024;
const template = 'ä'.repeat(MIB / 2);

/** Records of a template of 1 MiB in UTF-8, which are all in memory like a batch of the database. */
async function* scan(count: number) {
  for (let number = 0; number < count; number += 1) yield { template };
}

describe('the templates of records that are read', () => {
  it('have 32 MiB or fewer in UTF-8, in all collections together', async () => {
    const read = createTemplatedReader();
    expect(await read(scan(20))).toHaveLength(20);
    expect(await read(scan(11))).toHaveLength(11);
    const tooLarge = {
      code: 'INVALID_REQUEST',
      message: expect.stringContaining('33554432 bytes') as string,
    };
    await expect(read(scan(1))).rejects.toMatchObject(tooLarge);
    await expect(createTemplatedReader()(scan(1000))).rejects.toMatchObject(tooLarge);
  });

  it('are read in many turns of the event loop', async () => {
    expect(await countTurns(() => createTemplatedReader()(scan(30)))).toBeGreaterThanOrEqual(30);
  });
});

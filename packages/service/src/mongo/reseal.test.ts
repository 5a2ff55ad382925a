import { randomBytes } from 'node:crypto';
import { startTestMongo, type TestMongo } from '@gatehouse/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSealer } from '../sealing.js';
import { resealFields, type SealedField } from './reseal.js';

const newKeyText = () => randomBytes(32).toString('base64');
const former = newKeyText();
const present = newKeyText();
const both = createSealer(`${present},${former}`);

const fields: SealedField[] = [
  { collection: 'doors', path: ['lock', 'sealed'], contextOf: ({ _id }) => `lock ${_id}` },
  { collection: 'doors', path: ['spare', 'sealed'], contextOf: ({ _id }) => `spare ${_id}` },
];

let mongo: TestMongo;
beforeAll(async () => {
  mongo = await startTestMongo();
});
afterAll(() => mongo[Symbol.asyncDispose]());

interface Door {
  _id: string;
  lock: { sealed: string } | null;
  spare: { sealed: string }[];
}
const open = () => mongo.databases.of('reseal');
const doors = () => open().collection<Door>('doors');
beforeEach(async () => void (await doors().deleteMany({})));

function sealedWith(keys: string, _id: string): Door {
  const { seal } = createSealer(keys);
  const spare = ['one', 'two'].map((text) => ({ sealed: seal(text, `spare ${_id}`) }));
  return { _id, lock: { sealed: seal('main', `lock ${_id}`) }, spare };
}

describe('resealing', () => {
  it('makes texts of the former key readable with the new key alone', async () => {
    await doors().insertMany([sealedWith(former, 'a'), { _id: 'b', lock: null, spare: [] }]);
    expect(await resealFields({ database: open(), sealer: both }, fields)).toEqual({
      resealed: 3,
      remaining: 0,
    });
    const found = await doors().findOne({ _id: 'a' });
    const alone = createSealer(present);
    expect(alone.open(found?.lock?.sealed ?? '', 'lock a')).toBe('main');
    expect(found?.spare.map(({ sealed }) => alone.open(sealed, 'spare a'))).toEqual(['one', 'two']);
    expect(await doors().findOne({ _id: 'b' })).toEqual({ _id: 'b', lock: null, spare: [] });
  });

  it('does not change texts of the first key', async () => {
    const door = sealedWith(present, 'a');
    await doors().insertOne(door);
    const report = await resealFields({ database: open(), sealer: both }, fields);
    expect(report).toEqual({ resealed: 0, remaining: 0 });
    expect(await doors().findOne({ _id: 'a' })).toEqual(door);
  });

  it('keeps and counts texts that cannot be opened', async () => {
    const moved = { ...sealedWith(former, 'a'), _id: 'elsewhere' };
    const unknown = sealedWith(newKeyText(), 'b');
    await doors().insertMany([moved, unknown, sealedWith(former, 'c')]);
    expect(await resealFields({ database: open(), sealer: both }, fields)).toEqual({
      resealed: 3,
      remaining: 6,
    });
    expect(await doors().findOne({ _id: 'elsewhere' })).toEqual(moved);
    expect(await doors().findOne({ _id: 'b' })).toEqual(unknown);
  });

  it('never restores a text that was replaced meanwhile', async () => {
    const { seal } = createSealer(former);
    let isWriting = true;
    const sweep = async () => {
      while (isWriting) await resealFields({ database: open(), sealer: both }, fields);
    };
    await doors().insertOne(sealedWith(former, 'a'));
    const sweeping = sweep();
    for (let count = 1; count <= 60; count += 1) {
      const set = { 'lock.sealed': seal(String(count), 'lock a') };
      await doors().updateOne({ _id: 'a' }, { $set: set });
      const found = await doors().findOne({ _id: 'a' });
      expect(both.open(found?.lock?.sealed ?? '', 'lock a')).toBe(String(count));
    }
    isWriting = false;
    await sweeping;
    expect((await resealFields({ database: open(), sealer: both }, fields)).remaining).toBe(0);
  });
});

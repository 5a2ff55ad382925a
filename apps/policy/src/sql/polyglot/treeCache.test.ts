import { expect, test } from 'vitest';
import { cacheTrees } from './treeCache.js';

/** Reads texts, and counts how often. */
function countReads(charactersMax: number) {
  const counts = new Map<string, number>();
  const cached = cacheTrees(async (text: string) => {
    counts.set(text, (counts.get(text) ?? 0) + 1);
    return {};
  }, charactersMax);
  return { counts, read: (text: string) => cached(text, 'mysql') };
}

test('returns a recent tree without another read', async () => {
  const { counts, read } = countReads(1000);
  await read('a = 1');
  await read('a = 1');
  expect(counts.get('a = 1')).toBe(1);
});

test('long statements filled the memory of the thread: they evict each other', async () => {
  const { counts, read } = countReads(60_000);
  const longText = (index: number) => `${index} ${'x'.repeat(19_000)}`;
  for (let index = 0; index < 10; index += 1) await read(longText(index));
  await read(longText(9));
  expect(counts.get(longText(9))).toBe(1);
  await read(longText(0));
  expect(counts.get(longText(0))).toBe(2);
});

test('does not cache a text above the length limit', async () => {
  const { counts, read } = countReads(1_000_000);
  const text = 'x'.repeat(20_001);
  await read(text);
  await read(text);
  expect(counts.get(text)).toBe(2);
});

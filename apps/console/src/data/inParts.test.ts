import { describe, expect, it } from 'vitest';
import { inParts } from './inParts.js';

/** Resolves when timers that are due have run. */
const pause = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

async function collect<T>(parts: AsyncIterable<T[]>): Promise<T[][]> {
  const all: T[][] = [];
  for await (const part of parts) all.push(part);
  return all;
}

describe('parts of a stream', () => {
  it('join what arrives together, in order', async () => {
    const items = Array.from({ length: 5000 }, (_, index) => index);
    async function* source() {
      yield* items;
    }
    const parts = await collect(inParts(source()));
    expect(parts.flat()).toEqual(items);
    expect(parts.length).toBeLessThan(10);
  });

  it('arrive while the source waits for its next item', async () => {
    let release = () => undefined as void;
    const held = new Promise<void>((resolve) => (release = resolve));
    async function* source() {
      yield 1;
      await held;
      yield 2;
    }
    const parts = inParts(source());
    expect(await parts.next()).toEqual({ done: false, value: [1] });
    release();
    expect(await parts.next()).toEqual({ done: false, value: [2] });
    expect(await parts.next()).toEqual({ done: true, value: undefined });
  });

  it('are none if the source is empty', async () => {
    async function* source(): AsyncGenerator<number> {}
    expect(await collect(inParts(source()))).toEqual([]);
  });

  it('end with the error of the source, after what arrived before', async () => {
    async function* source() {
      yield 1;
      throw new Error('cut off');
    }
    const parts = inParts(source());
    expect(await parts.next()).toEqual({ done: false, value: [1] });
    await expect(parts.next()).rejects.toThrow('cut off');
  });

  it('end the source when they are left early', async () => {
    let isEnded = false;
    async function* source() {
      try {
        for (;;) {
          yield 1;
          await pause();
        }
      } finally {
        isEnded = true;
      }
    }
    for await (const part of inParts(source())) if (part.length > 0) break;
    await expect.poll(() => isEnded).toBe(true);
  });
});

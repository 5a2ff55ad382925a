import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readLines } from './lines.js';

function streamOf(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b);
  const chunks = places.slice(1).map((end, index) => bytes.slice(places[index], end));
  return new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
}

describe('the lines of a stream', () => {
  it('are the same for every division into chunks, also within a character', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' })), fc.array(fc.nat()), async (texts, cuts) => {
        const content = texts.join('\n');
        const lines: string[] = [];
        for await (const line of readLines(streamOf(new TextEncoder().encode(content), cuts)))
          lines.push(line);
        expect(lines).toEqual(content.split('\n').filter((line) => line !== ''));
      }),
    );
  });

  it('cancel the stream when the consumer stops reading', async () => {
    let isCancelled = false;
    const stream = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new TextEncoder().encode('line\n')),
      cancel: () => {
        isCancelled = true;
      },
    });
    for await (const line of readLines(stream)) {
      expect(line).toBe('line');
      break;
    }
    expect(isCancelled).toBe(true);
  });
});

import { readErrorLine } from './gatehouseError.js';

/** The lines of a text that comes in parts. */
async function* splitLines(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  let begun = '';
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    const lines = (begun + part).split('\n');
    begun = lines.pop() ?? '';
    yield* lines;
  }
}

/**
 * The lines of an answer in NDJSON, up to its summary.
 *
 * @throws GatehouseError when the operation fails on the way, Error when the answer ends before its summary.
 */
export async function* readLines(response: Response): AsyncGenerator<{ type: string }> {
  if (response.body) {
    for await (const text of splitLines(response.body)) {
      const line = JSON.parse(text) as { type: string };
      if (line.type === 'error') throw readErrorLine(line);
      yield line;
      if (line.type === 'summary') return;
    }
  }
  throw new Error('The answer ended before its summary');
}

import type { RouteArea } from '@gatehouse/contract';
import type { Deadline } from './deadline.js';
import { readErrorLine } from './gatehouseError.js';
import { NoAnswerError } from './noAnswerError.js';

/** An answer whose body is still to be read. */
export interface OpenAnswer {
  response: Response;
  /** Renewed with each part that comes. */
  deadline: Deadline;
}

/** The lines of a text that comes in parts. A reader, because not every browser can iterate over a stream. */
async function* splitLines({ response, deadline }: OpenAnswer): AsyncGenerator<string> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let begun = '';
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      deadline.renew();
      const lines = (begun + decoder.decode(part.value, { stream: true })).split('\n');
      begun = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    // Whoever leaves before the end gives the operation up.
    await reader.cancel().catch(() => {});
  }
}

/**
 * The lines of an answer in NDJSON, up to its summary.
 *
 * @throws GatehouseError when the operation fails on the way, NoAnswerError when the answer ends before its summary
 */
export async function* readLines(answer: OpenAnswer, area: RouteArea): AsyncGenerator<{ type: string }> {
  try {
    for await (const text of splitLines(answer)) {
      const line = JSON.parse(text) as { type: string };
      if (line.type === 'error') throw readErrorLine(line, area);
      yield line;
      if (line.type === 'summary') return;
    }
  } finally {
    answer.deadline.end();
  }
  throw new NoAnswerError('incomplete');
}

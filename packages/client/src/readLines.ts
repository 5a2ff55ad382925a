import type { Deadline } from './deadline.js';
import type { RouteArea } from './generated/routes.js';
import { readErrorLine } from './gatehouseError.js';
import { NoAnswerError } from './noAnswerError.js';

/** A response whose body has not been read. */
export interface OpenAnswer {
  response: Response;
  /** Restarted with each part that arrives. */
  deadline: Deadline;
}

/**
 * The lines of a text that arrives in parts. It uses a reader, because not every browser can iterate over a
 * stream.
 */
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
    // Leaving the loop early cancels the operation.
    await reader.cancel().catch(() => {});
  }
}

/**
 * The lines of an NDJSON response, up to its summary.
 *
 * @throws GatehouseError if the operation fails midway, NoAnswerError if the response ends before its summary
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

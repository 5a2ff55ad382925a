import type { CallOptions, Client } from '@gatehouse/client';
import type { Route } from '@gatehouse/contract';
import type { Context, Outcome } from '../command.js';
import { EXIT_CODES } from '../exitCodes.js';
import { startProgress } from '../progress.js';
import { formatAnswer } from './formatAnswer.js';

type Line = { type: string; done?: number; total?: number } & Record<string, unknown>;
type Stream = (input: Record<string, unknown>, options: CallOptions) => AsyncIterable<Line>;

/** Runs an operation line by line, with progress. After Ctrl-C the items so far are its result. */
export async function runStream(
  { operationId, pages }: Route,
  input: Record<string, unknown>,
  { client, context }: { client: Client; context: Context },
): Promise<Outcome> {
  const { item = 'item', items: field = 'items' } = pages ?? {};
  const items: unknown[] = [];
  let summary: Record<string, unknown> | null = null;
  const progress = startProgress(context.terminal, 'Done');
  const signal = context.terminal.interrupted;
  const stream = (client.stream as unknown as Record<string, Stream>)[operationId];
  try {
    for await (const { type, ...line } of stream?.(input, { ...(signal && { signal }) }) ?? []) {
      if (type === item) items.push(line[item]);
      if (type === 'progress') progress.show(line.done ?? 0, line.total ?? 0);
      if (type === 'summary') summary = line;
    }
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  } finally {
    progress.end();
  }
  const isWhole = summary !== null;
  return {
    json: { ...summary, [field]: items, isWhole },
    text: formatAnswer(items),
    exitCode: isWhole ? EXIT_CODES.ok : EXIT_CODES.notReachable,
  };
}

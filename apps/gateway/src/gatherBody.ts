import type { Answer } from './respond.js';

async function* resume(begun: readonly string[], rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield* begun;
  yield* rest;
}

/**
 * Takes a streamed body into memory, so that it can be kept. One of more than `limitBytes` stays a stream, which begins
 * with what was taken.
 */
export async function gatherBody(answer: Answer, limitBytes: number): Promise<Answer> {
  const { body } = answer;
  if (typeof body === 'string') return answer;
  const taken: string[] = [];
  for (let size = 0; size <= limitBytes; size += Buffer.byteLength(taken.at(-1) ?? '')) {
    const next = await body.chunks.next();
    if (next.done) return { ...answer, body: taken.join('') };
    taken.push(next.value);
  }
  return { ...answer, body: { ...body, chunks: resume(taken, body.chunks) } };
}

import { isStreamed, type GatewayResponse } from './respond.js';

async function* concatenate(
  buffered: readonly string[],
  rest: AsyncGenerator<string>,
): AsyncGenerator<string> {
  yield* buffered;
  yield* rest;
}

/**
 * Buffers a streamed body so that it can be stored. A body of more than `limitBytes` remains a stream,
 * which starts with the buffered chunks.
 */
export async function gatherBody(response: GatewayResponse, limitBytes: number): Promise<GatewayResponse> {
  const { body } = response;
  if (!isStreamed(body)) return response;
  const buffered: string[] = [];
  for (let size = 0; size <= limitBytes; size += Buffer.byteLength(buffered.at(-1) ?? '')) {
    const next = await body.chunks.next();
    if (next.done) return { ...response, body: buffered.join('') };
    buffered.push(next.value);
  }
  return { ...response, body: { ...body, chunks: concatenate(buffered, body.chunks) } };
}

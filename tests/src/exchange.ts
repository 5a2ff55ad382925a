import { Agent, request } from 'node:http';

/** An answer as it came: the body as text. */
export interface ReceivedAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** No answer came, or only a part of one: nobody listens there, or whoever did is gone. */
export class NoAnswerError extends Error {}

/** Sooner than the server gives an idle connection up: a request on one that is just being closed would be lost. */
const IDLE_MS = 2000;
const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

/**
 * Sends a whole request on a connection that is kept, for a fifth of what `fetch` costs: the tests send many thousands.
 *
 * @throws NoAnswerError
 */
export async function exchange(
  url: URL,
  {
    method,
    headers,
    body,
  }: { method: string; headers: Record<string, string>; body?: string | Uint8Array | undefined },
): Promise<ReceivedAnswer> {
  // Said outright, because Node frames no body of a GET or DELETE by itself.
  const framing = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => reject(new NoAnswerError(`No answer: ${cause.message}`, { cause }));
    const sent = request(url, { method, headers: { ...framing, ...headers }, agent }, (answer) => {
      const chunks: Buffer[] = [];
      answer
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('error', fail)
        .on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: new Headers(answer.headers as Record<string, string>),
            text: Buffer.concat(chunks).toString('utf8'),
          }),
        );
    });
    sent.on('error', fail);
    sent.end(body);
  });
}

import { once } from 'node:events';
import { request, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** An answer with the headers as Node gives them. `body` is the text. */
export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A request that is sent bit by bit. */
export interface RawRequest {
  /** Node's own request, to write to. */
  outgoing: ClientRequest;
  /** Resolves with the answer, whether or not all of the request was sent. */
  answer: Promise<RawAnswer>;
  /** Breaks the connection off. */
  abandon(): void;
}

async function readAnswer(outgoing: ClientRequest): Promise<RawAnswer> {
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: await text(response),
  };
}

/** Opens a request on a connection of its own and sends its head. For what `fetch` refuses to send, or hides. */
export function openRawRequest(
  baseUrl: string,
  [method, path]: [method: string, path: string],
  headers: Record<string, string> = {},
): RawRequest {
  const outgoing = request(baseUrl + path, { method, headers, agent: false });
  outgoing.flushHeaders();
  const answer = readAnswer(outgoing);
  // Who abandons a request does not wait for its answer.
  answer.catch(() => {});
  return { outgoing, answer, abandon: () => void outgoing.destroy() };
}

/** Sends a whole request on a connection of its own. */
export async function sendRaw(
  baseUrl: string,
  target: [method: string, path: string],
  { headers = {}, body = '' }: { headers?: Record<string, string>; body?: string } = {},
): Promise<RawAnswer> {
  const { outgoing, answer } = openRawRequest(baseUrl, target, {
    ...headers,
    ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  });
  outgoing.end(body);
  return answer;
}

/**
 * Keeps a request for a token in flight, of which two bytes are missing. Resolves once the gateway waits for them.
 *
 * @throws Error when the gateway answers instead
 */
export async function holdRequest(baseUrl: string): Promise<RawRequest> {
  const headers = { 'content-type': 'application/json', 'content-length': '2', expect: '100-continue' };
  const held = openRawRequest(baseUrl, ['POST', '/api/v1/token'], headers);
  const refusal = held.answer.then(({ status }) => {
    throw new Error(`The gateway answered ${status} instead of waiting`);
  });
  refusal.catch(() => {});
  await Promise.race([once(held.outgoing, 'continue'), refusal]);
  return held;
}

import { once } from 'node:events';
import { request, type ClientRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

/** A response with the headers as Node returns them. `body` is the text. */
export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

/** A request that is sent in parts. */
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

/**
 * Opens a request on a connection of its own and sends its head. For requests that `fetch` rejects, and for
 * responses that it hides.
 */
export function openRawRequest(
  baseUrl: string,
  [method, path]: [method: string, path: string],
  headers: Record<string, string> = {},
): RawRequest {
  const outgoing = request(baseUrl + path, { method, headers, agent: false });
  // A server may answer and close before it has read the body. An error before the answer rejects it.
  outgoing.on('error', () => {});
  outgoing.flushHeaders();
  const answer = readAnswer(outgoing);
  // A caller that aborts a request does not wait for its response.
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

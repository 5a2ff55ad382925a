import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import type { Destination } from '@gatehouse/service';

interface OutgoingRequest {
  url: URL;
  /** The only addresses that it may go to. */
  destination: Destination;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

export interface ReceivedAnswer {
  statusCode: number;
  retryAfter: string | undefined;
}

/** What is read of an answer's body, so that a receiver need not find its connection cut; none of it is kept. */
const BODY_MAX_BYTES = 16 * 1024;
const BODY_MAX_MS = 1000;
const HEADERS_MAX_BYTES = 16 * 1024;

/** Gives the addresses that were checked, whatever the name resolves to by now. */
function onlyTo({ addresses }: Destination): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, options, callback) => {
    const [first] = found;
    if (options.all) callback(null, found);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** Resolves when the body has ended, or was cut off because it is too long or too slow. */
function discardBody(answer: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let size = 0;
    const timer = setTimeout(() => answer.destroy(), BODY_MAX_MS);
    answer.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_MAX_BYTES) answer.destroy();
    });
    // The status has come, and that decides.
    answer.on('error', () => {});
    answer.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Makes one POST over a connection of its own, which nothing else uses before or after. Redirections are not followed, and of
 * the answer nothing is kept but its status and `Retry-After`.
 *
 * @throws the error of the connection or the parser; the signal's reason when it is aborted before the status has come
 */
export function post({ url, destination, headers, body, signal }: OutgoingRequest): Promise<ReceivedAnswer> {
  const request = url.protocol === 'https:' ? requestSecure : requestPlain;
  const bytes = Buffer.from(body);
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      agent: false,
      lookup: onlyTo(destination),
      maxHeaderSize: HEADERS_MAX_BYTES,
      headers: { ...headers, 'content-length': bytes.length },
      signal,
    });
    let hasAnswer = false;
    sent.on('response', (answer) => {
      hasAnswer = true;
      const { statusCode = 0 } = answer;
      const retryAfter = answer.headers['retry-after'];
      void discardBody(answer).then(() => resolve({ statusCode, retryAfter }));
    });
    sent.on('error', (error) => {
      if (!hasAnswer) reject(signal.aborted ? (signal.reason as Error) : error);
    });
    sent.end(bytes);
  });
}

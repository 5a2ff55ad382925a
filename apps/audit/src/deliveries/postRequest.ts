import { request as requestPlain, type IncomingMessage } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIPv6, type LookupFunction } from 'node:net';
import type { Destination } from '@gatehouse/service';

interface OutgoingRequest {
  url: URL;
  /** The only addresses that it may be sent to. */
  destination: Destination;
  headers: Record<string, string>;
  body: string;
  signal: AbortSignal;
}

export interface ReceivedResponse {
  statusCode: number;
  retryAfter: string | undefined;
}

/**
 * The part of a response body that is read, so that the receiver's connection is not cut. None of it is kept.
 */
const BODY_MAX_BYTES = 16 * 1024;
const BODY_MAX_MS = 1000;
const HEADERS_MAX_BYTES = 16 * 1024;

/** Returns only the checked addresses, whatever the name resolves to now. */
function onlyTo({ addresses }: Destination): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_host, options, callback) => {
    const [first] = found;
    if (options.all) callback(null, found);
    else callback(null, first?.address ?? '', first?.family);
  };
}

/** Resolves when the body has ended, or was aborted because it is too long or too slow. */
function discardBody(response: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let size = 0;
    const timer = setTimeout(() => response.destroy(), BODY_MAX_MS);
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > BODY_MAX_BYTES) response.destroy();
    });
    // The status alone decides.
    response.on('error', () => {});
    response.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Sends one POST request over its own connection, which is not reused. Redirects are not followed. Only the
 * status and `Retry-After` of the response are kept.
 *
 * @throws the error of the connection or the parser; the signal's reason when it aborts before the status
 *   arrives
 */
export function post({
  url,
  destination,
  headers,
  body,
  signal,
}: OutgoingRequest): Promise<ReceivedResponse> {
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
    let hasResponse = false;
    sent.on('response', (response) => {
      hasResponse = true;
      const { statusCode = 0 } = response;
      const retryAfter = response.headers['retry-after'];
      void discardBody(response).then(() => resolve({ statusCode, retryAfter }));
    });
    sent.on('error', (error) => {
      if (!hasResponse) reject(signal.aborted ? (signal.reason as Error) : error);
    });
    sent.end(bytes);
  });
}

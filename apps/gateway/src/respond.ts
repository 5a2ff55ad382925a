import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AppError, Principal, Route, RouteArea } from '@gatehouse/contract';
import type { Span } from '@gatehouse/service';
import type { FastifyReply } from 'fastify';
import { matchesNone } from './entityTags.js';
import { acceptsProblem, writeError, type ErrorForm } from './errorBodies.js';
import type { AdmittedRequest } from './admission/admission.js';
import type { Caller } from './admission/caller.js';
import { readingTimeMs } from './admission/minimumRate.js';
import { announcesBody } from './readBody.js';

/** A body that is written while it is produced. */
export interface StreamedBody {
  chunks: AsyncGenerator<string>;
  /**
   * The end of the body if `chunks` fails; null cuts the connection, so that no reader takes a part for the
   * whole.
   */
  errorTrailer(error: unknown): string | null;
}

/** The response to a request. */
export interface GatewayResponse {
  status: number;
  contentType: string;
  /** The strong entity tag with its quotes; null if there is none. */
  entityTag: string | null;
  body: string | Buffer | StreamedBody;
  /** `no-store` if absent. */
  cacheControl?: string;
  /** Whether the body never changes, so that its compressed form is kept. */
  isFixed?: boolean;
  /** Whether the body contains a secret, so that its compressed size must disclose nothing. */
  holdsSecret?: boolean;
  /** Names and values alternately, in addition to the headers of every response. */
  headers: readonly string[];
}

/** A request and its state while it is served. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** The target of the request, as it arrived. */
  url: string;
  /** The route of the table, once it is known. */
  route?: Route;
  /** The size of the body, once it has been read. */
  bodyBytes: number;
  /** The operationId of the route; `unknown` until there is one. */
  operation: string;
  /** The path of the route, as in the table; `unknown` until there is one. */
  path: string;
  /** The values of its path, percent-encoded, in the order of the path. */
  pathValues: readonly string[];
  /** The time of its arrival, by `performance.now()`. */
  startedMs: number;
  /** The last id in the path; null if there is none. */
  resourceId: string | null;
  /** The caller, once it is authenticated. */
  principal?: Principal;
  /** Authenticates the caller again. Throws UNAUTHENTICATED if its access has ended meanwhile. */
  findPrincipal?: () => Promise<Principal>;
  /** The share of the gateway that the request uses. */
  caller: Caller;
  /** Release what the request holds, after its response. */
  releases: (() => void)[];
  /** The place that it runs in. */
  place?: AdmittedRequest['place'];
  /** The area, which determines the form of an error. */
  area: RouteArea;
  /** Names and values alternately, for every response to this request. */
  headers: string[];
  span: Span;
  /** Ends the span. */
  finish(): void;
}

/** The headers that helmet sets on pages. Here they are for every other response. */
export const FIXED_HEADERS: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
};

/**
 * The headers of data: no cache stores it, unless the response allows that, and no browser may ever show it
 * as a page. A response with a content security policy of its own has its own headers instead.
 */
export const DATA_HEADERS: Readonly<Record<string, string>> = {
  ...FIXED_HEADERS,
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
};

/** `Retry-After` of a service that is down or full and sends none itself. */
const RETRY_AFTER_SECONDS = 1;

/** A body that is not needed is read and discarded, up to these limits. */
const DRAIN_BYTES = 8 * 1024 * 1024;
const DRAIN_MS = 1000;
/** Node discards a smaller rest by itself. */
const SMALL_BODY_BYTES = 64 * 1024;

/** The form of the errors of a request. */
export function formOf({ request, requestId, area }: Exchange): ErrorForm {
  return { area, isProblem: acceptsProblem(request.headers.accept), requestId };
}

/** The response to a failed request. */
export function errorResponse(exchange: Exchange, error: AppError): GatewayResponse {
  const { contentType, body } = writeError(error, formOf(exchange));
  const headers: string[] = [];
  if (error.code === 'UNAUTHENTICATED') headers.push('WWW-Authenticate', 'Bearer');
  const retryAfter =
    error.retryAfterSeconds ?? (error.code === 'UNAVAILABLE' ? RETRY_AFTER_SECONDS : undefined);
  if (retryAfter !== undefined) headers.push('Retry-After', String(retryAfter));
  return { status: error.status, contentType, entityTag: null, body, headers };
}

/** Replaces a response with 304 if `If-None-Match` names its entity tag (RFC 9110, section 13.1.2). */
export function respondConditionally(
  { headers }: IncomingMessage,
  outgoing: GatewayResponse,
): GatewayResponse {
  const header = headers['if-none-match'];
  if (header === undefined || outgoing.entityTag === null || !matchesNone(header, outgoing.entityTag))
    return outgoing;
  return { ...outgoing, status: 304, body: '' };
}

function setHeaders(reply: FastifyReply, pairs: readonly string[]): void {
  for (let index = 0; index < pairs.length; index += 2) {
    const name = pairs[index] ?? '';
    const value = pairs[index + 1] ?? '';
    const earlier = reply.getHeader(name);
    reply.header(name, earlier === undefined ? value : [earlier, value].flat().map(String));
  }
}

/** All headers of a response. Fastify types some values that Node does not take. */
function headersOf(reply: FastifyReply, exchange: Exchange, outgoing: GatewayResponse): OutgoingHttpHeaders {
  const { status, entityTag, contentType, cacheControl } = outgoing;
  if (!outgoing.headers.includes('Content-Security-Policy')) reply.headers(DATA_HEADERS);
  if (cacheControl !== undefined) reply.header('Cache-Control', cacheControl);
  reply.header('X-Request-Id', exchange.requestId);
  setHeaders(reply, exchange.headers);
  setHeaders(reply, outgoing.headers);
  if (entityTag !== null) reply.header('ETag', entityTag);
  if (!isBodiless(status)) reply.header('Content-Type', contentType);
  return reply.getHeaders() as OutgoingHttpHeaders;
}

function isBodiless(status: number): boolean {
  return status === 204 || status === 304;
}

function hasLargeLeftover(request: IncomingMessage): boolean {
  if (request.complete || !announcesBody(request)) return false;
  const length = request.headers['content-length'];
  return length === undefined || Number(length) > SMALL_BODY_BYTES;
}

/**
 * Lets a caller that is still sending finish, within bounds, before the connection is closed. Closing it at
 * once resets it, and the caller might never read the response.
 */
function endAfterDrain({ request, response }: Exchange): void {
  let left = DRAIN_BYTES;
  const end = () => {
    clearTimeout(timer);
    request.off('data', take).off('end', end).off('close', end);
    response.end();
  };
  const take = (chunk: Buffer) => {
    left -= chunk.length;
    if (left < 0) end();
  };
  const timer = setTimeout(end, DRAIN_MS);
  request.on('data', take).on('end', end).on('close', end).resume();
}

/** Whether a stream failed because its reader closed the connection. */
function isReaderGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

async function* withTrailer({ chunks, errorTrailer }: StreamedBody): AsyncGenerator<string> {
  try {
    yield* chunks;
  } catch (error) {
    const trailer = errorTrailer(error);
    if (trailer === null) throw error;
    yield trailer;
  }
}

/**
 * Writes a body no faster than it is read. Production stops when it fails or when the reader closes the
 * connection. A reader that is too slow loses the connection.
 */
async function streamBody({ response }: Exchange, body: StreamedBody): Promise<void> {
  // The reader may have closed the connection before the first chunk.
  if (response.destroyed) return void (await body.chunks.return(undefined));
  let deadline: NodeJS.Timeout | undefined;
  const expectReading = (chunk: string) => {
    deadline = setTimeout(() => response.destroy(), readingTimeMs(Buffer.byteLength(chunk)));
  };
  const atReadersPace = async function* () {
    let last = '';
    for await (const chunk of withTrailer(body)) {
      expectReading(chunk);
      yield chunk;
      clearTimeout(deadline);
      last = chunk;
    }
    expectReading(last);
  };
  await pipeline(Readable.from(atReadersPace(), { highWaterMark: 1 }), response)
    .catch((error: unknown) => {
      if (!isReaderGone(error)) throw error;
    })
    .finally(() => clearTimeout(deadline));
}

/** Whether a body is written while it is produced. */
function isStreamed(body: GatewayResponse['body']): body is StreamedBody {
  return typeof body !== 'string' && !Buffer.isBuffer(body);
}

/**
 * Sends a response. Returns a promise for a stream, which resolves once it is written and rejects if it was
 * cut; null for a complete body. It writes to the response of Node: Fastify paces no stream, does not let a
 * caller that is still sending finish, and takes 8 of 150 µs for a body that has been serialized.
 */
export function sendResponse(
  reply: FastifyReply,
  outgoing: GatewayResponse,
  compressed: Buffer | null,
): Promise<void> | null {
  const { exchange } = reply.request;
  const { request, response } = exchange;
  const { status, body } = outgoing;
  if (compressed !== null) setHeaders(reply, ['Content-Encoding', 'gzip']);
  // A cache may keep the response for a caller that accepts another encoding.
  if (compressed !== null || outgoing.cacheControl !== undefined)
    setHeaders(reply, ['Vary', 'accept-encoding']);
  const headers = headersOf(reply, exchange, outgoing);
  reply.hijack();
  if (isStreamed(body)) {
    response.writeHead(status, headers);
    return streamBody(exchange, body);
  }
  const isSending = hasLargeLeftover(request);
  if (isSending) response.shouldKeepAlive = false;
  const payload = compressed ?? body;
  if (!isBodiless(status)) headers['content-length'] = Buffer.byteLength(payload);
  response.writeHead(status, headers);
  if (!isSending) response.end(payload);
  else {
    response.write(payload);
    endAfterDrain(exchange);
  }
  return null;
}

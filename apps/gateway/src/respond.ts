import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { AppError, Principal, RouteArea } from '@gatehouse/contract';
import { acceptsProblem, writeError } from './errorBodies.js';
import { announcesBody } from './readBody.js';

/** A body that is written while it is made. */
export interface StreamedBody {
  chunks: AsyncGenerator<string>;
  /** What is written last when `chunks` fails; null cuts the connection, so that nobody takes a part for the whole. */
  lastWords(error: unknown): string | null;
}

/** What a request is answered with. */
export interface Answer {
  status: number;
  contentType: string;
  /** The strong entity tag, quotes included; null where there is none. */
  entityTag: string | null;
  body: string | StreamedBody;
  /** Names and values in turn, beside the headers of every answer. */
  headers: readonly string[];
}

/** One request with what is known of it while it is served. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  /** The operationId of the route; `unknown` until there is one. */
  operation: string;
  /** The path of the route, as the table has it; `unknown` until there is one. */
  path: string;
  /** When it came, as `performance.now()` told it. */
  startedMs: number;
  /** The last of the ids in the path; null where it has none. */
  resourceId: string | null;
  /** Who asks, once that is known. */
  principal?: Principal;
  /** Whose form an error is written in. */
  area: RouteArea;
  /** Names and values in turn, for whatever the answer will be. */
  headers: string[];
}

/**
 * The headers of data: it is for its caller alone, no cache keeps it, and no browser may ever show it as a page. An answer
 * with a content security policy of its own brings all of these itself.
 */
export const DATA_HEADERS: readonly string[] = [
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cache-Control',
  'no-store',
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'Content-Security-Policy',
  "default-src 'none'; frame-ancestors 'none'",
];

/** A service that is down or full is asked again after this long, where it says nothing itself. */
const RETRY_AFTER_SECONDS = 1;

/** A streamed answer of which nothing was taken for so long is given up. */
const STALL_MS = 60_000;

/** A body that nobody will read is taken in, and thrown away, up to this much and this long. */
const DRAIN_BYTES = 8 * 1024 * 1024;
const DRAIN_MS = 1000;
/** Node throws smaller leftovers away by itself. */
const SMALL_BODY_BYTES = 64 * 1024;

/** The answer to a request that failed. */
export function answerError(exchange: Exchange, error: AppError): Answer {
  const { request, requestId, area } = exchange;
  const isProblem = acceptsProblem(request.headers.accept);
  const { contentType, body } = writeError(error, { area, isProblem, requestId });
  const headers: string[] = [];
  if (error.code === 'UNAUTHENTICATED') headers.push('WWW-Authenticate', 'Bearer');
  const retryAfter =
    error.retryAfterSeconds ?? (error.code === 'UNAVAILABLE' ? RETRY_AFTER_SECONDS : undefined);
  if (retryAfter !== undefined) headers.push('Retry-After', String(retryAfter));
  return { status: error.status, contentType, entityTag: null, body, headers };
}

function headersOf(exchange: Exchange, answer: Answer): string[] {
  const { status, entityTag, contentType, body } = answer;
  const constant = answer.headers.includes('Content-Security-Policy') ? [] : DATA_HEADERS;
  const headers = [...constant, 'X-Request-Id', exchange.requestId, ...exchange.headers, ...answer.headers];
  if (entityTag !== null) headers.push('ETag', entityTag);
  if (status !== 204 && status !== 304) {
    headers.push('Content-Type', contentType);
    if (typeof body === 'string') headers.push('Content-Length', String(Buffer.byteLength(body)));
  }
  return headers;
}

function hasLargeLeftover(request: IncomingMessage): boolean {
  if (request.complete || !announcesBody(request)) return false;
  const length = request.headers['content-length'];
  return length === undefined || Number(length) > SMALL_BODY_BYTES;
}

/**
 * Lets a caller that is still sending finish, within bounds, before the connection is closed: closed at once, it would be
 * reset, and the caller might never see the answer.
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

/** True of the error by which a stream says that its reader left before the end. */
function isReaderGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}

async function* withLastWords({ chunks, lastWords }: StreamedBody): AsyncGenerator<string> {
  try {
    yield* chunks;
  } catch (error) {
    const words = lastWords(error);
    if (words === null) throw error;
    yield words;
  }
}

/**
 * Writes a body no faster than it is read. When it fails or its reader leaves, no more of it is made; a reader that takes
 * nothing for too long is one that has left.
 */
async function streamBody({ response }: Exchange, body: StreamedBody): Promise<void> {
  // The reader may have left before the first word.
  if (response.destroyed) return void (await body.chunks.return(undefined));
  response.setTimeout(STALL_MS, () => response.destroy());
  await pipeline(Readable.from(withLastWords(body), { highWaterMark: 1 }), response).catch(
    (error: unknown) => {
      if (!isReaderGone(error)) throw error;
    },
  );
}

/** Sends an answer. Resolves once it is written, and rejects when it was cut. */
export async function sendAnswer(exchange: Exchange, answer: Answer): Promise<void> {
  const { request, response } = exchange;
  if (typeof answer.body !== 'string') {
    response.writeHead(answer.status, headersOf(exchange, answer));
    return streamBody(exchange, answer.body);
  }
  const isDrained = hasLargeLeftover(request);
  if (isDrained) response.shouldKeepAlive = false;
  response.writeHead(answer.status, headersOf(exchange, answer));
  if (!isDrained) {
    response.end(answer.body);
    return;
  }
  response.write(answer.body);
  endAfterDrain(exchange);
}

import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, invalidField } from '@gatehouse/contract';
import { findAppError, inSpan, type Logger, type Refusals } from '@gatehouse/service';
import {
  errorCodes as fastifyErrors,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify';
import type { Admission } from '../admission/admission.js';
import { noSuchRoute, writeError, type ErrorForm } from '../errorBodies.js';
import { ExchangeLog } from '../exchangeLog.js';
import { Compression, mayCompress } from './compression.js';
import { errorResponse, formOf, sendResponse, type GatewayResponse, type Exchange } from '../respond.js';

export interface ExchangesOptions {
  admission: Admission;
  log: Logger;
  refusals: Refusals;
}

const REQUEST_ID = /^[A-Za-z0-9._-]{1,100}$/;

function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID();
}

/** Throws INVALID_REQUEST for a request without a Host, which HTTP/1.1 requires (RFC 9112, section 3.2). */
function checkHost({ request, response }: Exchange): void {
  if (request.headers.host !== undefined || request.httpVersion === '1.0') return;
  response.shouldKeepAlive = false;
  throw invalidField('Host', 'is required', 'required');
}

/** The most headers of a request. */
export const HEADERS_MAX = 100;

/** Throws HEADERS_TOO_LARGE for more headers than the limit, which Node would leave out without an error. */
function checkHeaderCount({ rawHeaders }: IncomingMessage): void {
  if (rawHeaders.length > 2 * HEADERS_MAX) throw new AppError('HEADERS_TOO_LARGE');
}

/** Headers that identify the caller or define the request, with the spelling for error messages. */
const SINGLETONS = new Map(
  [
    'Authorization',
    'Content-Encoding',
    'Content-Length',
    'Content-Type',
    'Expect',
    'Host',
    'Idempotency-Key',
    'Origin',
  ].map((name) => [name.toLowerCase(), name]),
);

/**
 * Throws INVALID_REQUEST if a header that must occur once occurs twice (RFC 9110, section 5.3). Node uses
 * the first value or joins both, and a proxy in front may have checked the other.
 */
function checkSingletons({ rawHeaders }: IncomingMessage): void {
  const seen = new Set<string>();
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = SINGLETONS.get(rawHeaders[index]?.toLowerCase() ?? '');
    if (name === undefined) continue;
    if (seen.has(name)) throw invalidField(name, 'must be given once', 'duplicate');
    seen.add(name);
  }
}

/** Fastify checks the syntax of a media type before our parser gets the body. */
function fromFastify(error: unknown): unknown {
  const isMediaType = error instanceof fastifyErrors.FST_ERR_CTP_INVALID_MEDIA_TYPE;
  return isMediaType ? new AppError('UNSUPPORTED_MEDIA_TYPE', { cause: error }) : error;
}

/** Opens, responds to and records every request, whatever its outcome. */
export class Exchanges {
  readonly #options: ExchangesOptions;
  readonly #log: ExchangeLog;
  readonly #compression = new Compression();
  /** The last exchange of each connection. */
  readonly #bySocket = new WeakMap<Duplex, Exchange>();
  #isStopping = false;

  constructor(options: ExchangesOptions) {
    this.#options = options;
    this.#log = new ExchangeLog(options.log, options.refusals);
  }

  /** True after `stop`. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** From now on, each response closes its connection. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Adds the hooks that come before those of each route, and the error handler. */
  register(app: FastifyInstance): void {
    app.decorateRequest('exchange');
    app.addHook('onRequest', (request, reply, done) => {
      const { traceparent } = request.raw.headers;
      const linked = typeof traceparent === 'string' ? traceparent : undefined;
      inSpan(
        'request',
        { kind: 'server', linked },
        (span) =>
          new Promise<void>((finish) => {
            request.exchange = this.#open(request, reply, { span, finish });
            this.#bySocket.set(request.raw.socket, request.exchange);
            done();
          }),
      ).catch((err: unknown) => this.#options.log.error({ err }, 'span not ended'));
    });
    app.setErrorHandler((error, _request, reply) => this.fail(reply, error));
    app.setNotFoundHandler(async () => {
      throw noSuchRoute();
    });
  }

  /** The form of errors of the request that a connection has not sent completely; undefined without one. */
  incompleteFormOf(socket: Duplex): ErrorForm | undefined {
    const exchange = this.#bySocket.get(socket);
    return exchange && !exchange.request.complete ? formOf(exchange) : undefined;
  }

  /** Adds the checks of the head of a request that need no route. They come after the CORS headers. */
  registerChecks(app: FastifyInstance): void {
    app.addHook('onRequest', (request, _reply, done) => {
      checkHeaderCount(request.raw);
      checkHost(request.exchange);
      checkSingletons(request.raw);
      // Here, because the body of an unknown route is not read.
      if (request.is404) throw noSuchRoute();
      done();
    });
  }

  #open(
    request: FastifyRequest,
    reply: FastifyReply,
    { span, finish }: Pick<Exchange, 'span' | 'finish'>,
  ): Exchange {
    const { raw } = request;
    if (this.#isStopping) reply.raw.shouldKeepAlive = false;
    return {
      request: raw,
      response: reply.raw,
      requestId: requestIdOf(raw.headers['x-request-id']),
      url: request.originalUrl,
      bodyBytes: 0,
      operation: 'unknown',
      path: 'unknown',
      pathValues: [],
      startedMs: performance.now(),
      resourceId: null,
      area: 'management',
      headers: [],
      caller: this.#options.admission.strangerOf(raw),
      releases: [],
      span,
      finish,
    };
  }

  /** Sends the response, records it and gives back what the request holds. Never throws. */
  send(reply: FastifyReply, outgoing: GatewayResponse): void {
    const { request, caller } = reply.request.exchange;
    if (!mayCompress(request, outgoing)) return this.#write(reply, outgoing, null);
    void this.#compression.run(caller, outgoing).then((body) => this.#write(reply, outgoing, body));
  }

  #write(reply: FastifyReply, outgoing: GatewayResponse, compressed: Buffer | null): void {
    const { exchange } = reply.request;
    try {
      const streamed = sendResponse(reply, outgoing, compressed);
      if (streamed === null) return this.#close(exchange, outgoing);
      streamed
        .catch((err: unknown) => this.#cut(exchange, err))
        .finally(() => this.#close(exchange, outgoing));
    } catch (err) {
      this.#cut(exchange, err);
      this.#close(exchange, outgoing);
    }
  }

  /** Ends the connection of a response that cannot be sent as a whole. */
  #cut({ response, requestId }: Exchange, err: unknown): void {
    this.#options.log.error({ err, requestId }, 'response not sent');
    response.destroy();
  }

  #close(exchange: Exchange, outgoing: GatewayResponse): void {
    this.#log.record(exchange, outgoing.status);
    // Node writes to the socket in the next tick. Most responses then have no unread bytes.
    process.nextTick(() => this.#options.admission.unread.watch(exchange));
    for (const release of exchange.releases.splice(0)) release();
    exchange.finish();
  }

  /** Sends a failure at the pace of its caller. Nothing is held while it waits. Never throws. */
  fail(reply: FastifyReply, cause: unknown): void {
    const { exchange } = reply.request;
    const error = fromFastify(cause);
    const known = findAppError(error);
    const send = () => this.send(reply, this.failureResponse(exchange, error));
    if (!known) return send();
    for (const release of exchange.releases.splice(0)) release();
    void this.#options.admission.pace.wait(exchange.caller, known.code).then(send);
  }

  /** The response to a failure. Logs unexpected failures. */
  failureResponse(exchange: Exchange, error: unknown): GatewayResponse {
    return errorResponse(exchange, this.#log.noteFailure(exchange, error));
  }

  /** The error body of a failure after the response began, always in the form of the area. */
  explain(exchange: Exchange, error: unknown): string {
    const { area, requestId } = exchange;
    return writeError(this.#log.noteFailure(exchange, error), { area, isProblem: false, requestId }).body;
  }
}

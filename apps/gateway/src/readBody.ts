import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError, invalidField } from '@gatehouse/contract';
import type { ByteBudget } from './admission/byteBudget.js';
import type { Caller } from './admission/caller.js';
import { LARGE_BODY_BYTES } from './admission/largeBodies.js';
import { BodyRates } from './admission/minimumRate.js';
import { JSON_LIMITS, type JsonFault, type JsonLimits, JsonReader } from './jsonReader.js';

/** The name of a fault that is in no field. */
const WHOLE_BODY = 'body';

/** The number of bytes before the first that is not UTF-8, which a lenient decoder replaces. */
function countValidBytes(bytes: Buffer): number {
  const repaired = Buffer.from(bytes.toString('utf8'), 'utf8');
  const length = Math.min(bytes.length, repaired.length);
  for (let index = 0; index < length; index += 1) {
    if (bytes[index] !== repaired[index]) return index;
  }
  return length;
}

/** The text before the first byte that is not UTF-8. Its end is in the field with the fault. */
function readableStart(bytes: Buffer): string {
  return bytes.toString('utf8', 0, countValidBytes(bytes));
}

function invalidUtf8(fault: JsonFault | null): AppError {
  return invalidField(fault?.field || WHOLE_BODY, 'is not valid UTF-8', 'format');
}

/** The steps of one turn, which take a millisecond or two. Other requests are served between turns. */
const STEPS_A_TURN = 5000;

async function findFaultInTurns(text: string, limits: JsonLimits): Promise<JsonFault | null> {
  const reader = new JsonReader(text, limits);
  for (;;) {
    const fault = reader.advance(STEPS_A_TURN);
    if (fault !== undefined) return fault;
    await nextTurn();
  }
}

function parseChecked(text: string, fault: JsonFault | null): Record<string, unknown> {
  if (fault) throw invalidField(fault.field || WHOLE_BODY, fault.message, fault.code);
  const value: unknown = JSON.parse(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw invalidField(WHOLE_BODY, 'must be a JSON object', 'type');
}

/**
 * Parses a body as one JSON object.
 *
 * Stricter than `JSON.parse`: rejects bytes that are not UTF-8, a duplicate key, a key named `__proto__`, a
 * number that parsing would round, more than 64 levels, and what exceeds the limits.
 *
 * @throws INVALID_REQUEST naming the field with the fault, or `body` if it is in none
 */
export function parseStrictJson(bytes: Buffer, limits = JSON_LIMITS): Record<string, unknown> {
  if (!isUtf8(bytes)) throw invalidUtf8(new JsonReader(readableStart(bytes), limits).findFault());
  const text = bytes.toString('utf8');
  return parseChecked(text, new JsonReader(text, limits).findFault());
}

/** The same for a large body, in turns, so that other requests run while it is checked. */
export async function parseStrictJsonInTurns(
  bytes: Buffer,
  limits = JSON_LIMITS,
): Promise<Record<string, unknown>> {
  if (!isUtf8(bytes)) throw invalidUtf8(await findFaultInTurns(readableStart(bytes), limits));
  const text = bytes.toString('utf8');
  return parseChecked(text, await findFaultInTurns(text, limits));
}

const EMPTY: Record<string, unknown> = {};
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Whether the head of a request announces a body, which may still be empty. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

/** The request of a body. */
export interface BodyRequest {
  request: IncomingMessage;
  response: ServerResponse;
  caller: Caller;
}

/** The bytes of a body, which count against the budget of its caller until they are released. */
export interface HeldBody {
  bytes: Buffer;
  release(): void;
}

/** A body that is being read. */
interface Reading {
  caller: Caller;
  bytes: number;
  refuse(error: AppError): void;
}

const NO_BODY: HeldBody = { bytes: Buffer.alloc(0), release: () => {} };

/** Reads bodies at a minimum rate, within the byte budget of each caller. */
export class BodyReader {
  readonly #budget: ByteBudget;
  readonly #rates = new BodyRates();
  readonly #reading = new Set<Reading>();

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /**
   * Reads all bytes of a body; none if none is announced.
   *
   * @throws REQUEST_TIMEOUT below the minimum rate, after which the connection is closed
   * @throws PAYLOAD_TOO_LARGE over the limit
   * @throws RATE_LIMITED or UNAVAILABLE if the budget has no room for a further byte
   * @throws INVALID_REQUEST if the body ends early
   */
  async read(body: BodyRequest, limitBytes: number): Promise<HeldBody> {
    const { request, response } = body;
    if (!announcesBody(request)) return NO_BODY;
    if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw new AppError('PAYLOAD_TOO_LARGE');
    // A caller that waits for permission to send gets it only here, after all other checks.
    if (request.headers.expect !== undefined) response.writeContinue();
    return this.#collect(body, limitBytes);
  }

  /** Stops reading and throws at the first byte over a limit. */
  #collect({ request, response, caller }: BodyRequest, limitBytes: number): Promise<HeldBody> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const release = () => this.#budget.give(caller, reading.bytes);
      const stop = () => {
        watch.end();
        this.#reading.delete(reading);
        request.off('data', take).off('end', finish).off('error', fail).off('close', fail);
      };
      const refuse = (error: AppError) => {
        stop();
        release();
        request.pause();
        reject(error);
      };
      const reading: Reading = { caller, bytes: 0, refuse };
      const watch = this.#rates.watch(() => {
        response.shouldKeepAlive = false;
        refuse(new AppError('REQUEST_TIMEOUT'));
      });
      const take = (chunk: Buffer) => {
        if (reading.bytes + chunk.length > limitBytes) return refuse(new AppError('PAYLOAD_TOO_LARGE'));
        const refusal = this.#findRoom(reading);
        if (refusal) return refuse(refusal);
        reading.bytes += chunk.length;
        this.#budget.take(caller, chunk.length);
        watch.count(chunk.length);
        chunks.push(chunk);
      };
      const finish = () => {
        stop();
        const bytes = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, reading.bytes);
        resolve({ bytes, release });
      };
      const fail = () =>
        refuse(new AppError('INVALID_REQUEST', { message: 'The request ended before its body' }));
      this.#reading.add(reading);
      request.on('data', take).on('end', finish).on('error', fail).on('close', fail);
      // A connection that closed while its token was verified emits no further event.
      if (request.destroyed) fail();
    });
  }

  /**
   * Why a body may not grow; null if it may. Among callers without a token at one address, the largest body
   * is rejected instead: a few large bodies that never end do not block a small one.
   */
  #findRoom(reading: Reading): AppError | null {
    const { caller } = reading;
    for (;;) {
      const refusal = this.#budget.refusalOf(caller);
      if (refusal === null || caller.address === null) return refusal;
      let largest = reading;
      for (const other of this.#reading)
        if (other.caller.address === caller.address && other.bytes > largest.bytes) largest = other;
      if (largest === reading) return refusal;
      largest.refuse(refusal);
    }
  }
}

const MERGE_PATCH_TYPE = /^application\/merge-patch\+json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

function isJson({ method, headers }: IncomingMessage): boolean {
  const type = headers['content-type'] ?? '';
  return JSON_TYPE.test(type) || (method === 'PATCH' && MERGE_PATCH_TYPE.test(type));
}

function checkEncoding(request: IncomingMessage): void {
  const { headers } = request;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message: 'The request body must not be compressed' });
  }
  if (!isJson(request)) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
}

/**
 * Parses a body as a JSON object; no body is the empty object.
 *
 * @throws UNSUPPORTED_MEDIA_TYPE for anything but plain JSON in UTF-8
 * @throws INVALID_REQUEST for a body that strict JSON rejects
 */
export async function parseBody(
  request: IncomingMessage,
  bytes: Buffer,
  limits = JSON_LIMITS,
): Promise<Record<string, unknown>> {
  if (bytes.length === 0) return EMPTY;
  checkEncoding(request);
  const parse = bytes.length > LARGE_BODY_BYTES ? parseStrictJsonInTurns : parseStrictJson;
  return parse(bytes, limits);
}

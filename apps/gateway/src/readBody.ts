import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '@gatehouse/contract';
import { parseStrictJson } from './strictJson.js';

const EMPTY: Record<string, unknown> = {};
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

/** Whether the head of a request announces a body, which may yet turn out empty. */
export function announcesBody({ headers }: IncomingMessage): boolean {
  const length = headers['content-length'];
  return (length !== undefined && length !== '0') || headers['transfer-encoding'] !== undefined;
}

/** Collects the bytes of a body. Stops reading, and throws PAYLOAD_TOO_LARGE, at the first byte too many. */
function collect(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = () => request.off('data', take).off('end', finish).off('error', fail).off('close', fail);
    const take = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limitBytes) return;
      stop();
      request.pause();
      reject(new AppError('PAYLOAD_TOO_LARGE'));
    };
    const finish = () => {
      stop();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size));
    };
    const fail = () => {
      stop();
      reject(new AppError('INVALID_REQUEST', { message: 'The request ended before its body' }));
    };
    request.on('data', take).on('end', finish).on('error', fail).on('close', fail);
    // Who left while its token was looked at is not heard of again.
    if (request.destroyed) fail();
  });
}

function checkEncoding({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', { message: 'The request body must not be compressed' });
  }
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) throw new AppError('UNSUPPORTED_MEDIA_TYPE');
}

/**
 * Reads the body of a request as a JSON object; no body is the empty object.
 *
 * @throws PAYLOAD_TOO_LARGE over `limitBytes`, UNSUPPORTED_MEDIA_TYPE for anything but plain JSON in UTF-8,
 * INVALID_REQUEST for what strict JSON refuses.
 */
export async function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  limitBytes: number,
): Promise<Record<string, unknown>> {
  if (!announcesBody(request)) return EMPTY;
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw new AppError('PAYLOAD_TOO_LARGE');
  // Who asks before sending is told to go on only here, when nothing else stands in the way.
  if (request.headers.expect !== undefined) response.writeContinue();
  const bytes = await collect(request, limitBytes);
  if (bytes.length === 0) return EMPTY;
  checkEncoding(request);
  return parseStrictJson(bytes);
}

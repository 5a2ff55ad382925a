import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode } from '@gatehouse/contract';
import { writeError, type ErrorForm } from './errorBodies.js';
import { DATA_HEADERS } from './respond.js';

const CODE_OF_FAULT: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
  ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
};

/** The time to read the response before the connection is destroyed: a caller might never close its side. */
const LINGER_MS = 1000;

function errorOf({ code }: NodeJS.ErrnoException): AppError {
  const known = CODE_OF_FAULT[code ?? ''];
  return known ? new AppError(known) : new AppError('INVALID_REQUEST', { message: 'Bad Request' });
}

/**
 * Responds to bytes that are not a request: not HTTP, headers too large or too late. Then closes the
 * connection. A body that is too late gets the form of its request, anything else that of management: the
 * request is not known.
 */
export function rejectMalformed(
  fault: NodeJS.ErrnoException,
  socket: Duplex,
  incomplete: ErrorForm | undefined,
): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const error = errorOf(fault);
  const isLate = error.code === 'REQUEST_TIMEOUT';
  const form = (isLate ? incomplete : undefined) ?? {
    area: 'management',
    isProblem: false,
    requestId: randomUUID(),
  };
  const { contentType, body } = writeError(error, form);
  const headers = {
    ...DATA_HEADERS,
    'X-Request-Id': form.requestId,
    Connection: 'close',
    'Content-Type': contentType,
    'Content-Length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
  );
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
}

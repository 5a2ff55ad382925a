import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError } from '@gatehouse/contract';
import { writeError } from './errorBodies.js';
import { DATA_HEADERS } from './respond.js';

const STATUS_OF_FAULT: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** The time to read the response before the connection is destroyed: a caller might never close its side. */
const LINGER_MS = 1000;

/**
 * Responds to bytes that are not a request: not HTTP, headers too large or too late. Then closes the
 * connection.
 */
export function rejectMalformed(fault: NodeJS.ErrnoException, socket: Duplex): void {
  if (fault.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = STATUS_OF_FAULT[fault.code ?? ''] ?? 400;
  const message = STATUS_CODES[status] ?? '';
  const error = new AppError('INVALID_REQUEST', { message });
  const requestId = randomUUID();
  const { contentType, body } = writeError(error, { area: 'management', isProblem: false, requestId });
  const headers = {
    ...DATA_HEADERS,
    'X-Request-Id': requestId,
    Connection: 'close',
    'Content-Type': contentType,
    'Content-Length': String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end(`HTTP/1.1 ${status} ${message}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(linger));
}

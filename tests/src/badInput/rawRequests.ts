import { request, type Agent, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

export interface RawRequest {
  method: string;
  /** Sent as it stands, after the host. */
  path: string;
  headers?: Record<string, string | string[]>;
  body?: Uint8Array | undefined;
  /** Sends the body without a Content-Length. */
  isChunked?: boolean;
}

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Sends what `fetch` would mend or refuse to send: any path, a body with any method, any bytes. */
export async function sendRaw(baseUrl: string, raw: RawRequest, agent?: Agent): Promise<RawAnswer> {
  const { method, path, headers = {}, body, isChunked = false } = raw;
  const { hostname, port } = new URL(baseUrl);
  // Set explicitly, because Node sets no framing for the body of a GET or DELETE.
  const framing = isChunked
    ? { 'transfer-encoding': 'chunked' }
    : { ...(body && { 'content-length': String(body.length) }) };
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, headers: { ...framing, ...headers }, agent },
      (answer) => {
        const chunks: Buffer[] = [];
        answer
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('error', reject)
          .on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
          });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

const SILENCE_MS = 2000;

/** Sends bytes that need not be HTTP, and resolves to all that comes back until the connection ends. */
export async function sendBytes(baseUrl: string, bytes: string | Uint8Array): Promise<string> {
  const { hostname, port } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const finish = () => {
      socket.destroy();
      resolve(Buffer.concat(chunks).toString('latin1'));
    };
    socket.setTimeout(SILENCE_MS, finish);
    socket
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('close', finish)
      .on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? finish() : reject(error)))
      .write(bytes);
  });
}

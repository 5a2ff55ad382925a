import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** What is answered to a request: `cut` ends the connection in the middle of it, `silent` answers nothing. */
export type ScriptedAnswer =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | { cut: 'before' | 'within' }
  | { silent: true };

/** A server that answers as it is told, one answer after the other. */
export interface ScriptedServer extends AsyncDisposable {
  baseUrl: string;
  /** What has come so far. */
  received: ReceivedRequest[];
  /** Answers the next requests in this order, and those after them like the last. */
  script(...answers: ScriptedAnswer[]): void;
}

const problem = (status: number, code: string, headers = {}): ScriptedAnswer => ({
  status,
  headers,
  body: { status, code, detail: code },
});
export const busy = problem(503, 'UNAVAILABLE', { 'Retry-After': '0' });
export const limited = problem(429, 'RATE_LIMITED', { 'Retry-After': '0' });
export const unauthenticated = problem(401, 'UNAUTHENTICATED');
export const conflict = problem(409, 'CONFLICT');
export const stillRunning = problem(409, 'CONFLICT', { 'Retry-After': '0' });
export const failed = problem(500, 'INTERNAL_ERROR');

export async function startScriptedServer(): Promise<ScriptedServer> {
  const received: ReceivedRequest[] = [];
  let answers: ScriptedAnswer[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
      const text = Buffer.concat(chunks).toString();
      const { method = '', headers } = request;
      const body: unknown = text === '' ? undefined : JSON.parse(text);
      received.push({ method, path: pathname, query: searchParams, headers, body });
      const answer = (answers.length > 1 ? answers.shift() : answers[0]) ?? {};
      if ('silent' in answer) return;
      if ('cut' in answer) {
        if (answer.cut === 'before') return void request.socket.destroy();
        response.writeHead(200, { 'content-length': '1000' }).write('{', () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.status ?? 200, answer.headers).end(JSON.stringify(answer.body ?? {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    received,
    script(...given) {
      received.length = 0;
      answers = given;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

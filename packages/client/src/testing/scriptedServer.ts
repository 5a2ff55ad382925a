import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** The response to a request: `cut` closes the connection during the response, `silent` never responds. */
export type ScriptedAnswer =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | { cut: 'before' | 'within' }
  | { silent: true };

/** A server that sends scripted responses, one after the other. */
export interface ScriptedServer extends AsyncDisposable {
  baseUrl: string;
  /** The requests received so far. */
  received: ReceivedRequest[];
  /** Sets the next responses in order; further requests receive the last one. */
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

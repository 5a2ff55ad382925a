import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { applyWSSHandler } from '@trpc/server/adapters/ws';
import { WebSocketServer } from 'ws';
import type { Activity } from '../activity.js';
import type { Logger } from '../log.js';
import type { RunningService } from '../serviceDefinition.js';
import { GOING_AWAY } from './link.js';

export interface ServeOptions {
  host: string;
  port: number;
  log: Logger;
  /** Rejects while the service could not answer. */
  checkReady(): Promise<void>;
}

export interface ServiceServer {
  url: string;
  /** Takes no new calls, lets those in flight end for at most `timeoutMs`, and closes. */
  close(timeoutMs: number): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 500;
/** RFC 6455, section 7.4.1: the server cannot go on. Calls were broken off. */
const BROKEN_OFF = 1011;
/** Larger than any body that the gateway lets in, with its envelope. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

function answer(response: ServerResponse, status: number, body: Record<string, unknown>): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function serveProbes(
  request: IncomingMessage,
  response: ServerResponse,
  checkReady: () => Promise<void>,
) {
  if (request.url === '/healthz') return answer(response, 200, { status: 'ok' });
  if (request.url !== '/readyz') return answer(response, 404, { error: 'Not found' });
  try {
    await checkReady();
    answer(response, 200, { status: 'ready' });
  } catch {
    answer(response, 503, { status: 'not ready' });
  }
}

/**
 * Closes every connection in a moment in which no call is in progress, so that the code tells the truth: what has no
 * answer was never begun. After `timeoutMs` they are closed all the same.
 */
async function leave(sockets: WebSocketServer, activity: Activity, timeoutMs: number): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  do {
    await activity.idle(deadlineMs - performance.now());
    // A call has left before its answer is sent.
    await setImmediate();
  } while (activity.inFlight > 0 && performance.now() < deadlineMs);
  const code = activity.inFlight > 0 ? BROKEN_OFF : GOING_AWAY;
  activity.close();
  for (const client of sockets.clients) client.close(code);
}

/** Serves a service's procedures over WebSocket, and its health over HTTP, on one port. */
export async function serveService(service: RunningService, options: ServeOptions): Promise<ServiceServer> {
  const { host, port, log, checkReady } = options;
  const server = createServer((request, response) => {
    serveProbes(request, response, checkReady).catch((err: unknown) => log.error({ err }, 'probe failed'));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  // Not before, or an address that is taken would be an error of this one, which nobody handles.
  const sockets = new WebSocketServer({ server, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  const handler = applyWSSHandler({ wss: sockets, router: service.router, createContext: () => ({}) });
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `ws://${host}:${boundPort}`,
    async close(timeoutMs) {
      server.close();
      // Callers open a connection elsewhere, and use the old one until they have it.
      handler.broadcastReconnectNotification();
      await leave(sockets, service.activity, timeoutMs);
      const deadline = setTimeout(
        () => sockets.clients.forEach((client) => client.terminate()),
        CLOSE_TIMEOUT_MS,
      );
      await new Promise<void>((resolve) => sockets.close(() => resolve()));
      clearTimeout(deadline);
      server.closeAllConnections();
    },
  };
}

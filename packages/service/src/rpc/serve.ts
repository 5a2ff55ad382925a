import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { applyWSSHandler } from '@trpc/server/adapters/ws';
import { WebSocketServer } from 'ws';
import type { Activity } from '../activity.js';
import type { Logger } from '../log.js';
import type { RunningService } from '../serviceDefinition.js';
import { GOING_AWAY } from './client.js';

export interface ServeOptions {
  host: string;
  port: number;
  log: Logger;
  /** Rejects while the service cannot serve requests. */
  checkReady(): Promise<void>;
}

export interface ServiceServer {
  url: string;
  /** Accepts no new calls, waits for those in flight for at most `timeoutMs`, and closes. */
  close(timeoutMs: number): Promise<void>;
}

const CLOSE_TIMEOUT_MS = 500;
/** RFC 6455, section 7.4.1: the server terminates the connection. Calls in flight were interrupted. */
const CALLS_INTERRUPTED = 1011;
/** Larger than any body that the gateway accepts, with its envelope. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024;

function respond(response: ServerResponse, status: number, body: Record<string, unknown>): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function serveProbes(
  request: IncomingMessage,
  response: ServerResponse,
  checkReady: () => Promise<void>,
) {
  if (request.url === '/healthz') return respond(response, 200, { status: 'ok' });
  if (request.url !== '/readyz') return respond(response, 404, { error: 'Not found' });
  try {
    await checkReady();
    respond(response, 200, { status: 'ready' });
  } catch {
    respond(response, 503, { status: 'not ready' });
  }
}

/**
 * Closes all connections at a moment without a call in flight, so that the close code is correct: no
 * unanswered call was begun. After `timeoutMs` it closes them with calls in flight.
 */
async function closeConnections(
  sockets: WebSocketServer,
  activity: Activity,
  timeoutMs: number,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs;
  do {
    await activity.idle(deadlineMs - performance.now());
    // A call leaves `activity` before its response is sent.
    await setImmediate();
  } while (activity.inFlight > 0 && performance.now() < deadlineMs);
  const code = activity.inFlight > 0 ? CALLS_INTERRUPTED : GOING_AWAY;
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
  // Created after the server listens. Otherwise it would emit the error of an address in use, which is
  // unhandled.
  const sockets = new WebSocketServer({ server, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  const handler = applyWSSHandler({ wss: sockets, router: service.router, createContext: () => ({}) });
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `ws://${host}:${boundPort}`,
    async close(timeoutMs) {
      server.close();
      // Callers open a connection elsewhere, and use this one until the other is open.
      handler.broadcastReconnectNotification();
      await closeConnections(sockets, service.activity, timeoutMs);
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

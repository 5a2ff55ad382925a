import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { applyWSSHandler } from '@trpc/server/adapters/ws';
import { WebSocketServer } from 'ws';
import type { Logger } from '../log.js';
import type { RunningService } from '../serviceDefinition.js';

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

/** Serves a service's procedures over WebSocket, and its health over HTTP, on one port. */
export async function serveService(service: RunningService, options: ServeOptions): Promise<ServiceServer> {
  const { host, port, log, checkReady } = options;
  const server = createServer((request, response) => {
    serveProbes(request, response, checkReady).catch((err: unknown) => log.error({ err }, 'probe failed'));
  });
  const sockets = new WebSocketServer({ server, maxPayload: MAX_MESSAGE_BYTES, perMessageDeflate: false });
  const handler = applyWSSHandler({ wss: sockets, router: service.router, createContext: () => ({}) });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `ws://${host}:${boundPort}`,
    async close(timeoutMs) {
      server.close();
      // Callers open a connection elsewhere for what is new; what is in flight is answered on the old one.
      handler.broadcastReconnectNotification();
      await service.activity.idle(timeoutMs);
      await setImmediate();
      for (const client of sockets.clients) client.close(1001);
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

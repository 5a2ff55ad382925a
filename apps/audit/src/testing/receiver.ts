import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A received request. */
export interface Received {
  headers: IncomingHttpHeaders;
  body: string;
}

/** Handles a request; `count` is 1 for the first one. */
export type Behaviour = (response: ServerResponse, count: number) => void;

export const respond =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end();

const WAIT_MS = 120_000;

/** A webhook receiver on loopback that records its requests. */
export async function startReceiver(behaviour: Behaviour = respond(204)) {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let behave = behaviour;
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
      behave(response, received.length);
    });
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    connections: () => connections,
    behaveAs(next: Behaviour) {
      behave = next;
    },
    /** Waits for `count` requests. */
    async requests(count: number): Promise<Received[]> {
      for (let waitedMs = 0; waitedMs < WAIT_MS; waitedMs += 20) {
        if (received.length >= count) return received;
        await sleep(20);
      }
      throw new Error(`Not ${count} requests but ${received.length}`);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

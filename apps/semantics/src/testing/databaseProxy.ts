import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP server on a free port of 127.0.0.1. Its disposal closes all connections. */
export interface TcpServer extends AsyncDisposable {
  port: number;
}

/** Serves every connection with `serve`. */
export async function startTcpServer(serve: (socket: Socket) => void): Promise<TcpServer> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    serve(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** What a proxy does to the server's responses. */
export interface ProxyFault {
  /** Closes the connection after this many bytes from the server. */
  cutAfterBytes?: number;
  /** Forwards responses one byte at a time, at this interval. */
  byteIntervalMs?: number;
}

/** A proxy to a server on this machine that records what clients send. */
export interface DatabaseProxy extends TcpServer {
  /** All bytes from clients, as Latin-1 text. */
  sent(): string;
}

export async function startDatabaseProxy(targetPort: number, fault: ProxyFault = {}): Promise<DatabaseProxy> {
  const chunks: Buffer[] = [];
  const proxy = await startTcpServer((client) => {
    const target = connect(targetPort, '127.0.0.1');
    target.on('error', () => client.destroy());
    target.on('close', () => client.end());
    client.on('close', () => target.destroy());
    client.on('data', (chunk) => chunks.push(chunk));
    client.pipe(target);
    forwardResponses(target, client, fault);
  });
  return { ...proxy, sent: () => Buffer.concat(chunks).toString('latin1') };
}

function forwardResponses(
  target: Socket,
  client: Socket,
  { cutAfterBytes = Infinity, byteIntervalMs }: ProxyFault,
): void {
  if (byteIntervalMs !== undefined) {
    const waiting: number[] = [];
    target.on('data', (chunk) => waiting.push(...chunk));
    const timer = setInterval(() => {
      const byte = waiting.shift();
      if (byte !== undefined) client.write(Buffer.of(byte));
    }, byteIntervalMs);
    client.on('close', () => clearInterval(timer));
    return;
  }
  let count = 0;
  target.on('data', (chunk) => {
    client.write(chunk.subarray(0, cutAfterBytes - count));
    count += chunk.length;
    if (count >= cutAfterBytes) client.destroySoon();
  });
}

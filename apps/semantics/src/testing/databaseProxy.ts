import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A TCP server on a free port of 127.0.0.1, closed with all of its connections when it is disposed of. */
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

/** What a proxy does to the server's answers. */
export interface ProxyFault {
  /** Breaks the connection after so many bytes of the server. */
  cutAfterBytes?: number;
  /** Hands the answers over one byte at a time, with this pause between two. */
  byteIntervalMs?: number;
}

/** A proxy before a server of this machine, which keeps what the clients have sent. */
export interface DatabaseProxy extends TcpServer {
  /** Everything that clients have sent, as Latin-1 text. */
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
    passAnswers(target, client, fault);
  });
  return { ...proxy, sent: () => Buffer.concat(chunks).toString('latin1') };
}

function passAnswers(
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

import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type NetConnectOpts, type Socket } from 'node:net';

const HOST = '127.0.0.1';

/**
 * How a proxy treats its connections: `refuse` resets them all, and each new one; `hang` forwards nothing;
 * `strand` forwards nothing on existing connections, and new ones work.
 */
export type ProxyFault = 'refuse' | 'hang' | 'strand' | { delayMs: number };

/** A TCP proxy on 127.0.0.1 between a client and a server that simulates network faults. */
export interface TcpProxy extends AsyncDisposable {
  port: number;
  /** The target of new connections. */
  target: NetConnectOpts;
  /** Resets every connection; new ones are accepted. */
  cut(): void;
  /** In effect until {@link heal}. */
  fail(fault: ProxyFault): void;
  /** Forwards data again, including data that was held back while the proxy hung. */
  heal(): void;
}

/** Starts a proxy before a server, on a free port. */
export async function startTcpProxy(target: NetConnectOpts): Promise<TcpProxy> {
  const proxy = new FaultyProxy(target);
  await proxy.listen();
  return proxy;
}

/** Ends a connection immediately, with a TCP reset. */
function reset(socket: Socket): void {
  if (socket.localAddress === undefined) socket.destroy();
  else socket.resetAndDestroy();
}

class FaultyProxy implements TcpProxy {
  target: NetConnectOpts;
  #fault: ProxyFault | null = null;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => this.#accept(client));

  constructor(target: NetConnectOpts) {
    this.target = target;
  }

  async listen(): Promise<void> {
    await once(this.#server.listen(0, HOST), 'listening');
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  cut(): void {
    for (const socket of this.#sockets) reset(socket);
  }

  fail(fault: ProxyFault): void {
    this.#fault = fault;
    if (fault === 'refuse') this.cut();
    for (const socket of this.#sockets) {
      if (fault === 'hang' || fault === 'strand') socket.pause();
      else socket.resume();
    }
  }

  heal(): void {
    this.#fault = null;
    for (const socket of this.#sockets) socket.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.cut();
    await closed;
  }

  #accept(client: Socket): void {
    if (this.#fault === 'refuse') {
      client.resetAndDestroy();
      return;
    }
    const server = connect({ ...this.target, noDelay: true, allowHalfOpen: true });
    this.#pass(client, server);
    this.#pass(server, client);
  }

  /** Forwards data from one socket to the other, and its end in the same way. */
  #pass(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    from.on('error', () => reset(to));
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroySoon();
    });
    from.on('end', () => this.#later(() => to.end()));
    from.on('data', (chunk: Buffer) => this.#later(() => this.#write(chunk, from, to)));
    if (this.#fault === 'hang') from.pause();
  }

  #write(chunk: Buffer, from: Socket, to: Socket): void {
    if (!to.writable || to.write(chunk)) return;
    from.pause();
    to.once('drain', () => {
      if (this.#fault !== 'hang' && this.#fault !== 'strand') from.resume();
    });
  }

  /** Immediately, or after the current delay: then everything keeps its order. */
  #later(pass: () => void): void {
    if (typeof this.#fault === 'object' && this.#fault !== null) setTimeout(pass, this.#fault.delayMs);
    else pass();
  }
}

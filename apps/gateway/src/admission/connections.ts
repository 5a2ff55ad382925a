import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { peerOf } from './caller.js';

/** An open connection. */
interface Connection {
  /** The number of its requests that run or wait. */
  serving: number;
}

/**
 * Bounds the number of open connections. At the limit, a new connection replaces the oldest connection
 * without a request in flight, at the address that has the most. A flood of connections therefore replaces
 * its own.
 */
export class Connections {
  readonly #max: number;
  /** The connections by address, the oldest first. */
  readonly #byAddress = new Map<string, Map<Socket, Connection>>();
  readonly #all = new WeakMap<Socket, Connection>();
  #count = 0;

  /** A `max` of 0 sets no limit. */
  constructor(max: number) {
    this.#max = max === 0 ? Infinity : max;
  }

  /** The number of open connections. */
  get count(): number {
    return this.#count;
  }

  /** Bounds the connections of a server. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => this.#admit(socket));
  }

  /** Protects a connection while it has a request in flight. Returns the function that ends this. */
  serve(socket: Socket): () => void {
    const connection = this.#all.get(socket);
    if (!connection) return () => {};
    connection.serving += 1;
    return () => {
      connection.serving -= 1;
    };
  }

  #admit(socket: Socket): void {
    if (this.#count >= this.#max && !this.#replaceOne()) {
      socket.destroy();
      return;
    }
    const address = peerOf(socket);
    const own = this.#byAddress.get(address) ?? new Map<Socket, Connection>();
    const connection = { serving: 0 };
    own.set(socket, connection);
    this.#all.set(socket, connection);
    this.#byAddress.set(address, own);
    this.#count += 1;
    socket.once('close', () => this.#forget(address, socket));
  }

  #forget(address: string, socket: Socket): void {
    const own = this.#byAddress.get(address);
    if (!own?.delete(socket)) return;
    this.#count -= 1;
    if (own.size === 0) this.#byAddress.delete(address);
  }

  /** Closes one connection without a request in flight. Returns false if there is none. */
  #replaceOne(): boolean {
    const addresses = [...this.#byAddress].toSorted(([, one], [, other]) => other.size - one.size);
    for (const [address, own] of addresses) {
      for (const [socket, { serving }] of own) {
        if (serving > 0) continue;
        socket.destroy();
        this.#forget(address, socket);
        return true;
      }
    }
    return false;
  }
}

import { WebSocket } from 'ws';

const SOCKET_OPTIONS = { handshakeTimeout: 2000, closeTimeout: 500, perMessageDeflate: false };

/** Longer than a client takes to reach another process of a service during a restart. */
const GIVE_UP_MS = 2000;

/**
 * Detects that a service refuses the connections of one link. It is unreachable if a connection attempt is
 * refused and there was no connection for two seconds, until a connection opens. A server that does not
 * respond has not refused.
 */
export class Reachability {
  #open = 0;
  #noneSinceMs = performance.now();
  #isUnreachable = false;
  readonly #waiting = new Set<AbortController>();

  /** True if a call would wait for a connection that no process accepts. */
  get isUnreachable(): boolean {
    return this.#isUnreachable;
  }

  /** Aborts the call when the service becomes unreachable, until `leave` is called for it. */
  enter(call: AbortController): void {
    this.#waiting.add(call);
  }

  leave(call: AbortController): void {
    this.#waiting.delete(call);
  }

  /** Creates the WebSocket class of the link, whose sockets report their state. */
  createSocketClass(): typeof globalThis.WebSocket {
    const watch = (socket: WebSocket) => this.#watch(socket);
    /**
     * Closes a connection that does not open or close in time, because its calls fail only when it has
     * closed.
     */
    class LinkSocket extends WebSocket {
      constructor(url: string | URL) {
        super(url, SOCKET_OPTIONS);
        watch(this);
      }
    }
    return LinkSocket as unknown as typeof globalThis.WebSocket;
  }

  #watch(socket: WebSocket): void {
    let isOpen = false;
    socket.once('open', () => {
      isOpen = true;
      this.#open += 1;
      this.#isUnreachable = false;
    });
    socket.once('close', () => {
      if (!isOpen) return;
      this.#open -= 1;
      this.#noneSinceMs = performance.now();
    });
    // A refused connection has an error code of the system. A timeout has none.
    socket.on('error', (error) => {
      if (!isOpen && 'code' in error) this.#noteRefusedConnection();
    });
  }

  #noteRefusedConnection(): void {
    if (this.#open > 0 || performance.now() - this.#noneSinceMs < GIVE_UP_MS) return;
    this.#isUnreachable = true;
    // None of these calls was sent: a sent call has failed together with its connection.
    for (const call of this.#waiting) call.abort();
  }
}

import { WebSocket } from 'ws';

const SOCKET_OPTIONS = { handshakeTimeout: 2000, closeTimeout: 500, perMessageDeflate: false };

/** Longer than it takes to get to another process of a service while one is replaced. */
const GIVE_UP_MS = 2000;

/**
 * Whether anybody takes the connections of one link. It is given up when an attempt to connect is refused and there has been
 * no connection for two seconds, until there is one again. Who is asked and says nothing has not refused.
 */
export class Reachability {
  #open = 0;
  #noneSinceMs = performance.now();
  #isGivenUp = false;
  readonly #waiting = new Set<AbortController>();

  /** Whether a call would wait for a connection that nobody takes. */
  get isGivenUp(): boolean {
    return this.#isGivenUp;
  }

  /** From now on until the call is left, it is aborted when the link is given up. */
  enter(call: AbortController): void {
    this.#waiting.add(call);
  }

  leave(call: AbortController): void {
    this.#waiting.delete(call);
  }

  /** Makes the class of the link's sockets, which tell how they fare. */
  createSocketClass(): typeof globalThis.WebSocket {
    const watch = (socket: WebSocket) => this.#watch(socket);
    /** Gives up a connection that is not made, or not closed, in time: its calls do not fail before it has ended. */
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
      this.#isGivenUp = false;
    });
    socket.once('close', () => {
      if (!isOpen) return;
      this.#open -= 1;
      this.#noneSinceMs = performance.now();
    });
    // The system gives a code for what was refused; an attempt that runs out of time has none.
    socket.on('error', (error) => {
      if (!isOpen && 'code' in error) this.#noteRefusal();
    });
  }

  #noteRefusal(): void {
    if (this.#open > 0 || performance.now() - this.#noneSinceMs < GIVE_UP_MS) return;
    this.#isGivenUp = true;
    // All of them are unsent: what was sent has failed with its connection.
    for (const call of this.#waiting) call.abort();
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ByteBudget } from './byteBudget.js';
import type { Caller } from './caller.js';
import { readingTimeMs } from './minimumRate.js';

export interface SentResponse {
  request: IncomingMessage;
  response: ServerResponse;
  caller: Caller;
}

/** A response that its caller has not read yet. */
interface Unread {
  caller: Caller;
  socket: Socket;
}

/**
 * Tracks responses that are sent and not read yet. Their bytes count against their callers, and the
 * connection is closed if a response is not read in time. The requests of an organization with too many
 * unread bytes are rejected. For a caller without a token, the connection of the oldest unread response
 * at its address is closed instead, so that a caller that never reads does not keep others from the pages.
 */
export class UnreadResponses {
  readonly #budget: ByteBudget;
  /** The oldest first. */
  readonly #unread = new Set<Unread>();

  constructor(budget: ByteBudget) {
    this.#budget = budget;
  }

  /** Throws RATE_LIMITED or UNAVAILABLE if a caller has too many unread bytes. */
  check(caller: Caller): void {
    const error = this.#budget.refusalOf(caller);
    if (error) throw error;
  }

  /** Watches a response whose last byte has been written, until its caller has read it. */
  watch({ request, response, caller }: SentResponse): void {
    const bytes = response.writableLength;
    const { socket } = request;
    if (bytes === 0 || socket.destroyed) return;
    if (caller.address !== null) this.#makeRoom(caller);
    const unread = { caller, socket };
    this.#unread.add(unread);
    this.#budget.take(caller, bytes);
    const timer = setTimeout(() => socket.destroy(), readingTimeMs(bytes)).unref();
    const release = () => {
      clearTimeout(timer);
      response.off('close', release);
      socket.off('close', release);
      if (this.#unread.delete(unread)) this.#budget.give(caller, bytes);
    };
    response.once('close', release);
    socket.once('close', release);
  }

  #makeRoom(caller: Caller): void {
    if (this.#budget.refusalOf(caller) === null) return;
    for (const { caller: other, socket } of this.#unread) {
      if (other.address !== caller.address) continue;
      socket.destroy();
      return;
    }
  }
}

import { AppError, type Procedure, type WireError } from '@gatehouse/contract';
import { createTRPCClient, createWSClient, TRPCClientError, wsLink } from '@trpc/client';
import type { AnyTRPCRouter } from '@trpc/server';
import { callTRPCProcedure } from '@trpc/server';
import { toAppError, type Envelope } from './implement.js';
import { Reachability } from './reachability.js';

/** One way of reaching a service: the same call in process and over the network. */
export interface ServiceLink {
  /** Calls `noun.verb`. Rejects with an AppError, whatever went wrong. */
  call(path: string, procedure: Pick<Procedure, 'kind' | 'changes'>, envelope: Envelope): Promise<unknown>;
  close(): Promise<void>;
}

/** Calls the router directly. It is looked up late, because services of one process refer to each other. */
export function inProcessLink(findRouter: () => AnyTRPCRouter): ServiceLink {
  return {
    async call(path, { kind }, envelope) {
      try {
        return await callTRPCProcedure({
          router: findRouter(),
          path,
          type: kind,
          ctx: {},
          getRawInput: async () => envelope,
          signal: undefined,
          batchIndex: 0,
        });
      } catch (error) {
        throw toAppError(error);
      }
    },
    async close() {},
  };
}

function reviveError(error: unknown): AppError {
  if (error instanceof TRPCClientError) {
    const wire = (error.data as { app?: WireError } | null | undefined)?.app;
    if (wire) return AppError.fromWire(wire);
  }
  // No answer at all: the service is down, or the call took too long.
  return new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause: error });
}

/**
 * RFC 6455, section 7.4.1. A service closes a connection so only when every call on it that has no answer was never begun:
 * such a call may be made elsewhere, whatever it does.
 */
export const GOING_AWAY = 1001;

/** The code that the connection was closed with under a call; null when that is not why the call failed. */
function closeCodeOf({ cause }: TRPCClientError<AnyTRPCRouter>): number | null {
  const code: unknown = typeof cause === 'object' && 'code' in cause ? cause.code : null;
  return typeof code === 'number' ? code : null;
}

/** Whether a call that failed may be made again: it was never begun, or it is a read that got no answer. */
function mayRepeat(error: unknown, isRead: boolean): boolean {
  if (!(error instanceof TRPCClientError) || error.data) return false;
  return isRead || closeCodeOf(error) === GOING_AWAY;
}

const REPEATS_MAX = 3;

/** Sends a call again, a few times and until the signal, where it got no answer and may be made again. */
async function sendUntilAnswered(
  send: () => Promise<unknown>,
  { isRead, signal }: { isRead: boolean; signal: AbortSignal },
): Promise<unknown> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await send();
    } catch (error) {
      if (signal.aborted || repeats === REPEATS_MAX || !mayRepeat(error, isRead)) throw error;
    }
  }
}

/** A peer that is gone without a word is noticed after both together. */
const PING_INTERVAL_MS = 2000;
const PONG_TIMEOUT_MS = 3000;

/** While nobody takes connections, calls fail: soon after somebody does, they go on. */
const RETRY_DELAY_MAX_MS = 500;

export interface NetworkLinkOptions {
  url: string;
  timeoutMs: number;
}

/**
 * Calls over one multiplexed WebSocket, which reconnects by itself. When it is lost, reads that have no answer are asked
 * again, and changes only when they were never begun. Calls wait for a connection, but not while nobody takes one.
 */
export function networkLink({ url, timeoutMs }: NetworkLinkOptions): ServiceLink {
  const reachability = new Reachability();
  const socket = createWSClient({
    url,
    WebSocket: reachability.createSocketClass(),
    retryDelayMs: (attempt) => Math.min(50 * 2 ** attempt, RETRY_DELAY_MAX_MS),
    keepAlive: { enabled: true, intervalMs: PING_INTERVAL_MS, pongTimeoutMs: PONG_TIMEOUT_MS },
  });
  const client = createTRPCClient<AnyTRPCRouter>({ links: [wsLink({ client: socket })] });
  // The untyped face of the client: paths are names here, and the types are the contract's.
  const untyped = client as unknown as Record<string, Record<string, Record<string, Send>>>;
  return {
    async call(path, { kind, changes }, envelope) {
      const [noun = '', verb = ''] = path.split('.');
      const send = untyped[noun]?.[verb]?.[kind === 'query' ? 'query' : 'mutate'];
      if (!send) throw new AppError('INTERNAL_ERROR');
      if (reachability.isGivenUp) throw reviveError(new Error('Nobody takes connections'));
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), timeoutMs);
      const { signal } = deadline;
      reachability.enter(deadline);
      try {
        return await sendUntilAnswered(() => send(envelope, { signal }), {
          isRead: !changes,
          signal,
        });
      } catch (error) {
        throw reviveError(error);
      } finally {
        clearTimeout(timer);
        reachability.leave(deadline);
      }
    },
    async close() {
      await socket.close();
    },
  };
}

type Send = (input: unknown, options: { signal: AbortSignal }) => Promise<unknown>;

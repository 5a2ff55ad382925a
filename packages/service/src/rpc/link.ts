import { AppError, type WireError } from '@gatehouse/contract';
import { createTRPCClient, createWSClient, TRPCClientError, wsLink } from '@trpc/client';
import type { AnyTRPCRouter } from '@trpc/server';
import { callTRPCProcedure } from '@trpc/server';
import { WebSocket } from 'ws';
import { toAppError, type Envelope } from './implement.js';

/** One way of reaching a service: the same call in process and over the network. */
export interface ServiceLink {
  /** Calls `noun.verb`. Rejects with an AppError, whatever went wrong. */
  call(path: string, kind: 'query' | 'mutation', envelope: Envelope): Promise<unknown>;
  close(): Promise<void>;
}

/** Calls the router directly. It is looked up late, because services of one process refer to each other. */
export function inProcessLink(findRouter: () => AnyTRPCRouter): ServiceLink {
  return {
    async call(path, kind, envelope) {
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

export interface NetworkLinkOptions {
  url: string;
  timeoutMs: number;
}

/** Calls over one multiplexed WebSocket, which reconnects by itself. */
export function networkLink({ url, timeoutMs }: NetworkLinkOptions): ServiceLink {
  const socket = createWSClient({
    url,
    WebSocket: WebSocket as unknown as typeof globalThis.WebSocket,
    retryDelayMs: (attempt) => Math.min(50 * 2 ** attempt, 1000),
    keepAlive: { enabled: true, intervalMs: 5000, pongTimeoutMs: 2000 },
  });
  const client = createTRPCClient<AnyTRPCRouter>({ links: [wsLink({ client: socket })] });
  // The untyped face of the client: paths are names here, and the types are the contract's.
  const untyped = client as unknown as Record<string, Record<string, Record<string, Send>>>;
  return {
    async call(path, kind, envelope) {
      const [noun = '', verb = ''] = path.split('.');
      const send = untyped[noun]?.[verb]?.[kind === 'query' ? 'query' : 'mutate'];
      if (!send) throw new AppError('INTERNAL_ERROR');
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(), timeoutMs);
      try {
        return await send(envelope, { signal: deadline.signal });
      } catch (error) {
        throw reviveError(error);
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      await socket.close();
    },
  };
}

type Send = (input: unknown, options: { signal: AbortSignal }) => Promise<unknown>;

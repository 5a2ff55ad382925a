import {
  type CallTypes,
  findProcedure,
  type ProcedurePath,
  type RouterOf,
  SERVICE_NAMES,
  type ServiceContract,
  type ServiceName,
  type ServiceRouter,
  type Services,
  services,
} from '@gatehouse/contract';
import {
  createTRPCClient,
  createWSClient,
  getUntypedClient,
  type Operation,
  retryLink,
  type TRPCClient,
  type TRPCClientError,
  type TRPCLink,
  wsLink,
} from '@trpc/client';
import { callTRPCProcedure } from '@trpc/server';
import { observable } from '@trpc/server/observable';
import type { CallContext, CallOrigin } from '../callContext.js';
import { currentDryRun } from '../dryRun/dryRun.js';
import { sendCall } from '../observability/calls.js';
import { currentTraceparent, isTracing } from '../observability/tracing.js';
import type { Envelope } from './envelope.js';
import { reviveError, toAppError, toClientError, unavailable } from './errors.js';
import { Reachability } from './reachability.js';

export type CallLink = TRPCLink<CallTypes>;

/**
 * The last links of a client, which reach one service. A failed call rejects with an AppError as its cause.
 */
export interface ServiceLink {
  readonly links: readonly CallLink[];
  close(): Promise<void>;
}

/**
 * A link that answers each call with a function. The input of the operation is the envelope of the call. Here
 * and below, a call with a result is not completed: the result ends it. A client reacts to each completion
 * with an abort, whose exception takes several times as long as a call in process.
 */
export function functionLink(answer: (operation: Operation<Envelope>) => Promise<unknown>): ServiceLink {
  const link: CallLink =
    () =>
    ({ op }) =>
      observable((observer) => {
        answer(op as Operation<Envelope>).then(
          (data) => observer.next({ result: { data } }),
          (error: unknown) => observer.error(toClientError(toAppError(error))),
        );
      });
  return { links: [link], close: async () => {} };
}

/**
 * Calls the router directly. It is looked up for each call, because services of one process refer to each
 * other.
 */
export function inProcessLink(findRouter: () => ServiceRouter): ServiceLink {
  return functionLink(async ({ path, type, input, signal }) =>
    callTRPCProcedure({
      router: findRouter(),
      path,
      type,
      ctx: {},
      getRawInput: async () => input,
      signal: signal ?? undefined,
      batchIndex: 0,
    }),
  );
}

/**
 * RFC 6455, section 7.4.1. A service closes a connection with this code only if it has not begun any of the
 * unanswered calls. Such a call may be repeated elsewhere, even if it changes data.
 */
export const GOING_AWAY = 1001;

/** The code with which the connection of a call was closed; null if the call failed for another reason. */
function closeCodeOf({ cause }: TRPCClientError<CallTypes>): number | null {
  const code: unknown = typeof cause === 'object' && 'code' in cause ? cause.code : null;
  return typeof code === 'number' ? code : null;
}

const REPEATS_MAX = 3;

/**
 * Repeats calls without a response, up to the deadline: always a read, and a change only if it was never
 * begun.
 */
function createRetryLink({ procedures }: ServiceContract): CallLink {
  const isRead = (path: string) => {
    const [noun = '', verb = ''] = path.split('.');
    return procedures[noun]?.[verb]?.changes === false;
  };
  return retryLink({
    retry({ op, error, attempts }) {
      if (error.data || attempts > REPEATS_MAX || op.signal?.aborted) return false;
      return isRead(op.path) || closeCodeOf(error) === GOING_AWAY;
    },
  });
}

/**
 * Ends calls at their deadline or when the service is unreachable, and restores the AppError of a failed
 * call.
 */
function createDeadlineLink(reachability: Reachability, timeoutMs: number): CallLink {
  return () =>
    ({ op, next }) =>
      observable((observer) => {
        if (reachability.isUnreachable) return observer.error(unavailable(new Error('service unreachable')));
        const deadline = new AbortController();
        const timer = setTimeout(() => deadline.abort(), timeoutMs);
        reachability.enter(deadline);
        const end = () => {
          clearTimeout(timer);
          reachability.leave(deadline);
        };
        let hasResult = false;
        const subscription = next({ ...op, signal: deadline.signal }).subscribe({
          next(result) {
            hasResult = true;
            observer.next(result);
          },
          error: (error) => observer.error(reviveError(error)),
          complete() {
            // An aborted call completes without a result.
            if (hasResult) end();
            else observer.error(unavailable(deadline.signal.reason));
          },
        });
        return () => {
          end();
          subscription.unsubscribe();
        };
      });
}

/** A dead peer that sends no close frame is detected after the sum of both. */
const PING_INTERVAL_MS = 2000;
const PONG_TIMEOUT_MS = 3000;

/** While the service is unreachable, calls fail. This bounds the time to recover afterwards. */
const RETRY_DELAY_MAX_MS = 500;

export interface NetworkLinkOptions {
  url: string;
  timeoutMs: number;
}

/**
 * Calls a service over one multiplexed WebSocket, which reconnects by itself. If the connection is lost,
 * unanswered reads are repeated, and changes only if they were never begun. Calls wait for a connection
 * unless the service is unreachable.
 */
export function networkLink(contract: ServiceContract, { url, timeoutMs }: NetworkLinkOptions): ServiceLink {
  const reachability = new Reachability();
  const client = createWSClient({
    url,
    WebSocket: reachability.createSocketClass(),
    retryDelayMs: (attempt) => Math.min(50 * 2 ** attempt, RETRY_DELAY_MAX_MS),
    keepAlive: { enabled: true, intervalMs: PING_INTERVAL_MS, pongTimeoutMs: PONG_TIMEOUT_MS },
  });
  return {
    links: [createDeadlineLink(reachability, timeoutMs), createRetryLink(contract), wsLink({ client })],
    close: () => client.close(),
  };
}

/** The tRPC client of a service. Each call takes a `CallOrigin` as its context. */
export type ServiceClient<C extends ServiceContract> = TRPCClient<RouterOf<C>>;

/** The clients of all services: `clients.directory.subjects.lookup.query(input, { context })`. */
export type ServiceClients = { [S in ServiceName]: ServiceClient<Services[S]> };

export type ServiceLinks = Partial<Record<ServiceName, ServiceLink>>;

/** Wraps each call in a span. Does nothing if tracing is off. */
function createTraceLink(service: string): CallLink {
  return () =>
    ({ op, next }) => {
      if (!isTracing()) return next(op);
      return observable((observer) => {
        let end = () => {};
        sendCall(`${service}.${op.path}`, async () => {
          await new Promise<void>((resolve, reject) => {
            const subscription = next(op).subscribe({
              next(result) {
                resolve();
                observer.next(result);
              },
              error: reject,
              complete: resolve,
            });
            end = () => {
              subscription.unsubscribe();
              resolve();
            };
          });
        }).catch((error) => observer.error(error));
        return () => end();
      });
    };
}

/** A token is not passed on in its last seconds, because the next service verifies it a little later. */
const TOKEN_MARGIN_SECONDS = 2;

/** Whether a call has lasted for nearly as long as the token of its caller is valid. */
function hasOutlastedToken({ tokenExpiresAt = Infinity }: Partial<CallContext>): boolean {
  return Date.now() / 1000 > tokenExpiresAt - TOKEN_MARGIN_SECONDS;
}

/**
 * Puts the input into an envelope with the origin of the call and the current trace. Rejects with UNAVAILABLE
 * if the operation that makes the call has outlasted its token: its caller would be UNAUTHENTICATED.
 */
const envelopeLink: CallLink =
  () =>
  ({ op, next }) => {
    // Calls take a CallOrigin, or a CallContext that has more fields. Only these are sent.
    const context = op.context as CallOrigin & Partial<CallContext>;
    if (hasOutlastedToken(context)) {
      const cause = new Error('the operation has outlasted its internal token');
      return observable((observer) => observer.error(unavailable(cause)));
    }
    const { token, requestId, ifMatch, operationKey, validateOnly } = context;
    const origin: CallOrigin = { token, requestId, ifMatch, operationKey };
    // A dry run passes this on, also where the called operation is another one with an origin of its own.
    origin.validateOnly = validateOnly === true || currentDryRun() !== null || undefined;
    const envelope: Envelope = { ...origin, traceparent: currentTraceparent(), input: op.input };
    return next({ ...op, input: envelope });
  };

const unavailableLink: CallLink = () => () => observable((observer) => observer.error(unavailable()));

/**
 * The links of a client of a service, for `createTRPCClient`. Without a link, calls reject with UNAVAILABLE.
 */
export function callLinks(contract: ServiceContract, link: ServiceLink | undefined): CallLink[] {
  return [createTraceLink(contract.name), envelopeLink, ...(link?.links ?? [unavailableLink])];
}

/** Creates the client of a service over a link. */
export function connectService<C extends ServiceContract>(contract: C, link?: ServiceLink): ServiceClient<C> {
  return createTRPCClient<RouterOf<C>>({ links: callLinks(contract, link) });
}

/** Creates the clients of all services. Calls to a service without a link reject with UNAVAILABLE. */
export function connectServices(links: ServiceLinks): ServiceClients {
  const clients = SERVICE_NAMES.map((name) => [
    name,
    connectService<ServiceContract>(services[name], links[name]),
  ]);
  return Object.fromEntries(clients) as ServiceClients;
}

/**
 * Calls a procedure by its path, as the gateway does for each route of the route table. A path has no static
 * type, so neither have input and output. Rejects with an AppError.
 */
export async function callProcedure(
  clients: ServiceClients,
  path: ProcedurePath,
  { origin, input }: { origin: CallOrigin; input: Record<string, unknown> },
): Promise<unknown> {
  const { kind } = findProcedure(path);
  const [service, noun, verb] = path.split('.') as [ServiceName, string, string];
  const client: ServiceClient<ServiceContract> = clients[service];
  try {
    return await getUntypedClient(client)[kind](`${noun}.${verb}`, input, { context: origin });
  } catch (error) {
    throw toAppError(error);
  }
}

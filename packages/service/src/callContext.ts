import { AppError, type Caller, type Principal } from '@gatehouse/contract';
import type { Operation } from './ids.js';
import type { Logger } from './log.js';

/** The versions that `If-Match` allows, or any version of a record that exists. */
export type IfMatch = '*' | number[];

/**
 * What a call carries from one part of the platform to another: the `context` of a tRPC call. A type alias,
 * because an interface is not assignable to the record type of tRPC.
 */
export type CallOrigin = {
  /** Internal token of the caller. */
  token: string;
  requestId: string;
  ifMatch?: IfMatch | undefined;
  /** The idempotency key of the operation, if the call may be repeated. The callee does not pass it on. */
  operationKey?: string | undefined;
  /** True if the call must pass every check and change nothing: see `DryRun`. */
  validateOnly?: boolean | undefined;
};

/** What an operation knows about its call, besides the input. */
export type CallContext = Omit<CallOrigin, 'operationKey'> & {
  caller: Caller;
  /** When the token expires, in seconds since 1970. An operation that lasts as long makes no more calls. */
  tokenExpiresAt?: number;
  /** The caller as a principal. A procedure that only the platform calls has none. */
  readonly principal: Principal;
  /** The source of new ids and secrets if the call may be repeated. */
  operation?: Operation | undefined;
  /** The time at which the call arrived. A call uses one time throughout. */
  now: Date;
  readonly log: Logger;
};

/** Throws PRECONDITION_FAILED unless `If-Match` allows the version of the record. */
export function requireVersion(context: Pick<CallContext, 'ifMatch'>, version: number): void {
  const { ifMatch } = context;
  if (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(version)) return;
  throw new AppError('PRECONDITION_FAILED');
}

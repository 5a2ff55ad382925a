import { AppError, type Caller, type Principal } from '@gatehouse/contract';
import type { Operation } from './ids.js';
import type { Logger } from './log.js';

/** The versions that `If-Match` allows, or any version of a record that exists. */
export type IfMatch = '*' | number[];

/** What goes along with a call from one part of the platform to another. */
export interface CallOrigin {
  /** Internal token of the caller. */
  token: string;
  requestId: string;
  ifMatch?: IfMatch | undefined;
  /** The key of the operation, where the call may be made again to end it. It reaches no further than the one who is called. */
  operationKey?: string | undefined;
}

/** What an operation knows of the call beside its input. */
export interface CallContext extends Omit<CallOrigin, 'operationKey'> {
  caller: Caller;
  /** The caller as a principal. A procedure that only the platform calls has none. */
  readonly principal: Principal;
  /** What new ids and secrets are made of when the call may be made again. */
  operation?: Operation | undefined;
  /** When the call arrived: one call sees one moment. */
  now: Date;
  readonly log: Logger;
}

/** Throws PRECONDITION_FAILED unless the record's version is one that the caller asked for. */
export function requireVersion(context: Pick<CallContext, 'ifMatch'>, version: number): void {
  const { ifMatch } = context;
  if (ifMatch === undefined || ifMatch === '*' || ifMatch.includes(version)) return;
  throw new AppError('PRECONDITION_FAILED');
}

import { AppError, fieldErrorsOf, type CallErrorShape, type CallTypes } from '@gatehouse/contract';
import { TRPCClientError } from '@trpc/client';
import { TRPCError } from '@trpc/server';
import { z } from 'zod';
import { isDatabaseUnreachable } from '../mongo/databaseErrors.js';

/**
 * JSON-RPC code of an internal error. Callers read `data.app.code` instead, which has one code for each
 * failure.
 */
const RPC_INTERNAL_ERROR = -32603;

/** The error inside the errors that tRPC wraps around it: one on the server, and one more in a client. */
function unwrap(error: unknown): unknown {
  let inner = error;
  while ((inner instanceof TRPCError || inner instanceof TRPCClientError) && inner.cause) inner = inner.cause;
  return inner;
}

/** Returns the AppError that an error is or wraps; undefined if there is none. */
export function findAppError(error: unknown): AppError | undefined {
  const inner = unwrap(error);
  if (inner instanceof AppError) return inner;
  return inner instanceof Error && inner.cause instanceof AppError ? inner.cause : undefined;
}

/**
 * Returns the AppError for any error, local or of a remote call. An input that does not match its schema
 * becomes INVALID_REQUEST, an unreachable database UNAVAILABLE, and any other error INTERNAL_ERROR, with the
 * error as the cause.
 */
export function toAppError(error: unknown): AppError {
  const known = findAppError(error);
  if (known) return known;
  const cause = unwrap(error);
  if (isDatabaseUnreachable(cause)) return new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause });
  // Only the input parser of tRPC throws BAD_REQUEST. A ZodError of a handler is an internal error.
  if (error instanceof TRPCError && error.code === 'BAD_REQUEST' && cause instanceof z.ZodError)
    return new AppError('INVALID_REQUEST', { fieldErrors: fieldErrorsOf(cause) });
  return new AppError('INTERNAL_ERROR', { cause });
}

/** The shape of an error as it is sent to the caller: the public part of the AppError, and nothing else. */
export function toErrorShape(known: AppError): CallErrorShape {
  const app = known.toWire();
  return { code: RPC_INTERNAL_ERROR, message: app.message, data: { app } };
}

/** The error that a client rejects with. Its `cause` is the AppError, and its `data.app` the public part. */
export function toClientError(known: AppError): TRPCClientError<CallTypes> {
  return new TRPCClientError(known.message, { result: { error: toErrorShape(known) }, cause: known });
}

/** The error of a call that got no response. */
export function unavailable(cause?: unknown): TRPCClientError<CallTypes> {
  return toClientError(new AppError('UNAVAILABLE', { retryAfterSeconds: 1, cause }));
}

/** Restores the AppError of a call over the network. Without a response, the service is UNAVAILABLE. */
export function reviveError(error: TRPCClientError<CallTypes>): TRPCClientError<CallTypes> {
  const wire = error.data?.app;
  return wire ? toClientError(AppError.fromWire(wire)) : unavailable(error);
}

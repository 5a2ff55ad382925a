import { findAppError } from '../rpc/errors.js';

/** The code of an error, for metrics and traces. The message of an error may contain confidential data. */
export function errorCodeOf(error: unknown): string {
  return findAppError(error)?.code ?? 'INTERNAL_ERROR';
}

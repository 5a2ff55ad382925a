import { AppError } from '@gatehouse/contract';

/** Why work failed, by its code: the text of an error may hold what nobody should read. */
export function errorCodeOf(error: unknown): string {
  return error instanceof AppError ? error.code : 'INTERNAL_ERROR';
}

import { AppError, type ErrorCode, type FieldError, type FieldErrorCode } from '@gatehouse/contract';

/** An operation that failed, by its place in the request. */
export interface Failure {
  index: number;
  error: AppError;
}

/** The error of one operation in the result of a batch. */
export function errorOf({ code, message, fieldErrors }: AppError) {
  const faults = (fieldErrors ?? []).map((fault) => ({ ...fault, code: fault.code ?? ('invalid' as const) }));
  return { code, message, ...(faults.length > 0 && { fieldErrors: faults }) };
}

const FAULTS: Partial<Record<ErrorCode, FieldErrorCode>> = {
  NOT_FOUND: 'reference',
  CONFLICT: 'conflict',
  QUOTA_EXCEEDED: 'conflict',
};

const placeOf = (index: number) => `operations[${index}]`;

/** The field errors of a failure, or one for the whole operation. */
function faultsOf({ index, error: { code, message, fieldErrors = [] } }: Failure): FieldError[] {
  const whole = { field: placeOf(index), message, code: FAULTS[code] ?? ('invalid' as const) };
  if (fieldErrors.length === 0) return [whole];
  return fieldErrors.map((fault) => ({ ...fault, field: `${placeOf(index)}.${fault.field}` }));
}

/**
 * The error of a whole batch: that of the first operation that failed.
 * @param left the operations that remain done
 */
export function rejectionOf(failures: readonly Failure[], left: readonly number[]): AppError {
  const sorted = failures.toSorted((a, b) => a.index - b.index);
  const [first] = sorted as [Failure];
  const { code, message, blockedBy, retryAfterSeconds, cause } = first.error;
  const remains = left.map((index): FieldError => ({
    field: placeOf(index),
    message: 'was done and remains',
    code: 'conflict',
  }));
  return new AppError(code, {
    message,
    fieldErrors: [...sorted.flatMap(faultsOf), ...remains],
    ...(blockedBy && { blockedBy }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    cause,
  });
}

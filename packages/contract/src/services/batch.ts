import { z } from 'zod';
import { rule } from '../fieldErrors.js';
import { ErrorCodeName, FieldErrorBody } from '../rest/errorBodies.js';
import { hasAnyOf } from './update.js';

/** The largest number of operations in one batch. */
export const BATCH_MAX = 500;

/**
 * `atomic`: all operations or none, with one error for all. `each`: every operation for itself, with a result
 * for each.
 */
export const BatchMode = z.enum(['atomic', 'each']);
export type BatchMode = z.infer<typeof BatchMode>;

export const BatchOp = z.enum(['create', 'update', 'delete']);
export type BatchOp = z.infer<typeof BatchOp>;

/** The error of one operation; the fields are those of the operation. */
const BatchError = z.object({
  code: ErrorCodeName,
  message: z.string(),
  fieldErrors: z.array(FieldErrorBody).optional(),
});

/** The item of a partial update: what names the record, and at least one of the fields that may change. */
export function itemUpdateOf<K extends z.ZodRawShape, S extends z.ZodRawShape>(key: K, fields: S) {
  return z
    .strictObject({ op: z.literal('update'), ...key, ...fields })
    .refine((value: object) => hasAnyOf(fields, value), {
      ...rule('must have at least one field to change', 'required'),
    });
}

type Item<N extends BatchOp> = z.ZodObject<{ op: z.ZodLiteral<N> }>;

/**
 * The input of a change of many records.
 * @param path the fields of the path, which all operations have in common
 * @param items what each operation takes, besides the fields of the path
 */
export function batchInputOf<
  P extends z.ZodRawShape,
  C extends Item<'create'>,
  U extends Item<'update'>,
  D extends Item<'delete'>,
>(path: P, items: readonly [C, U, D]) {
  return z.strictObject({
    ...path,
    mode: BatchMode.default('atomic'),
    operations: z.array(z.discriminatedUnion('op', items)).min(1).max(BATCH_MAX),
  });
}

/**
 * The output of a change of many records, with a result for each operation.
 * @param fields the fields of the responses to single requests; each result has those of its operation
 */
export function batchOutputOf<R extends z.ZodRawShape>(fields: R) {
  const result = {
    op: BatchOp,
    /** The status that the single request would have. */
    status: z.number().int(),
    ...fields,
    error: BatchError.optional(),
  };
  return z.object({ results: z.array(z.object(result)) });
}

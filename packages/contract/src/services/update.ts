import { z } from 'zod';
import { rule } from '../fieldErrors.js';
import { Id } from '../vocabulary.js';

/** Whether a value has at least one of the fields. */
export function hasAnyOf(fields: z.ZodRawShape, value: object): boolean {
  return Object.keys(fields).some((name) => Reflect.get(value, name) !== undefined);
}

/** The input of a partial update: the id of the record, and at least one of the fields that may change. */
export function updateOf<S extends z.ZodRawShape>(fields: S) {
  return z.strictObject({ id: Id, ...fields }).refine((value: object) => hasAnyOf(fields, value), {
    path: ['body'],
    ...rule('must have at least one field to change', 'required'),
  });
}

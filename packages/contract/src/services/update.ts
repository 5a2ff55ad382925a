import { z } from 'zod';
import { rule } from '../fieldErrors.js';
import { Id } from '../vocabulary.js';

/** The input of a partial update: the id of the record, and at least one of the fields that may change. */
export function updateOf<S extends z.ZodRawShape>(fields: S) {
  const isGiven = (value: object) =>
    Object.keys(fields).some((name) => Reflect.get(value, name) !== undefined);
  return z
    .strictObject({ id: Id, ...fields })
    .refine(isGiven, { path: ['body'], ...rule('must have at least one field to change', 'required') });
}

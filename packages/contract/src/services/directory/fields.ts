import { z } from 'zod';
import { rule } from '../../fieldErrors.js';
import { Id, label, text } from '../../vocabulary.js';
import { checkPlace, Cursor, NextCursor } from '../listSlice.js';

export const ById = z.strictObject({ id: Id });
export const Nothing = z.strictObject({});
/** The ids of a list in one query parameter. */
export const Ids = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}(?:,[A-Za-z0-9_-]{1,64}){0,99}$/, 'must be 1 to 100 ids, separated by commas')
  .optional();
export const Message = { message: z.string() };
export const ListPage = {
  limit: z.number().int().min(1).max(1000).default(50),
  offset: z.number().int().min(0).default(0),
  cursor: Cursor,
};
/** The offset is 0 where it is not given. */
export function checkOffset(
  value: { cursor?: string | undefined; offset: number },
  context: z.core.$RefinementCtx,
): void {
  checkPlace(value, { offset: value.offset > 0 }, context);
}
/** The total of a list that is exact up to 10,000. */
export const BoundedTotal = {
  total: z.number().int(),
  /** True if there are more than `total`. */
  totalIsLowerBound: z.boolean().optional(),
};
export const Listed = {
  ...BoundedTotal,
  limit: z.number().int(),
  offset: z.number().int(),
  ...NextCursor,
};

export const Name = label(200);
export const Department = text(0, 200);
/**
 * An id that the caller chooses. Those in the form of an org user's id are rejected, because they would be
 * ambiguous.
 */
export const OwnId = Id.refine((id) => !id.startsWith('ou_'), rule('must not begin with ou_', 'format'));

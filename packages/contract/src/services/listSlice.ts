import { z } from 'zod';
import { text } from '../vocabulary.js';

/** The fields that request a part of a list: a thousand records by default. */
export const ListSlice = {
  limit: z.number().int().min(1).max(1000).default(1000),
  /** The `nextCursor` of the previous part. */
  cursor: text(1, 2000).optional(),
};

/** The field of a response that leads to the next part of its list; null at the end. */
export const NextCursor = { nextCursor: z.string().nullable() };

import { z } from 'zod';
import { rule } from '../fieldErrors.js';
import { text } from '../vocabulary.js';

/** The `nextCursor` of the previous part. */
export const Cursor = text(1, 2000).optional();

/** Only records whose name, title or email contains this text, in any case. It is data, never a pattern. */
export const Search = text(1, 200).optional();

/** The fields that request a part of a list: a thousand records by default. */
export const ListSlice = {
  limit: z.number().int().min(1).max(1000).default(1000),
  cursor: Cursor,
};

/** ADMIN only: everything in the project, with or without access to it. */
export const ListScope = z.enum(['organization']).optional();

/** The field of a response that leads to the next part of its list; null at the end. */
export const NextCursor = { nextCursor: z.string().nullable() };

/** Adds an issue for each field that selects the place of a part in another way than the given cursor. */
export function checkPlace(
  value: { cursor?: string | undefined },
  others: Readonly<Record<string, boolean>>,
  context: z.core.$RefinementCtx,
): void {
  if (value.cursor === undefined) return;
  for (const [field, isGiven] of Object.entries(others)) {
    if (!isGiven) continue;
    const fault = rule('does not go with cursor', 'conflict');
    context.addIssue({ code: 'custom', path: [field], ...fault, input: value });
  }
}

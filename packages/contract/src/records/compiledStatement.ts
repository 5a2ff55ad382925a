import { z } from 'zod';
import { CompiledReason } from './policy.js';

const Refused = {
  sql: z.null(),
  parameters: z.array(z.unknown()).max(0),
  reasons: z.array(CompiledReason).min(1),
};

/** A statement as the policies of an actor restrict it, or the reasons why it may not run. */
export const CompiledStatement = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('compiled'),
    /** The restricted statement with placeholders for values. */
    sql: z.string(),
    /** The values of `sql`, in order; an array is one element. */
    parameters: z.array(z.unknown()),
    reasons: z.array(CompiledReason).max(0),
  }),
  z.object({ status: z.literal('denied'), ...Refused }),
  z.object({ status: z.literal('invalid_sql'), ...Refused }),
]);
export type CompiledStatement = z.infer<typeof CompiledStatement>;

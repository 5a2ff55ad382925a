import { z } from 'zod';
import type { CallOrigin } from '../callContext.js';

/** The message of each call: its origin, its trace and the input of the procedure. */
export interface Envelope extends CallOrigin {
  /** The span that the call is made in, as W3C Trace Context writes it. */
  traceparent?: string | undefined;
  input: unknown;
}

export const Envelope: z.ZodType<Envelope> = z.object({
  token: z.string(),
  requestId: z.string().max(200),
  ifMatch: z.union([z.literal('*'), z.array(z.number().int())]).optional(),
  operationKey: z.string().max(200).optional(),
  validateOnly: z.boolean().optional(),
  traceparent: z.string().max(100).optional(),
  input: z.unknown(),
});

import { z } from 'zod';
import { text } from '../../vocabulary.js';
import { mutation, systemOnly } from '../procedure.js';

/** The first answers to requests that carry an idempotency key, kept for 24 hours. */
export const idempotency = {
  /**
   * `claimed`: the caller runs the operation and then completes or releases the claim. `operationKey` goes along with the
   * call: it is the same for each run of the same request, so that a second one meets what the first one made. `running`: another does, ask again.
   * `answered`: it was done. `mismatch`: the key belongs to another request.
   */
  claim: systemOnly(
    mutation(
      z.strictObject({ scope: text(1, 500), key: text(1, 255), requestHash: text(1, 128) }),
      z.discriminatedUnion('state', [
        z.object({ state: z.literal('claimed'), claimId: z.string(), operationKey: z.string() }),
        z.object({ state: z.literal('running') }),
        z.object({ state: z.literal('mismatch') }),
        z.object({ state: z.literal('answered'), status: z.number().int(), body: z.string() }),
      ]),
    ),
  ),
  complete: systemOnly(
    mutation(
      z.strictObject({ claimId: z.string(), status: z.number().int(), body: z.string() }),
      z.object({ isStored: z.boolean() }),
    ),
  ),
  /** Gives the key free. What may have been done although nobody can tell keeps its operation's key. */
  release: systemOnly(
    mutation(
      z.strictObject({ claimId: z.string(), mayBeDone: z.boolean() }),
      z.object({ isReleased: z.boolean() }),
    ),
  ),
};
